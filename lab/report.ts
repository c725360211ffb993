// Renders the results: the benchmarks page, which has what was to be reached, and a page for each bench with all tables.
// Pure; the pages have no other source.

import type { Cell, Chart, Column, Listing, StoredResult, Table, Target } from './result.ts';
import { isReached } from './result.ts';
import { formatSpread } from './spread.ts';

/** The order of sections; others follow by name. */
const order = [
  'visitors',
  'loopback',
  'cold-start',
  'emulated',
  'papers-nielsen',
  'papers-tuning',
  'revisit',
  'cold-load',
  'study',
  'get-all',
  'hauck',
  'padmanabhan',
  'coalescing',
  'tcp-study',
  'dictionaries',
  'content',
  'cache-cost',
  'cache-suite',
  'scanner',
  'prefetchd-log',
  'prefetchd-model',
  'prefetchd-memory',
  'prefetchd-serve',
  'prefetchd-dashboard',
  'prefetchd-serve-memory',
  'prefetchd-middleware',
  'prefetchd-proxy',
  'prefetchd-stores',
  'prefetchd-scale',
  'prefetchd-simulate',
  'prefetchd-paper',
  'prefetchd-tune',
  'prefetchd-pages',
  'prefetchd-visits',
  'walk-site',
  'walk-epa',
];

/** docs/benchmarks.md, whole. */
export function renderPage(results: readonly StoredResult[]): string {
  const sorted = results.toSorted((a, b) => place(a) - place(b) || a.name.localeCompare(b.name));
  return `# Benchmarks

What was to be reached, and what was measured; where nothing was, the claims that do not hold or a
part of the first table. Written by \`lab/run.ts\`; do not edit. Method, machine and all tables of each
stand in \`lab/results/NAME.md\`, and its command measures it again. A cell is the median, in brackets the least and the most of all
rounds that count.

${sorted.map(renderShort).join('\n')}`;
}

function renderShort({ name, title, method, tables, targets }: StoredResult): string {
  const [what = ''] = method;
  const [first] = tables;
  const shown =
    targets.length > 0 || first === undefined
      ? [renderTargets(targets)]
      : renderExcerpt(first, `../lab/results/${name}.md`);
  const parts = [`## ${title}`, `\`node lab/run.ts ${name}\`. ${firstSentence(what)}`, ...shown];
  return `${parts.join('\n\n')}\n`;
}

const mostRows = 16;

/** The rows of a table that matter on one page: of claims those that do not hold, of a long table the first. */
function renderExcerpt(table: Table, file: string): string[] {
  const { title, columns, rows } = table;
  const holds = columns.findIndex(({ name }) => name === 'holds');
  const fallen = rows.filter((row) => row[holds] !== 'yes');
  const matter = holds === -1 ? rows : fallen;
  const all = `[all ${rows.length} rows](${file})`;
  const left =
    holds === -1
      ? rows.length > mostRows && `The first ${mostRows}; ${all}.`
      : `${rows.length - fallen.length} of ${rows.length} claims hold (${all}); these do not:`;
  return [
    title !== '' && `### ${title}`,
    left,
    matter.length > 0 && renderTable({ ...table, title: '', rows: matter.slice(0, mostRows) }),
  ].filter((part) => part !== false);
}

const firstSentence = (text: string): string => /^.*?[.:](?= [A-Z]|$)/s.exec(text)?.[0] ?? text;

/** One section, also what a run without \`--write\` prints. */
export function renderResult(result: StoredResult): string {
  const { title, method, tables, targets, charts = [], listings = [], environment } = result;
  const { startedAt, durationS, command } = result;
  const { commit, node, undici, kernel, cpu, cores, memoryGiB } = environment;
  const parts = [
    `# ${title}`,
    `\`${command}\`: commit ${commit}, ${startedAt.slice(0, 10)}, ${Math.round(durationS)} s. Node ${node}, undici ${undici}, ${kernel}, ${cores} x ${cpu}, ${memoryGiB} GiB.`,
    ...method,
    ...(targets.length > 0 ? [renderTargets(targets)] : []),
    ...tables.map(renderTable),
    renderColumns(tables),
    ...charts.map(renderChart),
    ...listings.map(renderListing),
  ];
  return `${parts.join('\n\n')}\n`;
}

function place({ name }: StoredResult): number {
  const index = order.indexOf(name);
  return index === -1 ? order.length : index;
}

function renderTargets(targets: readonly Target[]): string {
  const rows = targets.map((target) => {
    const { what, limit, bound = 'at most', unit, measured, judgedBy } = target;
    const { digits = unit === '' ? 2 : 1 } = target;
    const rule = judgedBy === 'worst' ? 'every run' : 'median';
    const verdict = isReached(target) ? 'reached' : '**missed**';
    return [
      what,
      `${bound} ${limit}${unit && ` ${unit}`} (${rule})`,
      formatSpread(measured, digits),
      verdict,
    ];
  });
  return markdownTable(
    ['target', 'limit', 'measured', ''].map((name) => ({ name })),
    rows,
  );
}

function renderTable({ title, columns, rows }: Table): string {
  const body = rows.map((row) =>
    row.map((cell, index) => formatCell(cell, columns[index] as Column)),
  );
  const table = markdownTable(columns, body);
  return title === '' ? table : `## ${title}\n\n${table}`;
}

/** Each column explained once, however many tables have it; those that mean the same together. */
function renderColumns(tables: readonly Table[]): string {
  const columns = new Map(
    tables.flatMap((table) => table.columns.map((each) => [each.name, each])),
  );
  const byMeaning = Map.groupBy(columns.values(), ({ meaning }) => meaning);
  return [...byMeaning]
    .map(([meaning, same]) => `- ${same.map(({ name }) => `**${name}**`).join(', ')}: ${meaning}`)
    .join('\n');
}

function formatCell(cell: Cell, { digits = 2 }: Column): string {
  if (cell === null) return '-';
  if (typeof cell === 'string') return cell;
  return typeof cell === 'number' ? cell.toFixed(digits) : formatSpread(cell, digits);
}

function renderChart({ file, alt }: Chart): string {
  return `![${alt}](../../docs/charts/${file})`;
}

function renderListing({ title, lines }: Listing): string {
  return `## ${title}\n\n\`\`\`\n${lines.join('\n')}\n\`\`\``;
}

function markdownTable(
  header: ReadonlyArray<{ name: string; text?: true }>,
  rows: readonly string[][],
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = header.map(({ text }, index) => (index === 0 || text ? '---' : '---:'));
  return [line(header.map(({ name }) => name)), line(rule), ...rows.map(line)].join('\n');
}
