// Counts what the owner of a site wants to know about hints: how many clicks to another page had been hinted, how many
// hinted pages nobody opened, and how many bytes these cost. It follows people's visits; a visit ends after half an
// hour without requests, and a click opens a page that is new to the visit, after another page of the visit.
//
// A hint is a page's probability and its position in the list of pages at an access. A point gives the hint if its
// threshold is below the probability and its limit above the position, so all points share the hints of a visit.

import type { Candidate } from './advisors.ts';
import { complete, type TraceAccess, type TraceClient, type TraceFile } from './trace.ts';

/** What hints did for clicks to pages, simulated with one combination of a threshold and a limit (a "point"). */
export interface PageFigures {
  /** Clicks to a page that is new to the visit. */
  clicks: number;
  /** Clicks to a page that was hinted before in the visit. */
  hintedClicks: number;
  /** Pages hinted, each counted once per visit. */
  hints: number;
  /** Hinted pages that were not opened in the visit. */
  unusedHints: number;
  /** Bytes of hinted pages that nobody opened / `bytes`. */
  byteIncrease: number;
  /** All bytes that people were sent: pages and their embedded objects. */
  bytes: number;
}

interface ClickPoint {
  /** Pages with a probability above this (p) are hinted. */
  threshold: number;
  /** Largest number of hints per access; null: no limit. */
  limit: number | null;
}

/** The value in `SimulatedVisit.hinted` of a page that was opened in the visit, so later hints to it do not count. */
const opened = null;

interface PageHint {
  probability: number;
  position: number;
}

interface SimulatedVisit {
  lastMs: number;
  pages: number;
  readonly hinted: Map<TraceFile, { bytes: number; hints: PageHint[] } | typeof opened>;
}

interface ClickTally {
  hintedClicks: number;
  hints: number;
  unusedHints: number;
  unusedBytes: number;
}

const gapMs = 30 * 60_000;

export class PageClicks {
  readonly #points: ReadonlyArray<{ point: ClickPoint; tally: ClickTally }>;
  readonly #visits = new Map<TraceClient, SimulatedVisit>();
  #clicks = 0;
  #bytes = 0;

  constructor(points: readonly ClickPoint[]) {
    this.#points = points.map((point) => ({
      point,
      tally: { hintedClicks: 0, hints: 0, unusedHints: 0, unusedBytes: 0 },
    }));
  }

  /** Adds an access of a person to the figures. @param pages the pages that may be hinted at it, most probable first */
  record(access: TraceAccess, pages: readonly Candidate[]): void {
    const { client, file, timeMs } = access;
    if (access.status === complete) this.#bytes += access.bytes;
    const visit = this.#visits.get(client);
    const isOver = visit === undefined || timeMs - visit.lastMs > gapMs;
    if (!isOver) visit.lastMs = timeMs;
    if (!file.isDocument) return;
    if (isOver) this.forget(client);
    const current = isOver ? { lastMs: timeMs, pages: 0, hinted: new Map() } : visit;
    this.#visits.set(client, current);
    this.#open(current, file);
    hintPages(current, pages);
  }

  /** Counts that a file is opened. One that is no page, such as a PDF, is no click, but its hint was used. */
  #open(visit: SimulatedVisit, file: TraceFile): void {
    const hinted = visit.hinted.get(file);
    const isClick = file.isPage && visit.pages > 0 && hinted !== opened;
    if (file.isPage) visit.pages++;
    visit.hinted.set(file, opened);
    if (isClick) this.#clicks++;
    for (const tally of this.#thatGave(hinted?.hints ?? [])) {
      tally.hints++;
      if (isClick) tally.hintedClicks++;
    }
  }

  /** Ends the visit of a client: its hinted pages that were not opened count as unused. */
  forget(client: TraceClient): void {
    for (const hinted of this.#visits.get(client)?.hinted.values() ?? []) {
      for (const tally of this.#thatGave(hinted?.hints ?? [])) {
        tally.hints++;
        tally.unusedHints++;
        tally.unusedBytes += hinted?.bytes ?? 0;
      }
    }
    this.#visits.delete(client);
  }

  /** Ends all visits. @returns the figures of each simulated setting (threshold and limit) */
  finish(): PageFigures[] {
    for (const client of this.#visits.keys()) this.forget(client);
    return this.#points.map(({ tally: { unusedBytes, ...counts } }) => ({
      clicks: this.#clicks,
      ...counts,
      byteIncrease: this.#bytes === 0 ? 0 : unusedBytes / this.#bytes,
      bytes: this.#bytes,
    }));
  }

  /** Yields the tallies of the simulated settings whose threshold and limit allow any of these hints. */
  *#thatGave(hints: readonly PageHint[]): Generator<ClickTally> {
    for (const { point, tally } of this.#points) {
      const { threshold, limit } = point;
      const gave = ({ probability, position }: PageHint) =>
        probability > threshold && (limit === null || position < limit);
      if (hints.some(gave)) yield tally;
    }
  }
}

function hintPages({ hinted }: SimulatedVisit, pages: readonly Candidate[]): void {
  for (const [position, { file, bytes, probability }] of pages.entries()) {
    const known = hinted.get(file);
    if (known === opened) continue;
    if (known === undefined) {
      hinted.set(file, { bytes, hints: [{ probability, position }] });
    } else if (!known.hints.some((hint) => covers(hint, { probability, position }))) {
      known.hints.push({ probability, position });
    }
  }
}

/** Returns whether each point (threshold and limit) that allows the hint `other` also allows `hint`. */
function covers(hint: PageHint, other: PageHint): boolean {
  return hint.probability >= other.probability && hint.position <= other.position;
}
