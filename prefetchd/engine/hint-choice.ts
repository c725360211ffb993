// Chooses hints from the predictions: those above the threshold, of the page's own origin, that are worth their bytes;
// at most `limit`, by rank (wire/hint.ts) and then probability. The result is sorted by probability alone.
//
// The choice is the same for everybody. If what a client has were left out, others with the same address and user agent
// could see what it read; and a browser does not fetch again what it has.
//
// Hints to a client are recorded, so only chosen hints are recorded for it.

import type { Access, AccessKind } from '../access.ts';
import type { Prediction } from '../model/predictor.ts';
import type { NodePredictor } from '../model/predictors/node-predictor.ts';
import { originOf } from '../origin-of.ts';
import { textHash } from '../text-hash.ts';
import { type Hint, hintRank, hintRanks } from '../wire/hint.ts';
import type { HintHistory } from './hint-history.ts';

export interface Criteria {
  /** Pseudonym of the client that gets the hints, for the counts; null: no particular client. */
  client: string | null;
  /** Others get this answer too; with a holdback, pages in it are for speculation rules only. */
  isShared: boolean;
  /** The kind of URLs that are hinted; undefined: both. */
  kind: AccessKind | undefined;
  /** Threshold of documents. */
  threshold: number;
  /** Threshold of objects. */
  objectThreshold: number;
  /** Largest number of hints; null: no limit. */
  limit: number | null;
  /** Places of `limit` reserved for objects that browsers find late; absent: none. */
  reservedForLate?: number;
  /** Returns false for an object of the shown page that is not to be preloaded; absent: all may be. */
  mayPreload?: (url: string) => boolean;
  /** Adds pages for rules that wait for the pointer; with `isOtherwise` only if no page is above the threshold. */
  forRules?: { moderateFrom: number; most: number; isOtherwise: boolean } | undefined;
}

/** The order if only objects are asked for; otherwise objects of the shown page take no place from a next page. */
const ownObjectsFirst = hintRanks.toReversed();

const isPage = ({ kind }: Hint) => kind === 'document';

function leastThreshold({ kind, threshold, objectThreshold }: Criteria): number {
  if (kind === 'document') return threshold;
  return kind === 'object' ? objectThreshold : Math.min(threshold, objectThreshold);
}

export class HintChoice {
  readonly #predictor: NodePredictor;
  readonly #history: HintHistory;
  readonly #maxWasteBytes: number;

  /** @param maxWasteBytes see prefetchd-options.ts; null: no limit */
  constructor(predictor: NodePredictor, history: HintHistory, maxWasteBytes: number | null = null) {
    this.#predictor = predictor;
    this.#history = history;
    this.#maxWasteBytes = maxWasteBytes ?? Number.POSITIVE_INFINITY;
  }

  /** The chosen hints. @param access the current request */
  of(access: Access, wanted: Criteria): Hint[] {
    const { kind, threshold, objectThreshold, forRules } = wanted;
    const most = wanted.limit ?? Number.POSITIVE_INFINITY;
    const mostWithObjects = Math.max(0, most - (wanted.reservedForLate ?? 0));
    const ranks = kind === 'object' ? ownObjectsFirst : hintRanks;
    const found = this.#predictor
      .predict(access, { threshold: leastThreshold(wanted), limit: null, ...(kind && { kind }) })
      .filter((each) => each.probability > (each.kind === 'object' ? objectThreshold : threshold));
    const hints: Hint[] = [];
    for (const rank of ranks) {
      for (const each of found) {
        if (hintRank(each.kind, each.navigation) !== rank) continue;
        if (hints.length >= (each.kind === 'object' ? mostWithObjects : most)) continue;
        const hint = this.#hintOf(each, access, wanted);
        if (hint !== null) hints.push(hint);
      }
    }
    const isAnswered = forRules?.isOtherwise === true && hints.some(isPage);
    if (forRules !== undefined && !isAnswered) this.#addForRules(hints, access, forRules);
    return hints.sort((one, other) => other.probability - one.probability);
  }

  /**
   * Adds pages that cost nothing until the pointer rests on their link: below the threshold, beyond the limit, of any
   * size. They are not recorded as hints to the client, which may never fetch them.
   */
  #addForRules(
    hints: Hint[],
    page: Access,
    { moderateFrom, most }: NonNullable<Criteria['forRules']>,
  ): void {
    const origin = originOf(page.url);
    const known = new Set(hints.map(({ url }) => url)).add(page.url);
    const options = { threshold: moderateFrom, limit: null, kind: 'document' } as const;
    const others = this.#predictor
      .predict(page, options)
      .filter(({ url }) => !known.has(url) && originOf(url) === origin);
    for (const { url, kind, probability } of others.slice(0, most)) {
      hints.push({ url, kind, probability, byRulesOnly: true });
    }
  }

  /** The hint of a prediction; null if it may not be hinted. */
  #hintOf(prediction: Prediction, page: Access, { client, mayPreload }: Criteria): Hint | null {
    const { url, kind, navigation } = prediction;
    if (url === page.url || originOf(url) !== originOf(page.url)) return null;
    if (!this.#isWorth(prediction)) return null;
    if (kind === 'document' && this.#predictor.isTooEarly(page.url, url)) return null;
    if (navigation === 'current' && mayPreload?.(url) === false) return null;
    if (client !== null) this.#history.offer(client, textHash(url), page.timeMs);
    return prediction;
  }

  /** True if a document is worth its bytes: of n hints with probability p, n * p are opened, and n * (1 - p) wasted. */
  #isWorth({ url, kind, probability: p }: Prediction): boolean {
    if (kind === 'object') return true;
    return this.#predictor.bytesOf(url) * (1 - p) <= this.#maxWasteBytes * p;
  }
}
