// Formats walks for a terminal: two tables, one of what prefetching gained and one of what it cost, with a row per page
// for one client or a row per client for several, and then both in words. A figure that both walks have takes two
// columns: the second, `with`, is for the walk with prefetching.
//
// Guarantee: the only control characters are those of our colours and newlines. With up to a hundred thousand
// connections, tables fit into 80 columns; long names are shortened.

import type { WalkedPage, WalkPair, WalkTotals } from '../../walk/walk-record.ts';
import { clipMiddle, inert, printableText, printableUrl, wrapText } from '../printable.ts';
import { type Paint, painter, type TerminalOptions } from '../terminal.ts';
import { formatBytes, formatCount, formatMs, plural } from '../units.ts';
import { leastTimeMs, pairTotals } from './savings.ts';
import { formatPercent, walkWords } from './words.ts';

/** The figures of a page or a walk. */
interface Figures extends Pick<WalkTotals, 'networkMs' | 'hits' | 'connections'> {
  /** Time until the page was complete, ms; null if the page did not load. */
  timeMs: number | null;
  stayMs: number;
  prefetched: number;
  used: number;
  wasted: number;
  addedTraffic: number | null;
}

interface WalkRow {
  name: string;
  without: Figures | undefined;
  with: Figures | undefined;
}

interface WalkColumn {
  name: string;
  meaning: string;
  of: (row: WalkRow) => string;
}

const leastName = 4;

/** Renders lines, each ending with a newline. */
export function renderWalks(
  pairs: readonly WalkPair[],
  { columns, color }: TerminalOptions,
): string {
  const paint = painter(color);
  const [only, ...others] = pairs;
  const isOne = only !== undefined && others.length === 0;
  const rows = isOne ? pageRows(only) : pairs.map((pair) => sumRow(clientName(pair), [pair]));
  const sum = sumRow('sum', pairs);
  const totals = pairTotals(pairs);
  const hasPrefetched = (totals.with?.prefetchRequests ?? 0) > 0;
  const tables = tablesOf(sum, hasPrefetched);
  const meanings = new Set(tables.flat().map(({ name, meaning }) => `${name}: ${meaning}`));
  const lines = [
    ...(isOne && only.name ? [clipMiddle(printableText(only.name), columns), ''] : []),
    ...tables.flatMap((table) => [
      ...tableLines(table, isOne ? 'page' : 'client', rows, sum, columns, paint),
      '',
    ]),
    ...walkWords(pairs, totals).flatMap((line) => wrapText(line, columns)),
    '',
    ...[...meanings].flatMap((line) => wrapText(line, columns)).map((line) => paint('dim', line)),
    '',
  ];
  return inert(lines.join('\n'), { color });
}

/** The columns of two tables: what prefetching gained, and what it cost. */
function tablesOf({ without, with: with_ }: WalkRow, hasPrefetched: boolean): WalkColumn[][] {
  const isBoth = without !== undefined && with_ !== undefined;
  const one = (name: string, meaning: string, of: (figures: Figures) => string): WalkColumn => ({
    name,
    meaning,
    of: (row) => shown(row.with ?? row.without, of),
  });
  const both = (name: string, meaning: string, of: (figures: Figures) => string): WalkColumn[] =>
    isBoth
      ? [
          { name, meaning, of: (row) => shown(row.without, of) },
          { name: 'with', meaning: 'the same, with prefetching', of: (row) => shown(row.with, of) },
        ]
      : [one(name, meaning, of)];
  const saved = { name: 'saved', meaning: 'share of the time that prefetching saved', of: savedOf };
  const ofPrefetches = [
    one('prefetched', 'fetched while the visitor stayed on this page', (figures) =>
      formatBytes(figures.prefetched),
    ),
    one('used', 'prefetched before, and used by this page', ({ used }) => formatBytes(used)),
    one('wasted', 'prefetched on this page, and used by none', ({ wasted }) => formatBytes(wasted)),
    one('added', 'wasted bytes beside those that the page needed: traffic more', (figures) =>
      percent(figures.addedTraffic),
    ),
  ];
  return [
    [
      ...both('time', 'until the page was complete', ({ timeMs }) =>
        timeMs === null ? 'failed' : formatMs(timeMs),
      ),
      ...(isBoth && hasPrefetched ? [saved] : []),
      ...both('network', 'of that, how long anything of the page was under way', (figures) =>
        figures.timeMs === null ? '-' : formatMs(figures.networkMs),
      ),
      ...both(
        'hits',
        'how much of the page came out of the cache, without asking anybody',
        (figures) => formatCount(figures.hits),
      ),
    ],
    [
      one('stay', 'time the visitor stayed before the next page', ({ stayMs }) => formatMs(stayMs)),
      ...(hasPrefetched ? ofPrefetches : []),
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
  const widths = table.map(({ name, of }) =>
    Math.max(name.length, ...all.map((row) => of(row).length)),
  );
  const numberWidth = String(rows.length).length;
  const taken = widths.reduce((width, each) => width + each + 2, numberWidth + 2);
  const longest = Math.max(what.length, ...all.map(({ name }) => name.length));
  const nameWidth = Math.max(leastName, Math.min(columns - taken, longest));
  const line = (number: string, name: string, cells: readonly string[]) =>
    [
      number.padStart(numberWidth),
      clipMiddle(name, nameWidth).padEnd(nameWidth),
      ...cells.map((cell, index) => cell.padStart(widths[index] ?? 0)),
    ].join('  ');
  const rowLine = (number: string, row: WalkRow) =>
    line(
      number,
      row.name,
      table.map(({ of }) => of(row)),
    );
  const head = line(
    '#',
    what,
    table.map(({ name }) => name),
  );
  return [
    paint('bold', head),
    ...rows.map((row, index) => {
      const text = rowLine(String(index + 1), row);
      return hasFailed(row) ? paint('red', text) : text;
    }),
    ...(rows.length > 1 ? [paint('bold', rowLine('', sum))] : []),
  ];
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

function figuresOf(page: WalkedPage | undefined): Figures | undefined {
  if (page === undefined) return undefined;
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
  const of = (all: WalkTotals | undefined): Figures | undefined => {
    if (all === undefined) return undefined;
    const { prefetchBytes: prefetched, usedBytes: used, wastedBytes: wasted } = all;
    return { ...all, stayMs, prefetched, used, wasted };
  };
  return { name, without: of(totals.without), with: of(totals.with) };
}

function hasFailed(row: WalkRow): boolean {
  return row.without?.timeMs === null || row.with?.timeMs === null;
}

function savedOf({ without, with: with_ }: WalkRow): string {
  const [before, after] = [without?.timeMs ?? null, with_?.timeMs ?? null];
  return percent(
    before === null || after === null || before < leastTimeMs ? null : 1 - after / before,
  );
}

function shown(figures: Figures | undefined, of: (figures: Figures) => string): string {
  return figures === undefined ? '-' : of(figures);
}

/** Formats a fraction in percent, with at most three digits; larger values become `>999 %`. */
function percent(share: number | null): string {
  if (share === null) return '-';
  const capped = Math.max(-9.99, Math.min(share, 9.99));
  return `${capped === share ? '' : share > 0 ? '>' : '<'}${formatPercent(capped)} %`;
}
