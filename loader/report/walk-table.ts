// Walks in a few terminal lines: of one client a row a page, of several a row a client, then what
// prefetching saved and what it cost, in words. The narrower the terminal, the fewer columns; times with
// and without prefetching never go.
//
// Guarantee: no line is longer than `columns` (from 50 up), no control character but our own colour.

import type { WalkedPage, WalkPair, WalkTotals } from '../walk-record.ts';
import { clipMiddle, printableText, printableUrl, wrapText } from './printable.ts';
import type { Paint, TerminalOptions } from './terminal.ts';
import { painter } from './terminal.ts';
import { formatBytes, formatCount, formatMs, plural } from './units.ts';
import { leastTimeMs, type PairTotals, pairTotals } from './walk-savings.ts';
import { formatPercent, walkWords } from './walk-words.ts';

interface Row {
  name: string;
  stay: string;
  without: Figures | undefined;
  with: Figures | undefined;
}

interface Figures {
  time: string;
  timeMs: number;
  hits: number;
  prefetched: number;
  used: number;
}

interface Column {
  name: string;
  of: (row: Row) => string;
  meaning: string;
  /** Of which walk; absent: of both. */
  walk?: 'without' | 'with';
  /** Where lines are too narrow for all, 1 goes first. */
  goes?: number;
}

const leastName = 22;

const columnsOf: readonly Column[] = [
  {
    name: 'stay',
    of: ({ stay }) => stay,
    meaning: 'time the visitor stayed before the next page',
    goes: 1,
  },
  {
    name: 'without',
    of: (row) => row.without?.time ?? '-',
    meaning: 'time until the page was complete, nothing prefetched',
    walk: 'without',
  },
  {
    name: 'cached',
    of: (row) => count(row.without?.hits),
    meaning: 'how much of the page came out of the cache, without asking anybody',
    walk: 'without',
    goes: 2,
  },
  {
    name: 'with',
    of: (row) => row.with?.time ?? '-',
    meaning: 'the same with prefetching',
    walk: 'with',
  },
  {
    name: 'cached',
    of: (row) => count(row.with?.hits),
    meaning: 'how much of the page came out of the cache, without asking anybody',
    walk: 'with',
    goes: 4,
  },
  { name: 'saved', of: saved, meaning: 'share of the time that prefetching saved', goes: 3 },
  {
    name: 'prefetched',
    of: (row) => bytes(row.with?.prefetched),
    meaning: 'fetched while the visitor stayed on this page',
    walk: 'with',
  },
  {
    name: 'used',
    of: (row) => bytes(row.with?.used),
    meaning: 'prefetched before, and used by this page',
    walk: 'with',
  },
];

/** Lines ending in a newline. */
export function renderWalks(
  pairs: readonly WalkPair[],
  { columns, color }: TerminalOptions,
): string {
  const paint = painter(color);
  const totals = pairTotals(pairs);
  const [only] = pairs;
  const rows = pairs.length === 1 && only !== undefined ? pageRows(only) : pairs.map(clientRow);
  const shown = columnsFor([...rows, sumRow(totals)], totals, columns);
  return [
    ...(pairs.length === 1 && only?.name
      ? [clipMiddle(printableText(only.name), columns), '']
      : []),
    ...table(rows, shown, pairs.length === 1 ? 'page' : 'client', totals, columns, paint),
    '',
    ...walkWords(pairs, totals).flatMap((line) => wrapText(line, columns)),
    '',
    ...legend(shown, columns).map((line) => paint('dim', line)),
    '',
  ].join('\n');
}

function pageRows({ without, with: with_ }: WalkPair): Row[] {
  const longer = (with_?.pages.length ?? 0) > (without?.pages.length ?? 0) ? with_ : without;
  return (
    (longer ?? with_)?.pages.map((page, index) => ({
      name: nameOf(page.url),
      stay: formatMs(page.thinkMs),
      without: figuresOf(without?.pages[index]),
      with: figuresOf(with_?.pages[index]),
    })) ?? []
  );
}

function figuresOf(page: WalkedPage | undefined): Figures | undefined {
  if (page === undefined) return undefined;
  const { load, prefetch, used } = page;
  const timeMs = load.timeMs ?? 0;
  const time = load.error === null ? formatMs(load.timeMs) : 'failed';
  return { time, timeMs, hits: load.hits, prefetched: prefetch.bytes, used: used.bytes };
}

