// Summarizes several loads of one page: the median, minimum and maximum of each figure. Of a few runs, the extremes say
// more than a standard deviation.

import type { PageLoad, PageTiming, PageTotals } from '../page-load.ts';
import { milestones } from './phases.ts';
import { painter, type TerminalOptions } from './terminal.ts';
import { formatBytes, formatCount, formatMs, roundMs } from './units.ts';

export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** Median, minimum and maximum of each figure; null: the figure is missing in some run. */
type Spreads<Figures> = { [Name in keyof Figures]: Spread | null };

export interface RunsSummary {
  runs: number;
  timing: Spreads<PageTiming>;
  totals: Spreads<PageTotals>;
}

/** Summarizes several loads of one page. @throws RangeError if there are no loads. */
export function summaryOfRuns(loads: readonly PageLoad[]): RunsSummary {
  if (loads.length === 0) throw new RangeError('summaryOfRuns needs a load at least');
  return {
    runs: loads.length,
    timing: spreads(loads.map(({ timing }) => timing)),
    totals: spreads(loads.map(({ totals }) => totals)),
  };
}

/** Returns the run with the median time; of two in the middle, the faster. Runs that did not load count as slowest. */
export function medianRun(loads: readonly PageLoad[]): PageLoad {
  const time = ({ timing }: PageLoad) => timing.completeMs ?? Number.POSITIVE_INFINITY;
  const sorted = loads.toSorted((one, other) => time(one) - time(other));
  return sorted[(sorted.length - 1) >> 1] as PageLoad;
}

function spreads<Figures extends PageTiming | PageTotals>(
  all: readonly Figures[],
): Spreads<Figures> {
  const names = Object.keys(all[0] as Figures) as (keyof Figures)[];
  return Object.fromEntries(
    names.map((name) => [name, spreadOf(all.map((one) => one[name] as number | null))]),
  ) as Spreads<Figures>;
}

export function spreadOf(values: readonly (number | null)[]): Spread | null {
  const known = values.filter((value) => value !== null).toSorted((one, other) => one - other);
  const [min] = known;
  if (known.length < values.length || min === undefined) return null;
  const at = (place: number) => known[place] as number;
  const last = known.length - 1;
  const median = (at(Math.floor(last / 2)) + at(Math.ceil(last / 2))) / 2;
  return { median: roundMs(median), min: roundMs(min), max: roundMs(at(last)) };
}

/** Renders a summary of runs as a table; no line is longer than 60 characters. */
export function renderRuns(
  { runs, timing, totals }: RunsSummary,
  { color }: Pick<TerminalOptions, 'color'>,
): string {
  const paint = painter(color);
  const rows: [string, Spread | null, (value: number) => string][] = [
    ['requests', totals.requests, formatCount],
    ['connections', totals.connections, formatCount],
    ['batches', totals.batches, formatCount],
    ['transferred', totals.transferBytes, formatBytes],
    ['errors', totals.errors, formatCount],
  ];
  for (const { key, name } of milestones) rows.push([name, timing[key], formatMs]);
  const head = `${`${runs} runs`.padEnd(12)}${['median', 'smallest', 'largest'].map((word) => word.padStart(11)).join('')}`;
  const lines = rows.map(([name, spread, format]) => {
    const cells =
      spread === null ? ['-', '-', '-'] : [spread.median, spread.min, spread.max].map(format);
    const [median = '', ...extremes] = cells.map((cell) => cell.padStart(11));
    return `${name.padEnd(12)}${paint('bold', median)}${extremes.join('')}`;
  });
  return `${[paint('dim', head), ...lines].join('\n')}\n`;
}
