// Draws the bars of a walk's timeline: each page as network and cache time, the stay after it, and the prefetches
// during the stay. A page of no measurable duration is still visible.

import type { WalkedLoad, WalkedPage, WalkRecord } from '../../walk/walk-record.ts';
import { clipMiddle, printableText, printableUrl } from '../printable.ts';
import type { TimeFrame } from '../svg-axis.ts';
import { plate, xOf } from '../svg-axis.ts';
import type { Svg } from '../svg-markup.ts';
import { element, label, text } from '../svg-markup.ts';
import { widthOf } from '../text-width.ts';
import { formatBytes, formatMs, plural } from '../units.ts';

export const barHeight = 15;
/** Size of the cross for a page that did not load. */
export const crossPx = 8;
const prefetchHeight = 6;
const leastPx = 2.5;

export interface Bar {
  frame: TimeFrame;
  y: number;
  height: number;
}

/** Draws a page: first its network time, then the rest of its time. */
export function pageBar(load: WalkedLoad, startMs: number, { frame, y, height }: Bar): Svg[] {
  const timeMs = load.timeMs ?? 0;
  const left = xOf(frame, startMs);
  const width = Math.max(leastPx, xOf(frame, startMs + timeMs) - left);
  if (load.error !== null) {
    const middle = y + height / 2;
    const d = `M${left.toFixed(2)} ${middle - crossPx / 2}l8 8m0 -8l-8 8`;
    return [element('path', { class: 'cross', d })];
  }
  const share = timeMs === 0 ? 0 : Math.min(1, load.networkMs / timeMs);
  const bar = (cssClass: string, x: number, wide: number) =>
    wide <= 0.3 ? [] : [element('rect', { class: cssClass, x, y, width: wide, height })];
  return [
    ...bar('net', left, width * share),
    ...bar('hit', left + width * share, width * (1 - share)),
  ];
}

/** Draws one walk over time. */
export function lane(record: WalkRecord, { frame, y }: Omit<Bar, 'height'>): Svg[] {
  const { pages } = record;
  let labelEnd = Number.NEGATIVE_INFINITY;
  return pages.map((page, index) => {
    const stayMs = stayStartMs(pages, index);
    const [from, to] = [xOf(frame, stayMs), xOf(frame, stayMs + page.thinkMs)];
    const left = xOf(frame, page.startedAtMs);
    const number = String(index + 1);
    const isLabelled = left >= labelEnd;
    if (isLabelled) labelEnd = left + widthOf(number, 10) + 5;
    return element(
      'g',
      {},
      element('title', {}, text(tooltip(page, index, record.prefetched))),
      element('rect', {
        class: 'stay',
        x: from,
        y: y + barHeight / 2 - 1,
        width: Math.max(0, to - from),
        height: 2,
      }),
      ...prefetchBar(page, stayMs, frame, y),
      ...pageBar(page.load, page.startedAtMs, { frame, y, height: barHeight }),
      ...(isLabelled
        ? [plate(left, y - 3, number), label(left, y - 3, { class: 'small muted num' }, number)]
        : []),
    );
  });
}

function prefetchBar({ prefetch }: WalkedPage, stayMs: number, frame: TimeFrame, y: number): Svg[] {
  if (prefetch.requests === 0) return [];
  const x = xOf(frame, stayMs);
  const width = Math.max(leastPx, xOf(frame, stayMs + prefetch.timeMs) - x);
  const at = { x, y: y + barHeight + 2, width, height: prefetchHeight };
  return [element('rect', { class: 'pre', ...at })];
}

/** Start of the stay on a page, ms since the walk's start. The stay ends where the next page begins. */
function stayStartMs(pages: readonly WalkedPage[], index: number): number {
  const { startedAtMs, thinkMs, load } = pages[index] as WalkedPage;
  const next = pages[index + 1];
  return next === undefined ? startedAtMs + (load.timeMs ?? 0) : next.startedAtMs - thinkMs;
}

export function endMsOf({ pages }: WalkRecord): number {
  const last = pages.at(-1);
  return last === undefined ? 0 : stayStartMs(pages, pages.length - 1) + last.thinkMs;
}

function tooltip(page: WalkedPage, index: number, prefetched: boolean): string {
  const { load, prefetch, used, thinkMs } = page;
  const lines = [`${index + 1}. ${clipMiddle(printableUrl(page.url), 300)}`];
  if (load.error !== null) {
    lines.push(`${load.error.code}: ${clipMiddle(printableText(load.error.message), 300)}`);
  }
  lines.push(`complete after ${formatMs(load.timeMs)}, ${formatMs(load.networkMs)} on the network`);
  lines.push(`${plural(load.requests, 'request')}, ${formatBytes(load.bytes)}`);
  lines.push(`${load.hits} from the cache without asking, ${load.notModified} not modified`);
  if (prefetched) {
    lines.push(`${formatBytes(used.bytes)} of it had been prefetched`);
    lines.push(
      `stayed ${formatMs(thinkMs)}; prefetched ${formatBytes(prefetch.bytes)} in ${plural(prefetch.requests, 'request')}`,
    );
  } else lines.push(`stayed ${formatMs(thinkMs)}`);
  return lines.join('\n');
}