function clientRow({ name, without, with: with_ }: WalkPair): Row {
  const pages = without ?? with_;
  return {
    name: `${printableText(name)} (${plural(pages?.pages.length ?? 0, 'page')})`,
    stay: formatMs((pages?.pages ?? []).reduce((sum, { thinkMs }) => sum + thinkMs, 0)),
    without: figuresOfAll(without?.totals),
    with: figuresOfAll(with_?.totals),
  };
}

function figuresOfAll(totals: WalkTotals | undefined): Figures | undefined {
  if (totals === undefined) return undefined;
  const { timeMs, hits, prefetchBytes, usedBytes } = totals;
  return { time: formatMs(timeMs), timeMs, hits, prefetched: prefetchBytes, used: usedBytes };
}

function nameOf(url: string): string {
  const { pathname, search } = new URL(url);
  return printableUrl(pathname + search);
}

/** As many as there is room for, of the walks that there are. */
function columnsFor(rows: readonly Row[], totals: PairTotals, columns: number): Column[] {
  const both = totals.without !== undefined && totals.with !== undefined;
  let shown = columnsOf.filter(({ name, walk }) => {
    if (name === 'saved') return both && (totals.with?.prefetchRequests ?? 0) > 0;
    return walk === undefined || totals[walk] !== undefined;
  });
  const width = () =>
    shown.reduce((sum, column) => sum + 2 + widthOf(column, rows), numberWidth(rows) + 2);
  while (width() + leastName > columns) {
    const next = Math.min(...shown.map(({ goes }) => goes ?? Number.POSITIVE_INFINITY));
    if (next === Number.POSITIVE_INFINITY) break;
    shown = shown.filter(({ goes }) => goes !== next);
  }
  return shown;
}

function numberWidth(rows: readonly Row[]): number {
  return String(rows.length).length;
}

function widthOf({ name, of }: Column, rows: readonly Row[]): number {
  return Math.max(name.length, 7, ...rows.map((row) => of(row).length));
}

function table(
  rows: readonly Row[],
  shown: readonly Column[],
  what: string,
  totals: PairTotals,
  columns: number,
  paint: Paint,
): string[] {
  const widths = shown.map((column) => widthOf(column, [...rows, sumRow(totals)]));
  const lead = numberWidth(rows);
  const room = columns - lead - 2 - widths.reduce((sum, width) => sum + 2 + width, 0);
  const names = rows.map(({ name }) => name.length);
  const nameWidth = Math.max(4, Math.min(room, Math.max(what.length, ...names)));
  const line = (number: string, name: string, cells: readonly string[]) =>
    [
      number.padStart(lead),
      clipMiddle(name, nameWidth).padEnd(nameWidth),
      ...cells.map((cell, index) => cell.padStart(widths[index] as number)),
    ].join('  ');
  const sum = sumRow(totals);
  const cellsOf = (row: Row) => shown.map(({ of }) => of(row));
  return [
    paint(
      'bold',
      line(
        '#',
        what,
        shown.map(({ name }) => name),
      ),
    ),
    ...rows.map((row, index) => {
      const text = line(String(index + 1), row.name, cellsOf(row));
      return hasFailed(row) ? paint('red', text) : text;
    }),
    ...(rows.length > 1 ? [paint('bold', line('', sum.name, cellsOf(sum)))] : []),
  ];
}

function sumRow(totals: PairTotals): Row {
  return {
    name: 'sum',
    stay: '',
    without: figuresOfAll(totals.without),
    with: figuresOfAll(totals.with),
  };
}

function hasFailed(row: Row): boolean {
  return row.without?.time === 'failed' || row.with?.time === 'failed';
}

function saved(row: Row): string {
  if (row.without === undefined || row.with === undefined) return '-';
  if (row.without.timeMs < leastTimeMs) return '-';
  if (hasFailed(row)) return '-';
  return `${formatPercent(1 - row.with.timeMs / row.without.timeMs)} %`;
}

function legend(shown: readonly Column[], columns: number): string[] {
  const seen = new Set<string>();
  return shown.flatMap(({ name, meaning }) => {
    if (seen.has(name)) return [];
    seen.add(name);
    return wrapText(`${name}: ${meaning}`, columns);
  });
}

function count(value: number | undefined): string {
  return value === undefined ? '-' : formatCount(value);
}

function bytes(value: number | undefined): string {
  return value === undefined ? '-' : formatBytes(value);
}
