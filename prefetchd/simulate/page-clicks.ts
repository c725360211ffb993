// Counts what the owner of a site wants to know about hints: how many clicks to another page had been hinted, how many
// hinted pages nobody opened, and how many bytes these cost. It follows people's visits; a visit ends after half an
// hour without requests, and a click opens a page that is new to the visit, after another page of the visit.
//
// A hint is its position in the list of pages at an access, and the number of thresholds that its probability exceeds.
// A point gives the hint if its p is one of these and the position is below its i, so all points share stored hints.

import type { RankAdvice } from './advice.ts';

/** Figures of one point. */
export interface PageFigures {
  /** Clicks to a page that is new to the visit. */
  clicks: number;
  /** Clicks to a page that was hinted before in the visit. */
  hintedClicks: number;
  /** Pages hinted, each counted once per visit. */
  hints: number;
  /** Hinted pages that were not opened in the visit. */
  unusedHints: number;
  /** Bytes of unused hints / `bytes`. */
  byteIncrease: number;
  /** All bytes that people were sent: pages and their embedded objects. */
  bytes: number;
}

interface ClickPoint {
  /** Index of the point's p among the thresholds. */
  cut: number;
  /** i, the most hints per access. */
  limit: number;
}

/** Marks a page of a visit that is no longer hinted, because it was opened. */
const opened = null;

/** Number of thresholds below the probability of a hint, and its position in the list. */
type HintOffer = [level: number, position: number];

interface SimulatedVisit {
  lastMs: number;
  pages: number;
  readonly offers: Map<number, { bytes: number; offers: HintOffer[] } | typeof opened>;
}

interface ClickTally {
  hintedClicks: number;
  hints: number;
  unusedHints: number;
  unusedBytes: number;
}

const gapMs = 30 * 60_000;

export class PageClicks {
  readonly #points: readonly ClickPoint[];
  readonly #tallies: readonly ClickTally[];
  /** Visit of each client slot. */
  readonly #visits: Array<SimulatedVisit | undefined> = [];
  #clicks = 0;
  #bytes = 0;

  constructor(points: readonly ClickPoint[]) {
    this.#points = points;
    this.#tallies = points.map(() => ({
      hintedClicks: 0,
      hints: 0,
      unusedHints: 0,
      unusedBytes: 0,
    }));
  }

  /** Called when the client in `slot` opens a document. @param isPage false for a file, such as a PDF: opening it is no
   *  click, and no click can follow from it, but a hint for it was used @param bytes transferred for the document */
  open(slot: number, page: number, isPage: boolean, bytes: number, nowMs: number): void {
    const visit = this.#visitOf(slot, nowMs);
    const offered = visit.offers.get(page);
    const isClick = isPage && visit.pages > 0 && offered !== opened;
    if (isPage) visit.pages++;
    visit.offers.set(page, opened);
    this.#bytes += bytes;
    if (isClick) this.#clicks++;
    if (offered == null) return;
    for (const tally of this.#givenBy(offered.offers)) {
      tally.hints++;
      if (isClick) tally.hintedClicks++;
    }
  }

  /** Called when the client in `slot` fetches an object. @param bytes transferred for the object */
  stay(slot: number, bytes: number, nowMs: number): void {
    this.#bytes += bytes;
    const visit = this.#visits[slot];
    if (visit !== undefined && nowMs - visit.lastMs <= gapMs) visit.lastMs = nowMs;
  }

  /** Adds the pages hinted at the access in `row` to the visit in `slot`. */
  offer(
    slot: number,
    row: number,
    { begins, ends }: RankAdvice,
    files: Int32Array,
    bytes: Float64Array,
  ): void {
    const offers = this.#visits[slot]?.offers;
    if (offers === undefined) return;
    const begin = begins[row] as number;
    let level = ends.length;
    for (let at = begin; ; at++) {
      while (level > 0 && ((ends[level - 1] as Int32Array)[row] as number) <= at) level--;
      if (level === 0) return;
      const file = files[at] as number;
      const known = offers.get(file);
      if (known === opened) continue;
      if (known === undefined) {
        offers.set(file, { bytes: bytes[at] as number, offers: [[level, at - begin]] });
      } else if (!known.offers.some(([l, p]) => l >= level && p <= at - begin)) {
        known.offers.push([level, at - begin]);
      }
    }
  }

  /** Called when the slot passes to another client. */
  forget(slot: number): void {
    this.#closeVisit(this.#visits[slot]);
    this.#visits[slot] = undefined;
  }

  /** Ends all visits. @returns the figures of each point */
  finish(): PageFigures[] {
    for (let slot = 0; slot < this.#visits.length; slot++) this.forget(slot);
    return this.#tallies.map(({ hintedClicks, hints, unusedHints, unusedBytes }) => ({
      clicks: this.#clicks,
      hintedClicks,
      hints,
      unusedHints,
      byteIncrease: this.#bytes === 0 ? 0 : unusedBytes / this.#bytes,
      bytes: this.#bytes,
    }));
  }

  #visitOf(slot: number, nowMs: number): SimulatedVisit {
    let visit = this.#visits[slot];
    if (visit === undefined || nowMs - visit.lastMs > gapMs) {
      this.#closeVisit(visit);
      visit = { lastMs: nowMs, pages: 0, offers: new Map() };
      this.#visits[slot] = visit;
    }
    visit.lastMs = nowMs;
    return visit;
  }

  #closeVisit(visit: SimulatedVisit | undefined): void {
    for (const offered of visit?.offers.values() ?? []) {
      if (offered === opened) continue;
      for (const tally of this.#givenBy(offered.offers)) {
        tally.hints++;
        tally.unusedHints++;
        tally.unusedBytes += offered.bytes;
      }
    }
  }

  /** The points that gave any of these hints. */
  *#givenBy(offers: readonly HintOffer[]): Generator<ClickTally> {
    for (const [index, { cut, limit }] of this.#points.entries()) {
      if (offers.some(([level, position]) => cut < level && position < limit)) {
        yield this.#tallies[index] as ClickTally;
      }
    }
  }
}
