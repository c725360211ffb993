// Describes what hints would do for visitors' clicks, in words for one setting and as a table for several; pure.

import type { PageFigures } from '../page-clicks.ts';
import type { SimulationPoint } from '../simulate.ts';
import { formatCount, wrapped } from './table.ts';

export type PagePoint = SimulationPoint & { pages: PageFigures };

/** Describes a point in sentences. */
export function describePages(
  { clicks, hintedClicks, hints, unusedHints, byteIncrease }: PageFigures,
  columns: number,
): string[] {
  if (clicks === 0) return wrapped('no visitor clicked from one page to another', columns);
  const used = hints - unusedHints;
  return [
    `of 100 clicks to another page, ${whole(hintedClicks, clicks)} were hinted before (${formatCount(hintedClicks)} of ${formatCount(clicks)})`,
    hints === 0
      ? 'no page was hinted'
      : `of 100 hinted pages, ${whole(used, hints)} were opened (${formatCount(unusedHints)} of ${formatCount(hints)} in vain)`,
    `hinted pages that nobody opened: ${percent(byteIncrease, 1)} of all bytes`,
  ].flatMap((line) => wrapped(line, columns));
}

/** A table with one line for each point. */
export function renderPages(points: readonly PagePoint[], columns: number): string {
  const rows = points.map(({ predictor, window, threshold, limit, pages }) => [
    predictor,
    String(window),
    String(threshold),
    limit === null ? 'inf' : String(limit),
    percent(share(pages.hintedClicks, pages.clicks), 1),
    percent(share(pages.hints - pages.unusedHints, pages.hints), 0),
    `+${percent(pages.byteIncrease, 1)}`,
  ]);
  const table = [['predictor', 'w', 'p', 'i', 'hinted', 'opened', 'bytes'], ...rows];
  const widths = (table[0] as string[]).map((_, column) =>
    Math.max(...table.map((row) => (row[column] as string).length)),
  );
  const lines = table.map((row) =>
    row
      .map((cell, column) =>
        column === 0
          ? cell.padEnd(widths[column] as number)
          : cell.padStart(widths[column] as number),
      )
      .join('  '),
  );
  return [
    ...lines,
    '',
    ...wrapped('hinted  share of the clicks to another page that were hinted before', columns),
    ...wrapped('opened  share of the hinted pages that were opened', columns),
    ...wrapped('bytes   hinted pages that nobody opened, of all bytes sent', columns),
  ].join('\n');
}

function share(part: number, of: number): number {
  return of === 0 ? 0 : part / of;
}

function whole(part: number, of: number): number {
  return Math.round(100 * share(part, of));
}

function percent(value: number, digits: number): string {
  return `${(100 * value).toFixed(digits)} %`;
}
