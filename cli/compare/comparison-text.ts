// Writes a comparison as tables for a terminal, as Markdown, and as a chart. The columns that tell least are left out
// where the terminal is narrow; Markdown and JSON have all.

import type { Spread } from '../../loader/report/runs.ts';
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
const labelWidth = 90;
const chartWidth = 720;
const titleHeight = 34;
const axisHeight = 26;

/** Draws a chart: a bar for each median time, in a group for each network and visit, with a line from the fastest to
 *  the slowest run. */
export function comparisonSvg(rows: readonly ComparisonRow[]): string {
  let top = 8;
  const groups = tables(rows).map(([title, own]) => {
    const longest = Math.max(1, ...own.map(({ completeMs }) => completeMs?.max ?? 0));
    const room = chartWidth - labelWidth - 90;
    const x = (ms: number) => (labelWidth + (ms / longest) * room).toFixed(1);
    const bottom = top + titleHeight + own.length * barHeight;
    const ticks = timeTicks(longest, 6).map(
      ({ atMs, label }) =>
        `<line class="tick" x1="${x(atMs)}" x2="${x(atMs)}" y1="${top + titleHeight - 4}" y2="${bottom}"/>` +
        `<text class="small" x="${x(atMs)}" y="${bottom + 14}" text-anchor="middle">${label}</text>`,
    );
    const bars = own.map(({ way, completeMs }, at) => {
      const y = top + titleHeight + at * barHeight;
      const middle = y + barHeight / 2;
      const name = `<text x="${labelWidth - 8}" y="${middle + 4}" text-anchor="end">${way}</text>`;
      if (completeMs === null)
        return `${name}<text x="${labelWidth}" y="${middle + 4}">failed</text>`;
      const { median, min, max } = completeMs;
      return (
        `${name}<rect class="bar" x="${labelWidth}" y="${y + 3}" width="${(Number(x(median)) - labelWidth).toFixed(1)}" height="${barHeight - 6}"/>` +
        `<line class="range" x1="${x(min)}" x2="${x(max)}" y1="${middle}" y2="${middle}"/>` +
        `<text class="small" x="${Number(x(max)) + 6}" y="${middle + 4}">${formatMs(median)}</text>`
      );
    });
    const heading = `<text class="title" x="8" y="${top + 18}">${title}</text>`;
    top = bottom + axisHeight;
    return heading + ticks.join('') + bars.join('');
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${chartWidth} ${top}" width="${chartWidth}" height="${top}" role="img" aria-label="time of a page by network and way">` +
    '<style>text{font:13px system-ui,sans-serif;fill:#1f2328}.small{font-size:11px;fill:#59636e}.title{font-weight:600}' +
    '.bar{fill:#4c78a8}.range{stroke:#1f2328;stroke-width:1.5}.tick{stroke:#d1d9e0}.back{fill:#fff}' +
    '@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.small{fill:#9198a1}.range{stroke:#f0f6fc}.tick{stroke:#3d444d}.back{fill:#0d1117}.bar{fill:#6ea8dc}}</style>' +
    `<rect class="back" width="100%" height="100%"/>${groups.join('')}</svg>\n`
  );
}
