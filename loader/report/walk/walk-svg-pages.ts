// Draws the time of each page without prefetching (upper bar) and with it (lower bar) on one scale; for several
// clients, the total time of each.

import type { WalkedLoad, WalkPair, WalkRecord } from '../../walk/walk-record.ts';
import { printableText, printableUrl } from '../printable.ts';
import { type TimeFrame, xOf } from '../svg-axis.ts';
import type { Svg } from '../svg-markup.ts';
import { element, label } from '../svg-markup.ts';
import { clipToWidth } from '../text-width.ts';
import { formatMs } from '../units.ts';
import { crossPx, pageBar } from './walk-svg-bars.ts';

export interface PageFrame {
  top: number;
  left: number;
  right: number;
  width: number;
}

const rowHeight = 27;
const thin = 8;
const headHeight = 26;
const chartLeft = 330;
/** Width of the labels with times beside the bars. */
const labelWidth = 70;
const mostRows = 60;

interface Compared {
  name: string;
  without: WalkedLoad | null;
  with: WalkedLoad | null;
}

export function comparisonHeight(pairs: readonly WalkPair[]): number {
  const rows = rowsOf(pairs).length;
  const shown = Math.min(mostRows, rows);
  return headHeight + shown * rowHeight + (rows > shown ? 16 : 0);
}

export function comparedPages(pairs: readonly WalkPair[], place: PageFrame): Svg[] {
  const rows = rowsOf(pairs);
  const shown = rows.slice(0, mostRows);
  const top = place.top + headHeight;
  const times = shown.flatMap((row) => [row.without?.timeMs ?? 0, row.with?.timeMs ?? 0]);
  const endMs = Math.max(...times, 0) || 1;
  const right = place.right - labelWidth;
  const bottom = top + shown.length * rowHeight;
  const frame: TimeFrame = { left: chartLeft, right, top, bottom, endMs };
  const what = pairs.length > 1 ? 'Time each client waited' : 'Time of each page';
  const left = rows.length - shown.length;
  return [
    label(place.left, place.top + 8, { class: 'h2' }, what),
    label(
      chartLeft,
      place.top + 8,
      { class: 'small muted' },
      'upper bar: without prefetching, lower bar: with',
    ),
    ...shown.flatMap((row, index) => renderRow(row, index, frame, place)),
    ...(left > 0
      ? [label(place.left, bottom + 13, { class: 'small muted' }, `and ${left} more`)]
      : []),
  ];
}

function renderRow(row: Compared, index: number, frame: TimeFrame, place: PageFrame): Svg[] {
  const y = frame.top + index * rowHeight;
  const name = clipToWidth(`${index + 1}. ${row.name}`, chartLeft - place.left - 12, 11);
  const bars: Array<[load: WalkedLoad | null, y: number]> = [
    [row.without, y + 4],
    [row.with, y + 15],
  ];
  return [
    ...(index % 2 === 0
      ? [element('rect', { class: 'stripe', x: 0, y, width: place.width, height: rowHeight })]
      : []),
    label(place.left, y + 17, {}, name),
    ...bars.flatMap(([load, at]) => {
      if (load === null) return [];
      const [words, end] =
        load.error === null
          ? [formatMs(load.timeMs), Math.max(xOf(frame, load.timeMs ?? 0), frame.left + 2)]
          : ['failed', frame.left + crossPx];
      return [
        ...pageBar(load, 0, { frame, y: at, height: thin }),
        label(end + 5, at + 8, { class: 'small num muted' }, words),
      ];
    }),
  ];
}

function rowsOf(pairs: readonly WalkPair[]): Compared[] {
  const [only] = pairs;
  if (only === undefined) return [];
  if (pairs.length > 1) {
    return pairs.map((pair) => ({
      name: printableText(pair.name),
      without: summed(pair.without),
      with: summed(pair.with),
    }));
  }
  const pages = [only.without?.pages ?? [], only.with?.pages ?? []].toSorted(
    (a, b) => b.length - a.length,
  )[0];
  return (pages ?? []).map(({ url }, index) => {
    const { pathname, search } = new URL(url);
    return {
      name: printableUrl(pathname + search),
      without: only.without?.pages[index]?.load ?? null,
      with: only.with?.pages[index]?.load ?? null,
    };
  });
}

/** Totals of a walk, in the form of one page. */
function summed(record: WalkRecord | null): WalkedLoad | null {
  if (record === null) return null;
  const bytes = record.pages.reduce((sum, { load }) => sum + load.bytes, 0);
  return { ...record.totals, bytes, error: null };
}
