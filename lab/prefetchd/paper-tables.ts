// The effect of w, p and i on a log in short tables: pure.

import type { Simulation, SimulationPoint } from '../../prefetchd/simulate/index.ts';
import type { Cell, Column, Table } from '../result.ts';
import type { PaperPoint, PaperPoints } from './paper-points.ts';

const shownWindows = [2, 4, 10];

export function paperTables(points: PaperPoints): Table[] {
  return [levelTable(points), windowTable(points), limitTable(points), modelTable(points)];
}

/** The least access time for so much traffic, and whose time it is that is saved. */
export function savedTable(
  traffic: number,
  runs: ReadonlyArray<{ name: string; simulation: Simulation; of: SimulationPoint['model'] }>,
): Table {
  return {
    title: `The least access time for ${(traffic * 100).toFixed(0)} % more traffic at most, i without limit`,
    columns: [
      {
        name: 'model',
        meaning: 'capped by the lead: no access saves more than the time since its hint',
      },
      { name: 'w', meaning: 'window: accesses looked back at', digits: 0 },
      thresholdColumn,
      { ...trafficColumn, name: 'traffic %' },
      { name: 'saved %', meaning: 'of the average access time without prefetching', digits: 1 },
      { name: 'pages %', meaning: 'the same of documents alone', digits: 1 },
      { name: 'objects %', meaning: 'the same of what is embedded in documents', digits: 1 },
    ],
    rows: runs.map(({ name, simulation: { baseline, points }, of }): Cell[] => {
      const [best] = points
        .filter(({ model, limit }) => model === of && limit === null)
        .filter(({ trafficIncrease }) => trafficIncrease <= traffic)
        .toSorted((left, right) => left.averageAccessTimeMs - right.averageAccessTimeMs);
      if (best === undefined) return [name, null, null, null, null, null, null];
      const saved = (kind: 'documents' | 'objects') =>
        percentSaved(best[kind].averageAccessTimeMs, baseline[kind].averageAccessTimeMs);
      return [
        name,
        best.window,
        best.threshold,
        best.trafficIncrease * 100,
        percentSaved(best.averageAccessTimeMs, baseline.averageAccessTimeMs),
        saved('documents'),
        saved('objects'),
      ];
    }),
  };
}

function percentSaved(nowMs: number, beforeMs: number): number {
  return (1 - nowMs / beforeMs) * 100;
}

function levelTable({ baseline }: PaperPoints): Table {
  return {
    title: 'Without prefetching',
    columns: [
      { name: 'log', meaning: 'whose accesses', text: true },
      { ...missColumn, name: 'miss rate' },
      { name: 'access time s', meaning: 'average over all accesses; what is cached takes none' },
    ],
    rows: [
      ['this', baseline.missRate, baseline.averageAccessTimeMs / 1000],
      ["the paper's (-36 % of it is 0.78 s)", 0.88, 0.78 / (1 - 0.36)],
    ],
  };
}

/** w and p, as figures 10 and 11. */
function windowTable(points: PaperPoints): Table {
  return overThresholds(points, 'Effect of w and p: simple model, i without limit', (p) =>
    shownWindows.map((w) => ({ name: `w ${w}`, point: points.at(w, p) })),
  );
}

/** i and p, as figures 12 and 13. */
function limitTable(points: PaperPoints): Table {
  return overThresholds(points, 'Effect of i and p: simple model, w = 2', (p) =>
    [1, 2, null].map((i) => ({ name: `i ${i ?? 'inf'}`, point: points.at(2, p, i) })),
  );
}

/** As figures 15 and 16; in seconds, since the models differ in these. */
function modelTable(points: PaperPoints): Table {
  const cases = [2, 4].flatMap((w) =>
    (['simple', 'timed'] as const).map((model) => ({ w, model, name: `${model}, w ${w}: s` })),
  );
  return {
    title: 'Effect of the timing model: i without limit',
    columns: [
      thresholdColumn,
      ...cases.map(({ name }) => ({ name, meaning: 'average access time, s' })),
    ],
    rows: prefetching(points).map((p): Cell[] => [
      p,
      ...cases.map(({ w, model }) => points.at(w, p, null, model).averageAccessTimeMs / 1000),
    ]),
  };
}

function overThresholds(
  points: PaperPoints,
  title: string,
  casesAt: (p: number) => Array<{ name: string; point: PaperPoint }>,
): Table {
  const thresholds = prefetching(points);
  return {
    title,
    columns: [
      thresholdColumn,
      ...casesAt(thresholds[0] as number).flatMap(({ name }): Column[] => [
        { ...missColumn, name: `${name}: miss` },
        { ...trafficColumn, name: `${name}: traffic` },
      ]),
    ],
    rows: thresholds.map((p): Cell[] => [
      p,
      ...casesAt(p).flatMap(({ point }) => [point.missRate, point.trafficIncrease * 100]),
    ]),
  };
}

/** At 1 and above nothing is hinted. */
function prefetching({ thresholds }: PaperPoints): number[] {
  return thresholds.filter((p) => p < 1);
}

const thresholdColumn: Column = {
  name: 'p',
  meaning: 'only what is more probable is hinted',
  digits: 1,
};
const missColumn = { meaning: "blocks not in the client's cache / blocks accessed", digits: 3 };
const trafficColumn = { meaning: 'bytes added by prefetching, %', digits: 1 };
