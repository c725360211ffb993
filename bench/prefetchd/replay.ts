// Replays a log through the engine as in a service: with its rules, the log's clock, and a request for hints at each
// page before the page is learned. It measures what a site's owner sees: how many clicks to another page had been
// hinted, and how many hinted pages nobody opened.

import type { Access } from '../../prefetchd/access.ts';
import { Engine } from '../../prefetchd/engine/engine.ts';
import type { PrefetchdOptions } from '../../prefetchd/engine/prefetchd-options.ts';
import { readLog } from '../../prefetchd/log/index.ts';

export interface ReplayedLog {
  accesses: readonly Access[];
  /** Clients that fetched something embedded in a page: browsers do, robots rarely. */
  people: ReadonlySet<string>;
}

export interface PageFigures {
  /** Clicks of people to a page that is new to their visit, in the part that is measured. */
  clicks: number;
  /** Of these, those that a page of the visit before had hinted. */
  hinted: number;
  /** Pages hinted to people, each once a visit. */
  given: number;
  /** Bytes of pages that people opened. */
  pageBytes: number;
  /** Bytes of hinted pages that they did not open. */
  wastedBytes: number;
}

/** A visit ends when nothing came for so long. */
const visitGapMs = 30 * 60_000;
/** Of the log, what only teaches. */
const taught = 0.6;

interface Visit {
  lastMs: number;
  pages: number;
  readonly seen: Set<string>;
  /** Bytes of each hinted page, as far as known. */
  readonly hinted: Map<string, number>;
}

export async function replayedLog(path: string): Promise<ReplayedLog> {
  const accesses: Access[] = [];
  for await (const batch of readLog([path])) accesses.push(...batch);
  const objects = accesses.filter(({ kind }) => kind === 'object');
  return { accesses, people: new Set(objects.map(({ client }) => client)) };
}

export async function replay(
  { accesses, people }: ReplayedLog,
  options: PrefetchdOptions,
): Promise<PageFigures> {
  let nowMs = 0;
  await using engine = new Engine({ ...options, now: () => nowMs, load: () => 0 });
  const fromMs = accesses[Math.floor(accesses.length * taught)]?.timeMs ?? 0;
  const visits = new Map<string, Visit>();
  const sizes = new Map<string, number>();
  const figures = { clicks: 0, hinted: 0, given: 0, pageBytes: 0, wastedBytes: 0 };

  const visitOf = (client: string): Visit => {
    let visit = visits.get(client);
    if (visit === undefined || nowMs - visit.lastMs > visitGapMs) {
      visit = { lastMs: nowMs, pages: 0, seen: new Set(), hinted: new Map() };
      visits.set(client, visit);
    }
    visit.lastMs = nowMs;
    return visit;
  };

  const open = ({ client, url, bytes }: Access): void => {
    const visit = visitOf(client);
    if (bytes > 0) sizes.set(url, bytes);
    const counts = nowMs >= fromMs && people.has(client);
    if (counts) {
      figures.pageBytes += bytes;
      const isClick = visit.pages > 0 && !visit.seen.has(url);
      if (isClick) figures.clicks++;
      const hintedBytes = visit.hinted.get(url);
      if (isClick && hintedBytes !== undefined) {
        figures.hinted++;
        figures.wastedBytes -= hintedBytes;
      }
    }
    visit.pages++;
    visit.seen.add(url);
    for (const hint of engine.hints({ url, client, timeMs: nowMs, kind: 'document' })) {
      if (visit.hinted.has(hint.url) || visit.seen.has(hint.url)) continue;
      const hintedBytes = counts ? (sizes.get(hint.url) ?? 0) : 0;
      visit.hinted.set(hint.url, hintedBytes);
      figures.wastedBytes += hintedBytes;
      if (counts) figures.given++;
    }
  };

  for (const access of accesses) {
    nowMs = access.timeMs;
    if (access.kind === 'document') open(access);
    engine.observe(access);
  }
  return figures;
}
