// Writes a simulation as text; pure. With the rules of the service it says what hints would do for visitors' clicks, in
// words for one setting and as a table for several. With the paper's rules it is a table of costs and savings, whose
// columns are explained below it; of many settings it has the best within several limits on added traffic.

import type { PageFigures } from './page-clicks.ts';
import type { Simulation, SimulationPoint } from './simulate.ts';

export type PagePoint = SimulationPoint & { pages: PageFigures };

/** Describes in sentences what the hints of one simulated setting did for clicks to pages. */
export function describePages(figures: PageFigures): string[] {
  const { clicks, hintedClicks, hints, unusedHints, byteIncrease } = figures;
  if (clicks === 0) return ['no visitor clicked from one page to another'];
  const whole = (part: number, of: number) => Math.round(100 * share(part, of));
  return [
    `of 100 clicks to another page, ${whole(hintedClicks, clicks)} were hinted before (${formatCount(hintedClicks)} of ${formatCount(clicks)})`,
    hints === 0
      ? 'no page was hinted'
      : `of 100 hinted pages, ${whole(hints - unusedHints, hints)} were opened (${formatCount(unusedHints)} of ${formatCount(hints)} in vain)`,
    `hinted pages that nobody opened: ${percent(byteIncrease, 1)} of all bytes`,
  ];
}

/** Returns a table of clicks and hinted pages, one line per simulated setting (predictor, window, threshold, limit). */
export function renderPages(points: readonly PagePoint[], columns: number): string[] {
  const rows = points.map(({ predictor, window, threshold, limit, pages }) => [
    predictor,
    String(window),
    String(threshold),
    String(limit ?? 'inf'),
    percent(share(pages.hintedClicks, pages.clicks), 1),
    percent(share(pages.hints - pages.unusedHints, pages.hints), 0),
    `+${percent(pages.byteIncrease, 1)}`,
  ]);
  return [
    ...aligned([['predictor', 'w', 'p', 'i', 'hinted', 'opened', 'bytes'], ...rows], 1),
    '',
    ...wrapped('hinted  share of the clicks to another page that were hinted before', columns),
    ...wrapped('opened  share of the hinted pages that were opened', columns),
    ...wrapped('bytes   hinted pages that nobody opened, of all bytes sent', columns),
  ];
}

interface PointColumn {
  name: string;
  meaning: string;
  of: (point: SimulationPoint, baseline: Simulation['baseline']) => string;
}

const pointColumns: readonly PointColumn[] = [
  { name: 'w', meaning: 'window: accesses looked back at', of: ({ window }) => String(window) },
  {
    name: 'p',
    meaning: 'only what is more probable is hinted',
    of: ({ threshold }) => String(threshold),
  },
  { name: 'i', meaning: 'hints at most', of: ({ limit }) => String(limit ?? 'inf') },
  {
    name: 'miss',
    meaning: 'blocks not in the cache / blocks accessed',
    of: ({ missRate }) => missRate.toFixed(3),
  },
  {
    name: 'time',
    meaning: 'average access time',
    of: ({ averageAccessTimeMs }) => formatSeconds(averageAccessTimeMs),
  },
  { name: 'saved', meaning: 'share of the access time without prefetching', of: formatSaved },
  {
    name: 'traffic',
    meaning: 'bytes added by prefetching',
    of: ({ trafficIncrease }) => formatIncrease(trafficIncrease),
  },
  {
    name: 'used',
    meaning: 'share of the prefetches that the client asked for in time',
    of: ({ precision }) => formatShare(precision),
  },
];

const mostRows = 40;
/** Limits on added traffic, as fractions of that without prefetching; a large sweep shows the best setting in each. */
const budgets = [0.05, 0.1, 0.2, 0.4, 1, Number.POSITIVE_INFINITY];

/** Writes the table of costs and savings. @param columns terminal width @param all true: a row for each
 *  simulated setting; false: only for the best ones */
export function renderTable(
  { baseline, points }: Simulation,
  { columns, all = false }: { columns: number; all?: boolean },
): string[] {
  const isWhole = all || points.length <= mostRows;
  const rows = (isWhole ? points : bestWithin(points)).map((point) => [
    point.predictor,
    point.model,
    ...pointColumns.map(({ of }) => of(point, baseline)),
  ]);
  const budgetNames = budgets.map((each) => (Number.isFinite(each) ? formatIncrease(each) : 'any'));
  return [
    ...wrapped(
      `without prefetching: miss rate ${baseline.missRate.toFixed(3)}, access time ${formatSeconds(baseline.averageAccessTimeMs)}, ${formatCount(baseline.requests)} requests, ${formatCount(Math.round(baseline.bytes / 1000))} kB`,
      columns,
    ),
    ...(isWhole
      ? []
      : wrapped(
          `the best of ${formatCount(points.length)} points within traffic of ${budgetNames.join(', ')}:`,
          columns,
        )),
    '',
    ...aligned([['predictor', 'model', ...pointColumns.map(({ name }) => name)], ...rows], 2),
    '',
    'model     simple: prefetches arrive at once, an upper bound',
    ...pointColumns.map(({ name, meaning }) => `${name.padEnd(8)}  ${meaning}`),
  ];
}

/** Returns, for each predictor, timing model and traffic budget, the setting with the lowest access time; each once. */
function bestWithin(points: readonly SimulationPoint[]): SimulationPoint[] {
  const groups = Object.groupBy(points, ({ predictor, model }) => `${predictor} ${model}`);
  const best = Object.values(groups).flatMap((group = []) =>
    budgets.flatMap((budget) => {
      const within = group.filter(({ trafficIncrease }) => trafficIncrease <= budget);
      within.sort((left, right) => left.averageAccessTimeMs - right.averageAccessTimeMs);
      return within.slice(0, 1);
    }),
  );
  return [...new Set(best)];
}

/** Pads the cells of all rows to columns, of which the first `left` are aligned to the left; returns the lines. */
function aligned(rows: readonly string[][], left: number): string[] {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const pad = (cell: string, column: number) =>
    column < left ? cell.padEnd(widthOf(column)) : cell.padStart(widthOf(column));
  return rows.map((row) => row.map(pad).join('  ').trimEnd());
}

/** Breaks a text at spaces into lines of at most `width` characters. */
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

export function formatSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

/** Formats an increase of 0.4 as `+40 %`. */
export function formatIncrease(increase: number): string {
  const digits = Math.abs(increase) >= 0.1 ? 0 : 1;
  return `${increase >= 0 ? '+' : ''}${percent(increase, digits)}`;
}

export function formatShare(of: number | null): string {
  return of === null ? '-' : percent(of, 0);
}

export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

/** Formats the share of the access time without prefetching that is saved. */
export function formatSaved(
  point: { averageAccessTimeMs: number },
  baseline: { averageAccessTimeMs: number },
): string {
  const before = baseline.averageAccessTimeMs;
  return before === 0 ? '-' : percent(1 - point.averageAccessTimeMs / before, 1);
}

function percent(value: number, digits: number): string {
  return `${(100 * value).toFixed(digits)} %`;
}

function share(part: number, of: number): number {
  return of === 0 ? 0 : part / of;
}
