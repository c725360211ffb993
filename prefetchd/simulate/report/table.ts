// A simulation as a text table of at most `columns` characters per line; pure. Each column is explained below the
// table. For a large sweep, it shows the best points within several traffic budgets, for each predictor and model.

import type { Simulation, SimulationPoint } from '../simulate.ts';
import type { BaselineFigures } from '../tally.ts';

export interface TableOptions {
  columns: number;
  /** true: every point is shown, however many there are. */
  all?: boolean;
}

interface PointColumn {
  name: string;
  of: (point: SimulationPoint, baseline: Simulation['baseline']) => string;
  /** Order in which columns are dropped on narrow terminals, 1 first; absent: the column always stays. */
  goes?: number;
  left?: boolean;
}

const mostRows = 40;
/** Limits on added traffic, as fractions of the traffic without prefetching. */
const budgets = [0.05, 0.1, 0.2, 0.4, 1, Number.POSITIVE_INFINITY];

const tableColumns: PointColumn[] = [
  { name: 'predictor', of: ({ predictor }) => predictor, left: true },
  { name: 'model', of: ({ model }) => model, left: true },
  { name: 'w', of: ({ window }) => String(window) },
  { name: 'p', of: ({ threshold }) => String(threshold) },
  { name: 'i', of: ({ limit }) => (limit === null ? 'inf' : String(limit)) },
  { name: 'miss', of: ({ missRate }) => missRate.toFixed(3) },
  { name: 'time', of: ({ averageAccessTimeMs }) => formatSeconds(averageAccessTimeMs) },
  { name: 'saved', of: saved },
  { name: 'traffic', of: ({ trafficIncrease }) => formatIncrease(trafficIncrease) },
  {
    name: 'requests',
    of: ({ requestIncrease }) => formatIncrease(requestIncrease),
    goes: 1,
  },
  { name: 'fetched', of: ({ prefetches }) => formatCount(prefetches), goes: 2 },
  { name: 'used', of: ({ precision }) => formatShare(precision) },
  { name: 'served', of: ({ recall }) => formatShare(recall), goes: 5 },
  {
    name: 'pages',
    of: (point, baseline) => saved(point.documents, baseline.documents),
    goes: 4,
  },
  {
    name: 'objects',
    of: (point, baseline) => saved(point.objects, baseline.objects),
    goes: 3,
  },
];

const legend: Array<[column: string, meaning: string]> = [
  ['w', 'window: accesses looked back at'],
  ['p', 'only what is more probable is hinted'],
  ['i', 'hints at most'],
  ['miss', 'blocks not in the cache / blocks accessed'],
  ['time', 'average access time'],
  ['saved', 'share of the access time without prefetching'],
  ['traffic', 'bytes added by prefetching'],
  ['requests', 'requests added'],
  ['fetched', 'prefetches'],
  ['used', 'share of the prefetches that the client asked for in time'],
  ['served', 'share of what misses without prefetching that a prefetch served'],
  ['pages', 'share of the access time of documents that is saved'],
  ['objects', 'the same of what is embedded in documents'],
];

export function renderTable({ baseline, points }: Simulation, options: TableOptions): string {
  const every = options.all === true || points.length <= mostRows;
  const rows = every ? points : bestWithin(points);
  const { columns, lines } = fitting(
    tableColumns.filter(({ name }) => !isSetting(name) || varies(points, name)),
    rows,
    baseline,
    options.columns,
  );
  return [
    ...wrapped(`without prefetching: ${formatBaseline(baseline)}`, options.columns),
    ...wrapped(constants(points), options.columns),
    ...(every
      ? []
      : wrapped(
          `the best of ${formatCount(points.length)} points within traffic of ${budgetNames()}:`,
          options.columns,
        )),
    '',
    ...lines,
    '',
    ...legend
      .filter(([name]) => columns.some((column) => column.name === name))
      .map(([name, meaning]) => `${name.padEnd(8)}  ${meaning}`),
  ].join('\n');
}

