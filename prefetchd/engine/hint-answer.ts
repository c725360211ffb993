// Answers a request for hints. The choice: predictions above the threshold, of the page's own origin, that are worth
// their bytes; at most `limit`, by rank (wire/hint.ts) and then probability. Added to the choice are the page's largest
// image and objects that browsers find late, before its other objects. Pages that have the beacon are marked. A visitor
// who is held back gets no pages (holdback/), and some views of a page get no preloads (own-objects.ts). All hints are
// sorted by probability.
//
// The choice is the same for everybody. If what a client has were left out, others with the same address and user agent
// could see what it read; and a browser does not fetch again what it has. What is recorded for a client is the hints
// that were chosen.

import { textHash } from '../../process/text-memo.ts';
import type { Access, AccessKind } from '../access.ts';
import type { Holdback } from '../holdback/holdback.ts';
import type { NodeTable } from '../model/graph/nodes.ts';
import type { Prediction } from '../model/predictor.ts';
import type { NodePredictor } from '../model/predictors/node-predictor.ts';
import { originOf } from '../normalise-url.ts';
import { type Hint, hintRank, hintRanks } from '../wire/hint.ts';
import type { BrowserSigns, Votes } from './browser-signs.ts';
import type { HintHistory } from './hint-history.ts';
import type { OwnObjects } from './own-objects.ts';

export interface HintQuestion {
  /** The page or object that is being requested. */
  url: string;
  /** The requested host, to whose site hints lead. Absent: that of an absolute `url`, else that of the main site. */
  host?: string;
  /** The client, to count what becomes of its hints and to withhold hints if it is in the control group (holdback).
   *  Absent: no particular client. */
  client?: string;
  /** True if a cache may give the answer to others, so that visitors without hints (holdback) get the same one. */
  isShared?: boolean;
  /** True if the client's browser asks for the speculation rules of the page, so it shows the page; this counts as the
   *  visit if the page had been prefetched. */
  isShown?: boolean;
  /** Whether `url` is a document or an embedded object; absent: a document. */
  urlKind?: AccessKind;
  /** Which URLs are hinted: documents or embedded objects; absent: both. */
  kind?: AccessKind;
  /** For speculation rules: true also gives pages that browsers fetch when the pointer rests on their link, marked
   *  `byRulesOnly`; `otherwise` gives them only if no page is above the threshold. */
  forRules?: boolean | 'otherwise';
  /** Threshold (p) and limit (i) for this request; absent: those of the configuration. */
  threshold?: number;
  limit?: number | null;
  /** URLs of resources that are sent along with the response (methods GETALL and GETLIST), so they are not hinted. */
  alsoSent?: readonly string[];
  /** Time of the request, ms since the epoch; absent: now. */
  timeMs?: number;
}

/** The hints of a page for no particular client, whatever the load of the process. */
export interface AnonymousPageHints {
  url: string;
  /** The hints above the threshold, the best first: at least one, at most `limit`. */
  hints: Hint[];
}

export interface HintAnswerParts {
  choice: HintChoice;
  history: HintHistory;
  signs: BrowserSigns;
  /** The largest image (LCP) of each page, as the majority of browsers report it. */
  largest: Votes;
  ownObjects: OwnObjects;
  nodes: NodeTable;
  /** Decides who gets no hints; null: everybody gets hints. */
  holdback: Holdback | null;
}

/** Returns whether a hint is to an object of the very page that carries it. Such a hint speeds up only that page, which
 *  a holdback does not measure. */
const isOfThisPage = ({ kind, navigation }: Hint) => kind === 'object' && navigation === 'current';

export class HintAnswer {
  readonly #parts: HintAnswerParts;

  constructor(parts: HintAnswerParts) {
    this.#parts = parts;
  }

  /** Returns the hints for a request, objects of the page itself included. @param access the request for the page */
  hintsFor(access: Access, wanted: Criteria): Hint[] {
    const { signs } = this.#parts;
    const hasOwn = wanted.kind !== 'document' && access.kind === 'document';
    const hints = hasOwn ? this.#withOwn(access, wanted) : this.#chosen(access, wanted);
    signs.markBeacons(hints);
    return hints;
  }

