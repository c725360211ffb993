// Writes a comparison as tables for a terminal, as Markdown, and as a chart. The columns that tell least are left out
// where the terminal is narrow; Markdown and JSON have all.

import { element, label, picture, styleSheet, widthOf } from '../../loader/report/svg.ts';
import { textTable } from '../../loader/report/terminal.ts';
import { formatBytes, formatCount, formatMs } from '../../loader/report/units.ts';
import type { ComparisonRow, figures } from './figures.ts';

/** A column of the tables of results: those with the highest rank are left out first if the terminal is too narrow. */
type Column = readonly [head: string, rank: number, figures: Figure[], written: Written];
type Figure = keyof typeof figures | 'timesFloor';
type Written = (figure: number) => string;

const count: Written = (figure) => formatCount(Math.round(figure));
const columns: Column[] = [
  ['time', 0, ['completeMs'], formatMs],
  ['spread', 5, ['completeMs'], formatMs],
  ['of floor', 1, ['timesFloor'], (times) => `${times.toFixed(2)}x`],
  ['sizes', 4, ['sizesKnownMs'], formatMs],
  ['packets', 1, ['packetsUp', 'packetsDown'], count],
  ['up', 6, ['bytesUp'], formatBytes],
  ['down', 2, ['bytesDown'], formatBytes],
  ['%ov', 3, ['overheadPercent'], (percent) => percent.toFixed(1)],
  ['B/packet', 8, ['packetBytes'], count],
  ['p/conn', 9, ['packetsPerConnection'], count],
  ['conns', 2, ['connections'], count],
  ['requests', 4, ['requests'], count],
  ['writes', 7, ['writes'], count],
  ['dropped', 7, ['dropped'], count],
];

/** Groups the rows into tables: each table has the rows of one network and one kind of visit. */
function tables(rows: readonly ComparisonRow[]): [title: string, rows: ComparisonRow[]][] {
  const visits = { first: 'first visit', revalidate: 'revalidation' };
  return [...Map.groupBy(rows, ({ link, visit }) => `${link}, ${visits[visit]}`)];
}

/** Returns the cells of a table, with the heads in the first row. @param isWhole Whether figures have their extremes */
function cellsOf(chosen: readonly Column[], rows: readonly ComparisonRow[], isWhole = false) {
  const cell = (row: ComparisonRow, [head, , names, written]: Column) => {
    const words = names.flatMap((name) => {
      if (row[name] === null) return [];
      const { median, min, max } = row[name];
      const [middle, low, high] = [median, min, max].map(written);
      if (head === 'spread') return `${low}..${high}`;
      return isWhole && low !== high ? `${middle} (${low}..${high})` : middle;
    });
    return words.join(' + ') || '-';
  };
  const body = rows.map((row) => [row.way, ...chosen.map((column) => cell(row, column))]);
  return [['way', ...chosen.map(([head]) => head)], ...body];
}

/** Writes a comparison as text for a terminal. @param width Width of the terminal, columns */
export function renderComparison(rows: readonly ComparisonRow[], width: number): string {
  const lines = tables(rows).flatMap(([title, own]) => {
    const known = columns.filter(([, , names]) => own.some((row) => row[names[0] as Figure]));
    const upTo = (rank: number): string[] => {
      const chosen = known.filter((column) => column[1] <= rank);
      const table = textTable(cellsOf(chosen, own), 1);
      return rank === 0 || (table[0]?.length ?? 0) <= width ? table : upTo(rank - 1);
    };
    return ['', title, ...upTo(9)];
  });
  const failed = rows.flatMap(({ link, way, errors, error }) =>
    error === null ? [] : `${link}, ${way}: ${errors} failed; ${error}`,
  );
  if (failed.length > 0) lines.push('', ...failed);
  return `${lines.slice(1).join('\n')}\n`;
}

/** Writes a comparison as Markdown; each figure has its extremes, in place of the column `spread`. */
export function comparisonMarkdown(rows: readonly ComparisonRow[]): string {
  const whole = columns.filter(([head]) => head !== 'spread');
  const parts = tables(rows).flatMap(([title, own]) => {
    const [heads = [], ...body] = cellsOf(whole, own, true);
    const lines = [heads, heads.map(() => '---'), ...body];
    return [`## ${title}`, '', ...lines.map((cells) => `| ${cells.join(' | ')} |`), ''];
  });
  return parts.join('\n');
}

const barHeight = 18;
const width = 720;
const css = styleSheet('.la text.name{font-weight:600}.la line.mark{stroke-width:1.5}');

/** Draws a chart: groups of bars for the median times, each bar with a line from the fastest to the slowest run. */
export function comparisonSvg(rows: readonly ComparisonRow[]): string {
  const left = 16 + Math.max(74, ...rows.map(({ way }) => widthOf(way)));
  let top = 34;
  const groups = tables(rows).flatMap(([title, own]) => {
    const longest = Math.max(1, ...own.map(({ completeMs }) => completeMs?.max ?? 0));
    const x = (ms: number) => left + (ms / longest) * (width - left - 90);
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
    top += own.length * barHeight + 44;
    return [heading, ...bars];
  });
  const about = { title: 'Time of a page by network and way' };
  return picture({ width, height: top - 26, css }, about, groups);
}
