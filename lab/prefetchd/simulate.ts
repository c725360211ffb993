// Speed of the log-driven simulation: one point on one core, the paper's whole sweep on two, and cost over the length
// of the log.

import { paperSweep, sweep, timingModels } from '../../prefetchd/simulate/index.ts';
import { epaLog } from '../paths.ts';
import type { BenchResult, Cell, Table, Target } from '../result.ts';
import { spreadOf } from '../spread.ts';
import { costChart } from './cost-chart.ts';
import { oneCore } from './one-core.ts';
import { repeatedLog } from './real-log.ts';
import { costOverLength, lengthSite } from './simulate-length.ts';
import type { SimulateWorkerAnswer } from './simulate-worker.ts';
import { measureIn } from './worker.ts';

export interface SimulateBenchSettings {
  rounds: number;
  say: (line: string) => void;
}

/** 50,000 that teach and 70,000 that are simulated (Padmanabhan 1995, 8). */
const paperAccesses = 120_000;
const cores = 2;
const leastPerS = 200_000;
const mostSweepS = 60;

export async function simulateBench(settings: SimulateBenchSettings): Promise<BenchResult> {
  const { rounds } = settings;
  const { simple, timed } = await onePoint(settings);
  const sweepS = await wholeSweep(settings);
  const { table, target, costs } = await costOverLength(settings);
  const speedTargets = Object.entries({ simple, timed }).map(
    ([model, list]): Target => ({
      what: `one point, ${model} model, on one core`,
      limit: leastPerS / 1000,
      bound: 'at least',
      unit: 'k requests/s',
      digits: 0,
      measured: spreadOf(list.map((answer) => thousandsPerS(answer, 1))),
      judgedBy: 'median',
    }),
  );
  return {
    name: 'prefetchd-simulate',
    title: 'Log-driven simulation',
    method: [
      `The EPA log's accesses, repeated a day later until there are ${count(paperAccesses)}; 5/12 of them teach, the rest is simulated; reading is not counted. One point is the dependency graph with w 4, p 0.5, i 3, in a process started for it, ${oneCore}, ${rounds} rounds; it is simulated twice there, the first run compiles, the second is judged.`,
      `The sweep is the paper's: ${paperSweep.thresholds.length} thresholds, ${paperSweep.windows.length} windows, ${paperSweep.limits.length} limits, simple model, ${cores} worker threads.`,
      `Cost over length: the way from a file to the figures, for logs made from a seed, ${lengthSite.visitors} visitors at a time, new ones without end, on a site of ${count(lengthSite.pages)} pages and ${count(lengthSite.images)} images; not bound to a core.`,
    ],
    tables: [speedTable({ simple, timed }, sweepS), table],
    targets: [
      ...speedTargets,
      {
        what: `the paper's sweep, ${pointCount()} points, ${cores} cores`,
        limit: mostSweepS,
        unit: 's',
        measured: spreadOf(sweepS),
        judgedBy: 'median',
      },
      target,
    ],
    charts: [await costChart(costs)],
  };
}

async function onePoint({ rounds, say }: SimulateBenchSettings) {
  const answers: Record<(typeof timingModels)[number], SimulateWorkerAnswer[]> = {
    simple: [],
    timed: [],
  };
  for (let round = 1; round <= rounds; round++) {
    for (const model of timingModels) {
      say(`one point, ${model}: round ${round} of ${rounds}`);
      const args = [model, epaLog, paperAccesses, 2];
      const worker = { script: './simulate-worker.ts', args, pinned: true };
      answers[model].push((await measureIn<SimulateWorkerAnswer>(worker)).answer);
    }
  }
  return answers;
}

async function wholeSweep({ rounds, say }: SimulateBenchSettings): Promise<number[]> {
  const log = await repeatedLog(epaLog, paperAccesses);
  const seconds: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    say(`the paper's sweep: round ${round} of ${rounds}`);
    const startMs = performance.now();
    await sweep(log, { ...paperSweep, workers: cores });
    seconds.push((performance.now() - startMs) / 1000);
  }
  return seconds;
}

function speedTable(
  answers: Record<string, SimulateWorkerAnswer[]>,
  sweepS: readonly number[],
): Table {
  const points = Object.entries(answers).flatMap(([model, list]): Cell[][] =>
    ['first run', 'second run'].map((which, run) => [
      `one point, ${model}, ${which}`,
      spreadOf(list.map(({ simulating }) => (simulating[run]?.wallMs ?? 0) / 1000)),
      spreadOf(list.map((answer) => thousandsPerS(answer, run))),
    ]),
  );
  const perS = sweepS.map((seconds) => (pointCount() * paperAccesses) / seconds / 1000);
  return {
    title: `${count(paperAccesses)} accesses of a real log`,
    columns: [
      { name: 'what', meaning: 'what was simulated' },
      { name: 's', meaning: 'wall time' },
      {
        name: 'k requests/s',
        meaning:
          'thousands of accesses a second, those that teach included; of the sweep accesses times points',
        digits: 0,
      },
    ],
    rows: [...points, [`the paper's sweep`, spreadOf(sweepS), spreadOf(perS)]],
  };
}

function thousandsPerS({ accesses, simulating }: SimulateWorkerAnswer, run: number): number {
  return accesses / (simulating[run]?.wallMs ?? Number.POSITIVE_INFINITY);
}

function pointCount(): number {
  return paperSweep.thresholds.length * paperSweep.windows.length * paperSweep.limits.length;
}

function count(value: number): string {
  return value.toLocaleString('en');
}
