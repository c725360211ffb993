// Which candidates become hints where not all may: those above p, of the page's own origin, that the client
// does not have, at most i in the order of their rank (wire/hint.ts), the likeliest first within each. Told
// best first, whatever their rank.
//
// Each candidate is asked for its rank once: one whose rank goes first is taken as it comes, and the others wait
// until all of these have been seen; most are never looked at as URLs. What a client was hinted is noted, so only
// what is taken may be offered to it.

import type { Access, AccessKind } from '../access.ts';
import type { CandidateSource, Candidates } from '../model/predictor.ts';
import { textHash } from '../model/tables/texts.ts';
import { originOf } from '../origin-of.ts';
import { type Hint, hintRank, hintRanks } from '../wire/index.ts';
import type { HintHistory } from './hint-history.ts';

export interface Wanted {
  /** Pseudonym of who asks; null: nobody in particular, and nothing is taken as had. */
  client: string | null;
  /** What the client has is hinted too: the answer is for others as well. */
  isShared: boolean;
  /** Only documents, or only objects; absent: both. */
  kind: AccessKind | undefined;
  /** p */
  threshold: number;
  /** i; null: no limit. */
  limit: number | null;
}

/** Objects of the page shown take no place of a page that comes next; asked for objects alone, they are meant. */
const ownObjectsFirst = hintRanks.toReversed();

const waitsNot = 255;

export class HintChoice {
  readonly #source: CandidateSource;
  readonly #history: HintHistory;
  /** By place in the list of candidates: the rank of one that waits. */
  #ranks = new Uint8Array(256);

  constructor(source: CandidateSource, history: HintHistory) {
    this.#source = source;
    this.#history = history;
  }

  /** @param access what is asked for now */
  of(access: Access, wanted: Wanted): Hint[] {
    const source = this.#source;
    const { kind, threshold } = wanted;
    const most = wanted.limit ?? Number.POSITIVE_INFINITY;
    const ranks = kind === 'object' ? ownObjectsFirst : hintRanks;
    const first = ranks[0];
    const origin = originOf(access.url);
    const candidates = source.candidates(access, threshold);
    if (this.#ranks.length < candidates.length) this.#ranks = new Uint8Array(2 * candidates.length);
    const rankOf = this.#ranks;
    const hints: Hint[] = [];
    let seen = 0;
    let waits = false;
    for (let at = 0; at < candidates.length && hints.length < most; at++) {
      if (!((candidates.probabilities[at] as number) > threshold)) break;
      const candidateKind = source.kindOf(candidates.ids[at] as number);
      rankOf[at] = waitsNot;
      seen = at + 1;
      if (kind !== undefined && candidateKind !== kind) continue;
      const isObject = candidateKind === 'object';
      const navigation = isObject ? candidates.navigationOf?.(at) : undefined;
      const rank = hintRank(candidateKind, navigation);
      if (rank !== first) {
        rankOf[at] = rank;
        waits = true;
        continue;
      }
      const hint = this.#hintOf(candidates, at, access, origin, wanted);
      if (hint !== null) hints.push(hint);
    }
    for (let turn = 1; waits && turn < ranks.length; turn++) {
      const rank = ranks[turn];
      for (let at = 0; at < seen && hints.length < most; at++) {
        if (rankOf[at] !== rank) continue;
        const hint = this.#hintOf(candidates, at, access, origin, wanted);
        if (hint !== null) hints.push(hint);
      }
    }
    return hints.sort((one, other) => other.probability - one.probability);
  }

  /** Null: it may be none, or the client has it. */
  #hintOf(
    candidates: Candidates,
    at: number,
    page: Access,
    origin: string,
    { client, isShared }: Wanted,
  ): Hint | null {
    const source = this.#source;
    const id = candidates.ids[at] as number;
    const url = source.urlOf(id);
    if (url === page.url || originOf(url) !== origin) return null;
    const isNew = client === null || this.#history.offer(client, textHash(url), page.timeMs);
    if (!isNew && !isShared) return null;
    const hint: Hint = {
      url,
      kind: source.kindOf(id),
      probability: candidates.probabilities[at] as number,
    };
    const navigation = hint.kind === 'object' ? candidates.navigationOf?.(at) : undefined;
    if (navigation !== undefined) hint.navigation = navigation;
    return hint;
  }
}
