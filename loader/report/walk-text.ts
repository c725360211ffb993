// Formats walks (visits of several pages in turn) for a terminal: a table of what prefetching gained and one of what it
// cost, with a row per page of one client or per client of several, and sentences on gain and cost. A figure that walks
// without and with prefetching have takes two columns, the second of which is headed `with`.
//
// Guarantee: the only control characters are those of our colours and newlines. With up to a hundred thousand
// connections, tables fit into 80 columns; long names are shortened.

import type { WalkedPage, WalkPair, WalkTotals } from '../walk/walk-record.ts';
import { clipMiddle, inert, printableText, printableUrl, wrapText } from './printable.ts';
import {
  type Paint,
  painter,
  type TerminalOptions,
  terminalOptions,
  textTable,
} from './terminal.ts';
import { formatBytes, formatCount, formatMs, plural } from './units.ts';
import { leastTimeMs, type PairTotals, pairTotals, walkSavings } from './walk-json.ts';

/** The figures of one page or of a whole walk (several pages loaded in turn). */
interface Figures extends Pick<WalkTotals, 'networkMs' | 'hits' | 'connections'> {
  /** Time until the page was complete, ms; null if the page did not load. */
  timeMs: number | null;
  stayMs: number;
  prefetched: number;
  used: number;
  wasted: number;
  addedTraffic: number | null;
}

/** A row of the tables: figures of a page or client without and with prefetching; null: not loaded in that case. */
interface WalkRow {
  name: string;
  without: Figures | null;
  with: Figures | null;
}

interface WalkColumn {
  name: string;
  meaning: string;
  of: (row: WalkRow) => string;
}

const leastName = 4;

/** Renders walks (visits of several pages in turn) as lines, each ending with a newline. @throws LoaderError
 *  `invalid-option` */
export function renderWalks(pairs: readonly WalkPair[], options: TerminalOptions): string {
  const { columns, color } = terminalOptions(options);
  const paint = painter(color);
  const [only] = pairs.length === 1 ? pairs : [];
  const rows = only ? pageRows(only) : pairs.map((pair) => sumRow(clientName(pair), [pair]));
  const sum = sumRow('sum', pairs);
  const totals = pairTotals(pairs);
  const tables = tablesOf(sum, (totals.with?.prefetchRequests ?? 0) > 0);
  const meanings = new Set(tables.flat().map(({ name, meaning }) => `${name}: ${meaning}`));
  const wrapped = (lines: Iterable<string>) =>
    [...lines].flatMap((line) => wrapText(line, columns));
  const lines = [
    ...(only?.name ? [clipMiddle(printableText(only.name), columns), ''] : []),
    ...tables.flatMap((table) => [
      ...tableLines(table, only ? 'page' : 'client', rows, sum, columns, paint),
      '',
    ]),
    ...wrapped(walkWords(pairs, totals)),
    '',
    ...wrapped(meanings).map((line) => paint('dim', line)),
    '',
  ];
  return inert(lines.join('\n'), { color });
}

