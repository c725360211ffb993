// Formats the report of a holdback in words and figures, for a terminal of 80 columns.

import { type Comparison, decisiveMeasure, type HoldbackReport, type Measure } from './report.ts';

const titles = ['hints', 'held back', 'difference', '95 % interval'] as const;
const widths = [9, 10, 14, 18] as const;

export function reportText(report: HoldbackReport): string {
  const lines = [headlineOf(report), '', ...explanationOf(report)];
  for (const [at, { device, navigations, measures }] of report.hinted.entries()) {
    const { hinted, heldBack } = navigations;
    const bytes = report.bytesPerPage[at];
    if (device !== 'all' && hinted + heldBack === 0) continue;
    lines.push('', row(`${device}: ${hinted} and ${heldBack}`, titles));
    for (const measure of measures) lines.push(comparisonRow(measure.of, measure));
    if (bytes !== undefined) lines.push(comparisonRow('bytes', bytes));
  }
  return `${lines.join('\n')}\n`;
}

export function headlineOf(report: HoldbackReport): string {
  if (report.isUneven) return 'Not to be trusted: visitors are missing from one of the groups';
  const found = decisiveMeasure(report.hinted[0]);
  if (report.verdict === 'too early' || found === undefined) return 'Too early to say';
  if (report.verdict === 'no difference') return 'No difference was found';
  const what = found.of === 'lcp' ? 'shown' : 'answered';
  const by = `${Math.abs(found.difference ?? 0).toFixed(0)} ms`;
  return `Pages that prefetchd expects are ${what} ${by} ${report.verdict} on average`;
}

/** Returns sentences that say how many visitors were compared, and since when. */
export function explanationOf({ percent, since, visitors, hinted }: HoldbackReport): string[] {
  const { hinted: one = 0, heldBack: other = 0 } = hinted[0]?.navigations ?? {};
  const [withHints, without, people] = [one, other, visitors.hinted + visitors.heldBack].map((n) =>
    n.toLocaleString('en'),
  );
  return [
    `Since ${since.slice(0, 10)}, ${percent} % of the visitors got no hints.`,
    `${withHints} navigations with hints, ${without} without, of ${people} visitors.`,
  ];
}

function comparisonRow(of: Measure['of'] | 'bytes', found: Comparison & { isEarly: boolean }) {
  const { name = of.toUpperCase(), scale, digits, unit, change } = units[of] ?? ofTime;
  const { hinted, heldBack, difference, interval, isEarly } = found;
  const means = [hinted, heldBack].map((value) =>
    value === null ? '–' : `${(scale * value).toFixed(digits)} ${unit}`,
  );
  if (isEarly || difference === null || interval === null) {
    return row(`  ${name}`, [...means, 'too early', '']);
  }
  const signed = (value: number) =>
    `${value > 0 ? '+' : value < 0 ? '−' : ''}${Math.abs(scale * value).toFixed(digits)}`;
  const [low, high] = interval.map(signed);
  return row(`  ${name}`, [...means, `${signed(difference)} ${change}`, `${low} to ${high}`]);
}

interface Unit {
  /** The measure's name in the table; absent: its own name in capitals. */
  name?: string;
  scale: number;
  digits: number;
  unit: string;
  /** Unit of the difference between visitors with hints and visitors from whom they are withheld. */
  change: string;
}

const ofTime: Unit = { scale: 1, digits: 0, unit: 'ms', change: 'ms' };
const units: Readonly<Record<string, Unit>> = {
  instant: {
    name: 'instant (TTFB up to 100 ms)',
    scale: 100,
    digits: 1,
    unit: '%',
    change: 'points',
  },
  bytes: { name: 'bytes per page shown', scale: 0.001, digits: 1, unit: 'kB', change: 'kB' },
};

function row(name: string, cells: readonly string[]): string {
  const padded = cells.map((cell, at) => cell.padStart(widths[at] ?? 0));
  return (name.padEnd(29) + padded.join('')).trimEnd();
}
