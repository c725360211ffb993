// Chooses hints from the candidates: those above p, of the page's own origin, that are worth their bytes; at most i, in
// order of rank (wire/hint.ts) and then probability. The result is sorted by probability, whatever the rank.
//
// The choice is the same for everybody. A list without what one client has would reveal to others with the same address
// and user agent what was read there; and a browser does not fetch again what it has.
//
// The rank of each candidate is computed once: candidates of the first rank are taken immediately, the others wait
// until all have been seen, and most URLs are never looked up. Hints to a client are recorded, so only chosen hints
// are recorded for it.

import type { Access, AccessKind } from '../access.ts';
import type { CandidateSource, Candidates } from '../model/predictor.ts';
import { textHash } from '../model/tables/texts.ts';
import { originOf } from '../origin-of.ts';
import { type Hint, hintRank, hintRanks } from '../wire/index.ts';
import type { HintHistory } from './hint-history.ts';

export interface Wanted {
  /** Pseudonym of the client that gets the hints, for the counts; null: no particular client. */
  client: string | null;
  /** The answer serves others too; with a holdback, its pages are then only for speculation rules. */
  isShared: boolean;
  /** Only documents, or only objects; absent: both. */
  kind: AccessKind | undefined;
  /** p of documents. */
  threshold: number;
  /** p of objects. */
  objectThreshold: number;
  /** i; null: no limit. */
  limit: number | null;
  /** Places of i reserved for objects that browsers find late; other objects do not get them; absent: none. */
  reserved?: number;
  /** Returns false for an object of the shown page that is not to be preloaded; absent: all may be. */
  mayPreload?: (url: string) => boolean;
  /** Also pages for rules that wait for the pointer, or only if no page is above p (`isOtherwise`); absent: none. */
  forRules?: { moderateFrom: number; most: number; isOtherwise: boolean } | undefined;
}

/** Usually, objects of the shown page take no place from a next page; if only objects are requested, they come
 *  first. */
const ownObjectsFirst = hintRanks.toReversed();

const waitsNot = 255;

const isPage = ({ kind }: Hint) => kind === 'document';

function leastThreshold({ kind, threshold, objectThreshold }: Wanted): number {
  if (kind === 'document') return threshold;
  return kind === 'object' ? objectThreshold : Math.min(threshold, objectThreshold);
}

export class HintChoice {
  readonly #source: CandidateSource;
  readonly #history: HintHistory;
  readonly #maxWasteBytes: number;
  /** Ranks of the candidates that wait, by position among the candidates. */
  #ranks = new Uint8Array(256);

  /** @param maxWasteBytes see prefetchd-options.ts; null: no limit */
  constructor(source: CandidateSource, history: HintHistory, maxWasteBytes: number | null = null) {
    this.#source = source;
    this.#history = history;
    this.#maxWasteBytes = maxWasteBytes ?? Number.POSITIVE_INFINITY;
  }

  /** @param access the current request */
  of(access: Access, wanted: Wanted): Hint[] {
    const source = this.#source;
    const { kind, threshold, objectThreshold } = wanted;
    const least = leastThreshold(wanted);
    const most = wanted.limit ?? Number.POSITIVE_INFINITY;
    const mostWithObjects = Math.max(0, most - (wanted.reserved ?? 0));
    const ranks = kind === 'object' ? ownObjectsFirst : hintRanks;
    const first = ranks[0];
    const origin = originOf(access.url);
    const candidates = source.candidates(access, least);
    if (this.#ranks.length < candidates.length) this.#ranks = new Uint8Array(2 * candidates.length);
    const rankOf = this.#ranks;
    const hints: Hint[] = [];
    let seen = 0;
    let waits = false;
    for (let at = 0; at < candidates.length && hints.length < most; at++) {
      const probability = candidates.probabilities[at] as number;
      if (!(probability > least)) break;
      const candidateKind = source.kindOf(candidates.ids[at] as number);
      rankOf[at] = waitsNot;
      seen = at + 1;
      if (kind !== undefined && candidateKind !== kind) continue;
      const isObject = candidateKind === 'object';
      if (!(probability > (isObject ? objectThreshold : threshold))) continue;
      const navigation = isObject ? candidates.navigationOf?.(at) : undefined;
      const rank = hintRank(candidateKind, navigation);
      if (rank !== first) {
        rankOf[at] = rank;
        waits = true;
        continue;
      }
      if (isObject && hints.length >= mostWithObjects) continue;
      const hint = this.#hintOf(candidates, at, access, origin, wanted);
      if (hint !== null) hints.push(hint);
    }
    for (let turn = 1; waits && turn < ranks.length; turn++) {
      const rank = ranks[turn];
      for (let at = 0; at < seen && hints.length < mostWithObjects; at++) {
        if (rankOf[at] !== rank) continue;
        const hint = this.#hintOf(candidates, at, access, origin, wanted);
        if (hint !== null) hints.push(hint);
      }
    }
    const { forRules } = wanted;
    const isAnswered = forRules?.isOtherwise === true && hints.some(isPage);
    if (forRules !== undefined && !isAnswered) this.#addForRules(hints, access, forRules);
    return hints.sort((one, other) => other.probability - one.probability);
  }

  /**
   * Adds pages that cost nothing until the pointer rests on their link: below p, beyond i, whatever their size. They
   * are not recorded as hints to the client, which may never fetch them.
   */
  #addForRules(
    hints: Hint[],
    page: Access,
    { moderateFrom, most }: NonNullable<Wanted['forRules']>,
  ): void {
    const source = this.#source;
    const origin = originOf(page.url);
    const known = new Set(hints.map(({ url }) => url)).add(page.url);
    const candidates = source.candidates(page, moderateFrom);
    for (let at = 0, added = 0; at < candidates.length && added < most; at++) {
      const id = candidates.ids[at] as number;
      const probability = candidates.probabilities[at] as number;
      if (!(probability > moderateFrom)) break;
      if (source.kindOf(id) !== 'document') continue;
      const url = source.urlOf(id);
      if (known.has(url) || originOf(url) !== origin) continue;
      hints.push({ url, kind: 'document', probability, byRulesOnly: true });
      added++;
    }
  }

  /** @returns null if the candidate may not be a hint. */
  #hintOf(
    candidates: Candidates,
    at: number,
    page: Access,
    origin: string,
    { client, mayPreload }: Wanted,
  ): Hint | null {
    const source = this.#source;
    const id = candidates.ids[at] as number;
    const url = source.urlOf(id);
    if (url === page.url || originOf(url) !== origin) return null;
    const probability = candidates.probabilities[at] as number;
    if (!this.#isWorth(id, probability)) return null;
    const kind = source.kindOf(id);
    if (kind === 'document' && source.isTooEarly?.(page.url, id) === true) return null;
    const navigation = kind === 'object' ? candidates.navigationOf?.(at) : undefined;
    if (navigation === 'current' && mayPreload?.(url) === false) return null;
    if (client !== null) this.#history.offer(client, textHash(url), page.timeMs);
    const hint: Hint = { url, kind, probability };
    if (navigation !== undefined) hint.navigation = navigation;
    return hint;
  }

  /** Of n hints with probability p, n * p documents are opened, and the bytes of n * (1 - p) are wasted. */
  #isWorth(id: number, p: number): boolean {
    if (this.#source.kindOf(id) === 'object') return true;
    return (this.#source.bytesOf?.(id) ?? 0) * (1 - p) <= this.#maxWasteBytes * p;
  }
}