/** Returns the columns of two tables: what prefetching gained, and what it cost. */
function tablesOf({ without, with: with_ }: WalkRow, hasPrefetched: boolean): WalkColumn[][] {
  const isBoth = without !== null && with_ !== null;
  const cell = (figures: Figures | null, of: (figures: Figures) => string) =>
    figures === null ? '-' : of(figures);
  const one = (name: string, meaning: string, of: (figures: Figures) => string): WalkColumn[] => [
    { name, meaning, of: (row) => cell(row.with ?? row.without, of) },
  ];
  const both: typeof one = (name, meaning, of) =>
    isBoth
      ? [
          { name, meaning, of: (row) => cell(row.without, of) },
          { name: 'with', meaning: 'the same, with prefetching', of: (row) => cell(row.with, of) },
        ]
      : one(name, meaning, of);
  const ifPrefetched = (columns: WalkColumn[]) => (hasPrefetched ? columns : []);
  const saved = {
    name: 'saved',
    meaning: 'share of the time that prefetching saved',
    of: savedOf,
  };
  return [
    [
      ...both('time', 'until the page was complete', ({ timeMs }) =>
        timeMs === null ? 'failed' : formatMs(timeMs),
      ),
      ...ifPrefetched(isBoth ? [saved] : []),
      ...both('network', 'of that, how long anything of the page was under way', (figures) =>
        figures.timeMs === null ? '-' : formatMs(figures.networkMs),
      ),
      ...both(
        'hits',
        'how much of the page came out of the cache, without asking anybody',
        ({ hits }) => formatCount(hits),
      ),
    ],
    [
      ...one('stay', 'time the visitor stayed before the next page', ({ stayMs }) =>
        formatMs(stayMs),
      ),
      ...ifPrefetched([
        ...one('prefetched', 'fetched while the visitor stayed on this page', ({ prefetched }) =>
          formatBytes(prefetched),
        ),
        ...one('used', 'prefetched before, and used by this page', ({ used }) => formatBytes(used)),
        ...one('wasted', 'prefetched on this page, and used by none', ({ wasted }) =>
          formatBytes(wasted),
        ),
        ...one('added', 'wasted bytes beside those that the page needed: traffic more', (figures) =>
          percent(figures.addedTraffic),
        ),
      ]),
      ...both('connections', 'opened, for the page and for prefetches behind it', (figures) =>
        formatCount(figures.connections),
      ),
    ],
  ];
}

function tableLines(
  table: readonly WalkColumn[],
  what: string,
  rows: readonly WalkRow[],
  sum: WalkRow,
  columns: number,
  paint: Paint,
): string[] {
  const all = rows.length > 1 ? [...rows, sum] : rows;
  const numberWidth = String(rows.length).length;
  const lines = (nameWidth: number) =>
    textTable(
      [
        ['#'.padStart(numberWidth), what, ...table.map(({ name }) => name)],
        ...all.map((row, index) => [
          (row === sum ? '' : String(index + 1)).padStart(numberWidth),
          clipMiddle(row.name, nameWidth),
          ...table.map(({ of }) => of(row)),
        ]),
      ],
      2,
    );
  const [head = ''] = lines(leastName);
  const spare = columns - head.length + what.length;
  return lines(Math.max(leastName, spare)).map((line, index) => {
    const row = all[index - 1];
    if (row === undefined || row === sum) return paint('bold', line);
    const hasFailed = row.without?.timeMs === null || row.with?.timeMs === null;
    return hasFailed ? paint('red', line) : line;
  });
}

function pageRows({ without, with: with_ }: WalkPair): WalkRow[] {
  const isLonger = (without?.pages.length ?? 0) > (with_?.pages.length ?? 0);
  const pages = (isLonger ? without : with_)?.pages ?? [];
  return pages.map(({ url }, index) => {
    const { pathname, search } = new URL(url);
    return {
      name: printableUrl(pathname + search),
      without: figuresOf(without?.pages[index]),
      with: figuresOf(with_?.pages[index]),
    };
  });
}

function figuresOf(page: WalkedPage | undefined): Figures | null {
  if (page === undefined) return null;
  const { load, prefetch, used, addedTraffic, thinkMs } = page;
  return {
    timeMs: load.error === null ? (load.timeMs ?? 0) : null,
    networkMs: load.networkMs,
    hits: load.hits,
    stayMs: thinkMs,
    prefetched: prefetch.bytes,
    used: used.bytes,
    wasted: prefetch.wastedBytes,
    addedTraffic,
    connections: load.connections + prefetch.connections,
  };
}

function clientName({ name, without, with: with_ }: WalkPair): string {
  const pages = (without ?? with_)?.pages.length ?? 0;
  return `${printableText(name)} (${plural(pages, 'page')})`;
}