  #chosen(access: Access, wanted: Criteria): Hint[] {
    const { choice, holdback } = this.#parts;
    const { client } = wanted;
    return holdback === null || client === null || access.kind === 'object'
      ? choice.hintsFor(access, wanted)
      : this.#heldBackOrNot(holdback, access, { ...wanted, client });
  }

  /** Returns the hints chosen by the predictor together with objects that the page itself embeds. */
  #withOwn(access: Access, wanted: Criteria): Hint[] {
    const { history, ownObjects } = this.#parts;
    const { url: page, timeMs } = access;
    const { client, objectThreshold } = wanted;
    const lacks = (url: string) => client !== null && history.isNew(client, textHash(url), timeMs);
    if (client !== null && ownObjects.goesWithoutPreloads(page, client, timeMs, lacks)) {
      return this.#chosen(access, { ...wanted, mayPreload: () => false });
    }
    const mayPreload = (url: string) => ownObjects.mayPreload(page, url, objectThreshold);
    const late = this.#late(access, wanted);
    const isLate = new Set(late.map(({ url }) => url));
    const hints = this.#chosen(access, {
      ...wanted,
      reservedForLate: late.length,
      mayPreload: (url) => !isLate.has(url) && mayPreload(url),
    });
    hints.push(...late);
    this.#addLargest(hints, access, { ...wanted, mayPreload });
    hints.sort((one, other) => other.probability - one.probability);
    if (client === null) return hints;
    for (const hint of hints) if (isOfThisPage(hint)) ownObjects.preloaded(page, hint.url);
    return hints;
  }

  /** Returns hints to objects that browsers find late (in style sheets), at most `limit`. They take no place from hints
   *  to pages, as browsers fetch these objects anyway. Only a known client gets them, so that its fetch of one does not
   *  count as a fetch without a hint (own-objects.ts). */
  #late({ url: page, timeMs }: Access, wanted: Criteria): Hint[] {
    const { history, nodes, ownObjects } = this.#parts;
    const { client, objectThreshold, limit } = wanted;
    if (client === null) return [];
    const hints: Hint[] = [];
    for (const { url, share: probability } of ownObjects.late(page, objectThreshold)) {
      if (hints.length === limit) break;
      if (!nodes.mayPreload(url)) continue;
      history.offer(client, textHash(url), timeMs);
      hints.push({ url, kind: 'object', probability, navigation: 'current', isLate: true });
    }
    return hints;
  }

  /** Returns the hints for a client. If the holdback withholds hints from it, only those to objects of the
   *  page remain, unless others get the same answer. Records which pages are hinted to the client, or would be. */
  #heldBackOrNot(
    holdback: Holdback,
    access: Access,
    wanted: Criteria & { client: string },
  ): Hint[] {
    const { choice } = this.#parts;
    const { client, isShared, kind } = wanted;
    const isHeldBack = holdback.armOf(client) === 'heldBack';
    const forNobody = kind === 'object' ? [] : choice.hintsFor(access, { ...wanted, client: null });
    const pages = forNobody.filter((hint) => hint.kind === 'document').map(({ url }) => url);
    holdback.offered(client, access.url, pages, access.timeMs);
    if (isShared) {
      const hints = choice.hintsFor(access, { ...wanted, client: isHeldBack ? null : client });
      for (const hint of hints) if (!isOfThisPage(hint)) hint.byRulesOnly = true;
      return hints;
    }
    if (!isHeldBack) return choice.hintsFor(access, wanted);
    return kind === 'document'
      ? []
      : choice.hintsFor(access, { ...wanted, kind: 'object' }).filter(isOfThisPage);
  }

  /** Adds a hint to the page's largest image, even beyond the limit, as it is fetched anyway, only later. The image's
   *  URL must have been learned. */
  #addLargest(hints: Hint[], { url: page, timeMs }: Access, wanted: Criteria): void {
    const { history, nodes } = this.#parts;
    const { client, objectThreshold, mayPreload } = wanted;
    const largest = this.#parts.largest.winnerOf(page);
    if (largest === null || !(largest.share > objectThreshold)) return;
    const { choice: url, share: probability } = largest;
    if (mayPreload?.(url) === false) return;
    const how = { navigation: 'current', isLargest: true } as const;
    const known = hints.find((hint) => hint.url === url);
    if (known !== undefined) Object.assign(known, how);
    else if (nodes.mayPreload(url)) {
      if (client !== null) history.offer(client, textHash(url), timeMs);
      hints.push({ url, kind: 'object', probability, ...how });
    }
  }
}

