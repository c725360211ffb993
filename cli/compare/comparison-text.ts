// Writes a comparison as tables for a terminal, as Markdown, and as a chart. The columns that tell least are left out
// where the terminal is narrow; Markdown and JSON have all.

import type { Spread } from '../../loader/report/runs.ts';
import { element, label, picture, styleSheet } from '../../loader/report/svg.ts';
import { textTable } from '../../loader/report/terminal.ts';
import { formatBytes, formatCount, formatMs, timeTicks } from '../../loader/report/units.ts';
import type { ComparisonRow } from './figures.ts';

/** A column of the tables of results; those with the highest rank are left out first if the terminal is too narrow. */
type Column = readonly [head: string, rank: number, cell: (row: ComparisonRow) => Cell];
/** null or undefined: the figure is unknown. */
type Cell = string | null | undefined;

const count = (spread: Spread | null) => spread && formatCount(Math.round(spread.median));
const time = (spread: Spread | null) => spread && formatMs(spread.median);
const bytes = (spread: Spread | null) => spread && formatBytes(spread.median);
const extremes = (spread: Spread | null) =>
  spread && `${formatMs(spread.min)}..${formatMs(spread.max)}`;

const columns: Column[] = [
  ['way', 0, ({ way }) => way],
  ['time', 0, ({ completeMs }) => time(completeMs)],
  ['spread', 5, ({ completeMs }) => extremes(completeMs)],
  ['of floor', 1, ({ timesFloor }) => timesFloor?.toFixed(2).concat('x')],
  ['sizes', 4, ({ sizesKnownMs }) => time(sizesKnownMs)],
  ['packets', 1, ({ packetsUp: up, packetsDown }) => up && `${count(up)} + ${count(packetsDown)}`],
  ['up', 6, ({ bytesUp }) => bytes(bytesUp)],
  ['down', 2, ({ bytesDown }) => bytes(bytesDown)],
  ['%ov', 3, ({ overheadPercent }) => overheadPercent?.median.toFixed(1)],
  ['B/packet', 8, ({ packetBytes }) => count(packetBytes)],
  ['p/conn', 9, ({ packetsPerConnection }) => count(packetsPerConnection)],
  ['conns', 2, ({ connections }) => count(connections)],
  ['requests', 4, ({ requests }) => count(requests)],
  ['writes', 7, ({ writes }) => count(writes)],
  ['dropped', 7, ({ dropped }) => count(dropped)],
];

/** Groups the rows into tables: each table has the rows of one network and one kind of visit. */
function tables(rows: readonly ComparisonRow[]): [title: string, rows: ComparisonRow[]][] {
  const visits = { first: 'first visit', revalidate: 'revalidation' };
  return [...Map.groupBy(rows, ({ link, visit }) => `${link}, ${visits[visit]}`)];
}

/** Returns the cells of a table, with the heads of its columns in the first row. */
const cellsOf = (chosen: readonly Column[], rows: readonly ComparisonRow[]) => [
  chosen.map(([head]) => head),
  ...rows.map((row) => chosen.map(([, , cell]) => cell(row) ?? '-')),
];

/** Writes a comparison as text for a terminal. @param width Width of the terminal, columns */
export function renderComparison(rows: readonly ComparisonRow[], width: number): string {
  const lines = tables(rows).flatMap(([title, own]) => {
    let chosen = columns.filter(([, , cell]) => own.some(cell));
    let table = textTable(cellsOf(chosen, own), 1);
    while (chosen.length > 2 && (table[0]?.length ?? 0) > width) {
      const last = chosen.reduce((one, other) => (other[1] >= one[1] ? other : one));
      chosen = chosen.filter((column) => column !== last);
      table = textTable(cellsOf(chosen, own), 1);
    }
    return ['', title, ...table];
  });
  const failed = rows.filter(({ error }) => error !== null);
  if (failed.length > 0) lines.push('');
  for (const { link, way, errors, error } of failed) {
    lines.push(`${link}, ${way}: ${errors} failed; ${error}`);
  }
  return `${lines.slice(1).join('\n')}\n`;
}

/** Writes a comparison as Markdown. Its column `time` has the extremes, too, in place of the column `spread`. */
export function comparisonMarkdown(rows: readonly ComparisonRow[]): string {
  const both = ({ completeMs: all }: ComparisonRow) => all && `${time(all)} (${extremes(all)})`;
  const whole = columns.toSpliced(1, 2, ['time', 0, both]);
  const parts = tables(rows).flatMap(([title, own]) => {
    const [heads = [], ...body] = cellsOf(whole, own);
    const lines = [heads, heads.map(() => '---'), ...body];
    return [`## ${title}`, '', ...lines.map((cells) => `| ${cells.join(' | ')} |`), ''];
  });
  return parts.join('\n');
}

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