function sumRow(name: string, pairs: readonly WalkPair[]): WalkRow {
  const totals = pairTotals(pairs);
  const stays = pairs.flatMap((pair) => (pair.with ?? pair.without)?.pages ?? []);
  const stayMs = stays.reduce((sum, { thinkMs }) => sum + thinkMs, 0);
  const of = (all: WalkTotals | null): Figures | null => {
    if (all === null) return null;
    const { prefetchBytes: prefetched, usedBytes: used, wastedBytes: wasted } = all;
    return { ...all, stayMs, prefetched, used, wasted };
  };
  return { name, without: of(totals.without), with: of(totals.with) };
}

function savedOf({ without, with: with_ }: WalkRow): string {
  const [before, after] = [without?.timeMs ?? null, with_?.timeMs ?? null];
  return percent(
    before === null || after === null || before < leastTimeMs ? null : 1 - after / before,
  );
}

/** Says in sentences what prefetching saved and cost: time and traffic side by side, and the limits of the figures. */
function walkWords(pairs: readonly WalkPair[], totals: PairTotals): string[] {
  const { without, with: with_ } = totals;
  const one = without ?? with_;
  if (one === null) return [];
  const isBoth = without !== null && with_ !== null;
  const hasPrefetched = (with_?.prefetchRequests ?? 0) > 0;
  const { time, traffic } = hasPrefetched ? walkSavings(totals) : { time: null, traffic: null };
  const lines = isBoth
    ? [
        `Waited ${formatMs(with_.timeMs)} instead of ${formatMs(without.timeMs)}${change(time === null ? null : -time)}.`,
        `Traffic ${formatBytes(with_.trafficBytes)} instead of ${formatBytes(without.trafficBytes)}${change(traffic)}.`,
      ]
    : [`Waited ${formatMs(one.timeMs)}; ${formatBytes(one.trafficBytes)} came.`];
  if (with_ !== null && hasPrefetched) {
    const { prefetchRequests, prefetchBytes, usedBytes, wastedBytes } = with_;
    const requests = plural(prefetchRequests, 'request');
    lines.push(
      `Prefetched ${formatBytes(prefetchBytes)} in ${requests}: ${formatBytes(usedBytes)} were used, ${formatBytes(wastedBytes)} were wasted.`,
    );
  } else if (with_ !== null) {
    const chance = isBoth ? ' What differs is chance.' : '';
    lines.push(`Nothing was prefetched: no page hinted at another.${chance}`);
  }
  lines.push(...endings(pairs));
  if (totals.leftOut > 0) {
    const where = isBoth ? ' in both walks' : '';
    const are = totals.leftOut === 1 ? 'it is' : 'they are';
    const pages = plural(totals.leftOut, 'page');
    lines.push(`${pages} did not load${where}: ${are} left out of the sums of times.`);
  }
  if (isBoth && hasPrefetched) {
    lines.push(
      'Each was walked once, first without prefetching and then with it, from an empty cache: a difference of a few per cent, or of some ten milliseconds, is chance.',
    );
  }
  return lines;
}

/** Says how many walks (visits of pages in turn) ended early because of the limit `maxPages`; [] if none did. */
function endings(pairs: readonly WalkPair[]): string[] {
  const records = pairs.flatMap((pair) => [pair.without, pair.with]);
  const { length } = records.filter((record) => record?.endedBy === 'maxPages');
  return length === 0 ? [] : [`${plural(length, 'walk')} ended early: no more pages were allowed.`];
}

/** Formats a change of -0.12 as `: 12 % less`; '' for null. */
function change(share: number | null): string {
  if (share === null) return '';
  const size = formatPercent(Math.abs(share));
  if (size === '0') return ': as much';
  return `: ${size} % ${share < 0 ? 'less' : 'more'}`;
}

/** Formats a fraction in percent, with at most three digits; larger values become `>999 %`. */
function percent(share: number | null): string {
  if (share === null) return '-';
  const capped = Math.max(-9.99, Math.min(share, 9.99));
  return `${capped === share ? '' : share > 0 ? '>' : '<'}${formatPercent(capped)} %`;
}

/** Formats a fraction of 0.12 as `12`, and never gives `-0`. */
function formatPercent(share: number): string {
  return (share * 100).toFixed(0).replace(/^-0$/, '0');
}
