// Describes in sentences what prefetching saved and cost in walks: time and traffic side by side, wasted prefetches,
// and the limits of the figures.

import type { WalkPair, WalkRecord, WalkTotals } from '../../walk/walk-record.ts';
import { formatBytes, formatMs, plural } from '../units.ts';
import { type PairTotals, walkSavings } from './savings.ts';

/** Describes walks. @returns sentences, one per line, not wrapped */
export function walkWords(pairs: readonly WalkPair[], totals: PairTotals): string[] {
  const { without, with: with_ } = totals;
  const lines: string[] = [];
  if (without !== undefined && with_ !== undefined) {
    const compared = with_.prefetchRequests > 0;
    const { time, traffic } = compared
      ? walkSavings(without, with_)
      : { time: null, traffic: null };
    lines.push(
      `Waited ${formatMs(with_.timeMs)} instead of ${formatMs(without.timeMs)}${change(time === null ? null : -time)}.`,
      `Traffic ${formatBytes(with_.trafficBytes)} instead of ${formatBytes(without.trafficBytes)}${change(traffic)}.`,
    );
  } else {
    const one = without ?? with_;
    if (one === undefined) return [];
    lines.push(`Waited ${formatMs(one.timeMs)}; ${formatBytes(one.trafficBytes)} came.`);
  }
  if (with_ !== undefined) lines.push(...spent(with_, without !== undefined));
  lines.push(...endings(pairs), ...leftOut(totals));
  if (without !== undefined && with_ !== undefined && with_.prefetchRequests > 0) {
    lines.push(
      'Each was walked once, first without prefetching and then with it, from an empty cache: a difference of a few per cent, or of some ten milliseconds, is chance.',
    );
  }
  return lines;
}

/** States which walks were ended by a limit. */
function endings(pairs: readonly WalkPair[]): string[] {
  const records = pairs.flatMap((pair) => [pair.without ?? [], pair.with ?? []].flat());
  const endedBy = (bound: WalkRecord['endedBy'], why: string) => {
    const { length } = records.filter((record) => record.endedBy === bound);
    return length === 0 ? [] : [`${plural(length, 'walk')} ended early: ${why}.`];
  };
  return [
    ...endedBy('maxPages', 'no more pages were allowed'),
    ...endedBy('maxTimeMs', 'the time was over'),
  ];
}

function leftOut({ without, with: with_, leftOut: pages }: PairTotals): string[] {
  if (pages === 0) return [];
  const where = without !== undefined && with_ !== undefined ? ' in both walks' : '';
  const are = pages === 1 ? 'it is' : 'they are';
  return [`${plural(pages, 'page')} did not load${where}: ${are} left out of the sums of times.`];
}

function spent(totals: WalkTotals, isBeside: boolean): string[] {
  const { prefetchRequests, prefetchBytes, usedBytes, wastedBytes } = totals;
  if (prefetchRequests === 0) {
    const chance = isBeside ? ' What differs is chance.' : '';
    return [`Nothing was prefetched: no page hinted at another.${chance}`];
  }
  const requests = plural(prefetchRequests, 'request');
  return [
    `Prefetched ${formatBytes(prefetchBytes)} in ${requests}: ${formatBytes(usedBytes)} were used, ${formatBytes(wastedBytes)} were wasted.`,
  ];
}

/** Formats a change of -0.12 as `: 12 % less`; '' for null. */
function change(share: number | null): string {
  if (share === null) return '';
  const size = formatPercent(Math.abs(share));
  if (size === '0') return ': as much';
  return `: ${size} % ${share < 0 ? 'less' : 'more'}`;
}

/** Formats a fraction of 0.12 as `12`, and never gives `-0`. */
export function formatPercent(share: number): string {
  return (share * 100).toFixed(0).replace(/^-0$/, '0');
}
