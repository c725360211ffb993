// Writes a comparison as tables for a terminal, as Markdown, and as a chart. The columns that tell least are left out
// where the terminal is narrow; Markdown and JSON have all.

import type { Spread } from '../../loader/report/runs.ts';
import { element, label, picture, styleSheet } from '../../loader/report/svg.ts';
import { textTable } from '../../loader/report/terminal.ts';
import { formatBytes, formatCount, formatMs, timeTicks } from '../../loader/report/units.ts';
import type { ComparisonRow } from './figures.ts';

interface ComparisonColumn {
  head: string;
  cell(row: ComparisonRow): string;
  /** Columns with the highest rank are left out first. */
  rank: number;
}

const count = (spread: Spread | null) =>
  spread === null ? '-' : formatCount(Math.round(spread.median));
const time = (spread: Spread | null) => formatMs(spread?.median ?? null);
const bytes = (spread: Spread | null) => (spread === null ? '-' : formatBytes(spread.median));
const extremes = (spread: Spread | null) =>
  spread === null ? '-' : `${formatMs(spread.min)}..${formatMs(spread.max)}`;

const columns: ComparisonColumn[] = [
  { head: 'way', rank: 0, cell: ({ way }) => way },
  { head: 'time', rank: 0, cell: ({ completeMs }) => time(completeMs) },
  { head: 'spread', rank: 5, cell: ({ completeMs }) => extremes(completeMs) },
  {
    head: 'of floor',
    rank: 1,
    cell: ({ timesFloor }) => (timesFloor === null ? '-' : `${timesFloor.toFixed(2)}x`),
  },
  { head: 'sizes', rank: 4, cell: ({ sizesKnownMs }) => time(sizesKnownMs) },
  {
    head: 'packets',
    rank: 1,
    cell: ({ packetsUp, packetsDown }) =>
      packetsUp === null ? '-' : `${count(packetsUp)} + ${count(packetsDown)}`,
  },
  { head: 'up', rank: 6, cell: ({ bytesUp }) => bytes(bytesUp) },
  { head: 'down', rank: 2, cell: ({ bytesDown }) => bytes(bytesDown) },
  {
    head: '%ov',
    rank: 3,
    cell: ({ overheadPercent }) => overheadPercent?.median.toFixed(1) ?? '-',
  },
  { head: 'B/packet', rank: 8, cell: ({ packetBytes }) => count(packetBytes) },
  { head: 'p/conn', rank: 9, cell: ({ packetsPerConnection }) => count(packetsPerConnection) },
  { head: 'conns', rank: 2, cell: ({ connections }) => count(connections) },
  { head: 'requests', rank: 4, cell: ({ requests }) => count(requests) },
  { head: 'writes', rank: 7, cell: ({ writes }) => count(writes) },
  { head: 'dropped', rank: 7, cell: ({ dropped }) => count(dropped) },
];

/** Groups the rows into tables: each table has the rows of one network and one kind of visit. */
function tables(rows: readonly ComparisonRow[]): [title: string, rows: ComparisonRow[]][] {
  const visits = { first: 'first visit', revalidate: 'revalidation' };
  return [...Map.groupBy(rows, ({ link, visit }) => `${link}, ${visits[visit]}`)];
}

/** Returns the cells of a table, with the heads of its columns in the first row. */
const cellsOf = (chosen: readonly ComparisonColumn[], rows: readonly ComparisonRow[]) => [
  chosen.map(({ head }) => head),
  ...rows.map((row) => chosen.map(({ cell }) => cell(row))),
];

/** Writes a comparison as text for a terminal. @param width Width of the terminal, columns */
export function renderComparison(rows: readonly ComparisonRow[], width: number): string {
  const lines = tables(rows).flatMap(([title, own]) => {
    let chosen = columns.filter(({ cell }) => own.some((row) => cell(row) !== '-'));
    let table = textTable(cellsOf(chosen, own), 1);
    while (chosen.length > 2 && (table[0]?.length ?? 0) > width) {
      const last = chosen.reduce((one, other) => (other.rank >= one.rank ? other : one));
      chosen = chosen.filter((column) => column !== last);
      table = textTable(cellsOf(chosen, own), 1);
    }
    return ['', title, ...table];
  });
  const failed = rows.filter(({ error }) => error !== null);
  const faults = failed.map(
    ({ link, way, errors, error }) => `${link}, ${way}: ${errors} failed; ${error}`,
  );
  return `${[...lines.slice(1), ...(faults.length > 0 ? ['', ...faults] : [])].join('\n')}\n`;
}

/** Writes a comparison as Markdown. The column `time` has the median and the extremes, so there is no `spread`. */
export function comparisonMarkdown(rows: readonly ComparisonRow[]): string {
  const all = columns.filter(({ head }) => head !== 'spread');
  const whole = all.map((column) => (column.head === 'time' ? timeWithExtremes : column));
  const parts = tables(rows).flatMap(([title, own]) => {
    const [heads = [], ...body] = cellsOf(whole, own);
    const lines = [heads, heads.map(() => '---'), ...body];
    return [`## ${title}`, '', ...lines.map((cells) => `| ${cells.join(' | ')} |`), ''];
  });
  return parts.join('\n');
}

const timeWithExtremes: ComparisonColumn = {
  head: 'time',
  rank: 0,
  cell: ({ completeMs: all }) => (all === null ? '-' : `${time(all)} (${extremes(all)})`),
};

const barHeight = 18;
const left = 90;
const width = 720;
const css = styleSheet('.la text.name{font-weight:600}.la line.mark{stroke-width:1.5}');

/** Draws a chart: a bar for each median time, in a group for each network and visit, with a line from the fastest to
 *  the slowest run. */
export function comparisonSvg(rows: readonly ComparisonRow[]): string {
  let top = 34;
  const groups = tables(rows).flatMap(([title, own]) => {
    const longest = Math.max(1, ...own.map(({ completeMs }) => completeMs?.max ?? 0));
    const x = (ms: number) => left + (ms / longest) * (width - left - 90);
    const bottom = top + 8 + own.length * barHeight;
    const ticks = timeTicks(longest, 6).flatMap(({ atMs, label: words }) => [
      element('line', { class: 'grid', x1: x(atMs), x2: x(atMs), y1: top + 4, y2: bottom }),
      label(x(atMs), bottom + 14, 'small num muted mid', words),
    ]);
    const bars = own.flatMap(({ way, completeMs }, at) => {
      const middle = top + 8 + (at + 0.5) * barHeight;
      const name = label(left - 8, middle + 4, 'end', way);
      if (completeMs === null) return [name, label(left, middle + 4, 'bad', 'failed')];
      const { median, min, max } = completeMs;
      const area = { x: left, y: middle - 6, width: x(median) - left, height: 12 };
      return [
        name,
        element('rect', { class: 'waiting', ...area }),
        element('line', { class: 'mark', x1: x(min), x2: x(max), y1: middle, y2: middle }),
        label(x(max) + 6, middle + 4, 'small num', formatMs(median)),
      ];
    });
    const heading = label(8, top - 8, 'name', title);
    top = bottom + 52;
    return [heading, ...ticks, ...bars];
  });
  const title = 'Time of a page by network and way';
  return picture({ width, height: top - 26, css }, { title }, groups);
}
