// Renders the results: the benchmarks page, which has what matters and every target that was missed, and a page for each
// bench with all tables. Pure; benchmarks.template.md has the words of the first, nothing else those of the others.

import type { Cell, Chart, Column, Listing, StoredResult, Table, Target } from './result.ts';
import { isReached, judged } from './result.ts';
import { formatSpread } from './spread.ts';

/**
 * docs/benchmarks.md: its template, in which `{{NAME}}` is what a bench reached and when, `{{NAME / ROW / COLUMN | COLUMN}}`
 * cells of the first row that begins with these words, and `{{missed}}` all that was missed, in the order of the benches.
 */
export function renderPage(template: string, results: readonly StoredResult[]): string {
  const place = ({ name }: StoredResult) => template.indexOf(`{{${name}}}`);
  return template.replace(/\{\{(.+?)\}\}/g, (_, asked: string) => {
    if (asked === 'missed') return renderMissed(results.toSorted((a, b) => place(a) - place(b)));
    const [bench, row, columns] = asked.split(' / ');
    const result = results.find(({ name }) => name === bench);
    if (result === undefined) return '-';
    if (row === undefined || columns === undefined) return renderReached(result);
    return columns
      .split(' | ')
      .map((column) => renderFigure(result, row, column))
      .join(' | ');
  });
}

function renderFigure({ tables }: StoredResult, begins: string, name: string): string {
  for (const { columns, rows } of tables) {
    const index = columns.findIndex((column) => column.name === name);
    const row = rows.find((cells) => rowName(cells).startsWith(begins));
    const cell = row?.[index];
    if (cell !== undefined) return formatCell(cell, columns[index] as Column);
  }
  return '-';
}

const rowName = (cells: readonly Cell[]): string =>
  cells.filter((cell) => typeof cell === 'string').join(', ');

function renderReached({ targets, tables, startedAt }: StoredResult): string {
  const verdicts = tables.flatMap(claimVerdicts);
  const parts = [
    targets.length > 0 && `${targets.filter(isReached).length} of ${targets.length}`,
    verdicts.length > 0 && `${verdicts.filter(isYes).length} of ${verdicts.length} claims`,
  ].filter((part) => part !== false);
  return `${parts.join(', ') || '-'} | ${startedAt.slice(0, 10)}`;
}

const isYes = (cell: Cell | undefined): boolean => cell === 'yes' || cell === 'holds';

/** Whether each claim of a paper holds; none where the table has other verdicts. */
function claimVerdicts({ columns, rows }: Table): Array<Cell | undefined> {
  const index = columns.findIndex(({ name }) => name === 'holds' || name === 'verdict');
  const verdicts = rows.map((row) => row[index]);
  return verdicts.some(isYes) ? verdicts : [];
}

function renderMissed(results: readonly StoredResult[]): string {
  const rows = results.flatMap(({ name, targets }) =>
    targets
      .filter((target) => !isReached(target))
      .map((target) => [`[${name}](../lab/results/${name}.md)`, ...describeTarget(target)]),
  );
  const all = results.flatMap(({ targets }) => targets).length;
  const header = [{ name: 'bench' }, { name: 'target', text: true as const }];
  const table = markdownTable([...header, { name: 'limit' }, { name: 'measured' }], rows);
  return `${rows.length} of ${all} targets:\n\n${table}`;
}

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

function renderTargets(targets: readonly Target[]): string {
  const rows = targets.map((target) => [
    ...describeTarget(target),
    isReached(target) ? 'reached' : '**missed**',
  ]);
  return markdownTable(
    ['target', 'limit', 'measured', ''].map((name) => ({ name })),
    rows,
  );
}

/** What was to be reached, its limit, and what was measured, in digits that tell it from the limit. */
function describeTarget(target: Target): string[] {
  const { what, limit, bound = 'at most', unit, measured, judgedBy } = target;
  let { digits = unit === '' ? 2 : 1 } = target;
  const value = judged(target);
  while (value !== limit && Number(value.toFixed(digits)) === limit) digits++;
  const rule = judgedBy === 'worst' ? 'every run' : 'median';
  return [what, `${bound} ${limit}${unit && ` ${unit}`} (${rule})`, formatSpread(measured, digits)];
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