export interface Criteria {
  /** Pseudonym of the client for which the hints are counted; null: no particular client. */
  client: string | null;
  /** True if a cache gives this answer to other clients, too. If hints are withheld from some visitors (holdback), all
   *  hints but those to objects of the shown page are then marked as for speculation rules alone (`byRulesOnly`). */
  isShared: boolean;
  /** Which URLs are hinted: documents or embedded objects; undefined: both. */
  kind: AccessKind | undefined;
  /** Documents with a probability above this are hinted; from 1 on, none is. */
  threshold: number;
  /** Objects with a probability above this are hinted; from 1 on, none is. */
  objectThreshold: number;
  /** Largest number of hints (i); null: no limit. */
  limit: number | null;
  /** How many hints of the `limit` are reserved for objects that browsers find late (in style sheets); absent: none. */
  reservedForLate?: number;
  /** Returns false for an object of the shown page that is not to be preloaded; absent: all may be preloaded. */
  mayPreload?: (url: string) => boolean;
  /** If set, adds pages that browsers fetch once the pointer rests on their link; with `isOtherwise` only if no page is
   *  above the threshold. */
  forRules?: { moderateFrom: number; most: number; isOtherwise: boolean } | undefined;
}

/** The order of the kinds of hints (`hintRank`) if only objects are asked for: objects of the shown page come first. In
 *  the usual order they come last, so that they take no place from a next page. */
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

  /** @param maxWasteBytes limit on the bytes prefetched in vain for each document that is opened; null: no limit */
  constructor(predictor: NodePredictor, history: HintHistory, maxWasteBytes: number | null = null) {
    this.#predictor = predictor;
    this.#history = history;
    this.#maxWasteBytes = maxWasteBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Returns the predictions that become hints, at most `wanted.limit`. @param access the request for the page */
  hintsFor(access: Access, wanted: Criteria): Hint[] {
    const { kind, threshold, objectThreshold, forRules } = wanted;
    const most = wanted.limit ?? Number.POSITIVE_INFINITY;
    const mostWithObjects = Math.max(0, most - (wanted.reservedForLate ?? 0));
    const ranks = kind === 'object' ? ownObjectsFirst : hintRanks;
    const least = Math.min(leastThreshold(wanted), forRules?.moderateFrom ?? 1);
    const found = this.#predictor.predict(access, {
      threshold: least,
      limit: null,
      ...(kind && { kind }),
    });
    const likely = found.filter(
      (each) => each.probability > (each.kind === 'object' ? objectThreshold : threshold),
    );
    const hints: Hint[] = [];
    for (const rank of ranks) {
      for (const each of likely) {
        if (hintRank(each.kind, each.navigation) !== rank) continue;
        if (hints.length >= (each.kind === 'object' ? mostWithObjects : most)) continue;
        const hint = this.#hintOf(each, access, wanted);
        if (hint !== null) hints.push(hint);
      }
    }
    const isAnswered = forRules?.isOtherwise === true && hints.some(isPage);
    if (forRules !== undefined && !isAnswered) addForRules(hints, access.url, found, forRules);
    return hints.sort((one, other) => other.probability - one.probability);
  }

  /** Returns a prediction as a hint, and records that the client gets this hint; null if it may not be hinted. */
  #hintOf(prediction: Prediction, page: Access, { client, mayPreload }: Criteria): Hint | null {
    const { url, kind, navigation } = prediction;
    if (url === page.url || originOf(url) !== originOf(page.url)) return null;
    if (!this.#isWorth(prediction)) return null;
    if (kind === 'document' && this.#predictor.isTooEarly(page.url, url)) return null;
    if (navigation === 'current' && mayPreload?.(url) === false) return null;
    if (client !== null) this.#history.offer(client, textHash(url), page.timeMs);
    return prediction;
  }

  /** Returns whether prefetching the document is worth its bytes: of its prefetches the share p is opened, so for each
   *  opened one (1 - p) / p are wasted, whose bytes must be within the limit. */
  #isWorth({ url, kind, probability: p }: Prediction): boolean {
    if (kind === 'object') return true;
    return this.#predictor.bytesOf(url) * (1 - p) <= this.#maxWasteBytes * p;
  }
}

/**
 * Adds pages that cost nothing until the pointer rests on their link: below the threshold, beyond the limit, of any
 * size. They are not recorded as hints to the client, which may never fetch them.
 */
function addForRules(
  hints: Hint[],
  page: string,
  found: readonly Prediction[],
  { moderateFrom, most }: NonNullable<Criteria['forRules']>,
): void {
  const known = new Set(hints.map(({ url }) => url)).add(page);
  const others = found.filter(
    ({ url, kind, probability }) =>
      kind === 'document' &&
      probability > moderateFrom &&
      !known.has(url) &&
      originOf(url) === originOf(page),
  );
  for (const { url, kind, probability } of others.slice(0, most)) {
    hints.push({ url, kind, probability, byRulesOnly: true });
  }
}