/** As many columns as fit into the width. */
function fitting(
  wanted: readonly PointColumn[],
  rows: readonly SimulationPoint[],
  baseline: Simulation['baseline'],
  width: number,
): { columns: readonly PointColumn[]; lines: string[] } {
  const lines = aligned(
    [
      wanted.map(({ name }) => name),
      ...rows.map((point) => wanted.map(({ of }) => of(point, baseline))),
    ],
    wanted,
  );
  const [goer] = wanted
    .filter(({ goes }) => goes !== undefined)
    .sort((left, right) => (left.goes ?? 0) - (right.goes ?? 0));
  if (goer === undefined || lines.every((line) => line.length <= width)) {
    return { columns: wanted, lines };
  }
  return fitting(
    wanted.filter((column) => column !== goer),
    rows,
    baseline,
    width,
  );
}

/** Lines of at most `width` characters, broken at spaces. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter((word) => word !== '')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else {
      lines.push(word);
    }
  }
  return lines;
}

export function formatBaseline({
  missRate,
  averageAccessTimeMs,
  requests,
  bytes,
}: BaselineFigures): string {
  return [
    `miss rate ${missRate.toFixed(3)}`,
    `access time ${formatSeconds(averageAccessTimeMs)}`,
    `${formatCount(requests)} requests`,
    formatBytes(bytes),
  ].join(', ');
}

export function formatSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

/** Formats an increase of 0.4 as `+40 %`. */
export function formatIncrease(increase: number): string {
  const percent = increase * 100;
  const text = Math.abs(percent) >= 10 ? percent.toFixed(0) : percent.toFixed(1);
  return `${percent >= 0 ? '+' : ''}${text} %`;
}

export function formatShare(share: number | null): string {
  return share === null ? '-' : `${(share * 100).toFixed(0)} %`;
}

export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

export function formatBytes(bytes: number): string {
  if (bytes < 10_000) return `${bytes} B`;
  if (bytes < 10_000_000) return `${(bytes / 1000).toFixed(0)} kB`;
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

/** Formats the share of the access time without prefetching that is saved. */
export function formatSaved(nowMs: number, beforeMs: number): string {
  return beforeMs === 0 ? '-' : `${((1 - nowMs / beforeMs) * 100).toFixed(1)} %`;
}

function saved(
  point: { averageAccessTimeMs: number },
  baseline: { averageAccessTimeMs: number },
): string {
  return formatSaved(point.averageAccessTimeMs, baseline.averageAccessTimeMs);
}

/** For each predictor, model and budget, the point with the lowest access time, each point once. */
function bestWithin(points: readonly SimulationPoint[]): SimulationPoint[] {
  const groups = new Map<string, SimulationPoint[]>();
  for (const point of points) {
    const name = `${point.predictor} ${point.model}`;
    groups.set(name, [...(groups.get(name) ?? []), point]);
  }
  const rows = new Set<SimulationPoint>();
  for (const group of groups.values()) {
    for (const budget of budgets) {
      const [best] = group
        .filter(({ trafficIncrease }) => trafficIncrease <= budget)
        .sort((left, right) => left.averageAccessTimeMs - right.averageAccessTimeMs);
      if (best !== undefined) rows.add(best);
    }
  }
  return [...rows];
}

function budgetNames(): string {
  return budgets
    .map((budget) => (Number.isFinite(budget) ? formatIncrease(budget) : 'any'))
    .join(', ');
}

function isSetting(name: string): name is 'predictor' | 'model' {
  return name === 'predictor' || name === 'model';
}

function varies(points: readonly SimulationPoint[], name: 'predictor' | 'model'): boolean {
  return new Set(points.map((point) => point[name])).size > 1;
}

/** The predictor and model, if they are the same for all points and thus need no column. */
function constants(points: readonly SimulationPoint[]): string {
  const [first] = points;
  if (first === undefined) return '';
  const names = (['predictor', 'model'] as const).filter((name) => !varies(points, name));
  return names
    .map((name) => `${name} ${first[name]}${name === 'model' ? note(first) : ''}`)
    .join(', ');
}

function note({ model }: SimulationPoint): string {
  return model === 'simple' ? ' (prefetches arrive at once: an upper bound)' : '';
}

function aligned(lines: readonly string[][], columns: readonly PointColumn[]): string[] {
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => (line[at] ?? '').length)));
  return lines.map((line) =>
    line
      .map((cell, at) =>
        columns[at]?.left ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}
