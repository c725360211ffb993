// Speed of the log-driven simulation: one point on one core, the paper's whole sweep on all cores, and
// cost over the length of the log.

import { readLog } from '../../prefetchd/log/index.ts';
import {
  paperSweep,
  simulate,
  sweep,
  type Trace,
  TraceBuilder,
  traceOf,
} from '../../prefetchd/simulate/index.ts';
import type { BenchResult, Cell, Column } from '../result.ts';
import { type Spread, spreadOf } from '../spread.ts';
import { syntheticLog } from './simulate-log.ts';

export interface SimulateBenchSettings {
  /** A real log; its accesses are repeated, a day later each time, up to the paper's 120,000. */
  log: string;
  rounds: number;
  say: (line: string) => void;
}

const paperAccesses = 120_000;
const dayMs = 24 * 60 * 60 * 1000;
const lengths = [125_000, 250_000, 500_000, 1_000_000, 2_000_000];
const onePoint = {
  predictor: 'dependency-graph',
  window: 4,
  points: [{ model: 'timed', threshold: 0.5, limit: 3 }],
} as const;

export async function simulateBench(settings: SimulateBenchSettings): Promise<BenchResult> {
  const { rounds, say } = settings;
  say('reading');
  const log = await repeated(settings.log, paperAccesses);
  say('one point');
  const simple = timed(rounds, () => {
    simulate(log, { ...onePoint, points: [{ ...onePoint.points[0], model: 'simple' }] });
  });
  const withTime = timed(rounds, () => void simulate(log, onePoint));
  say("the paper's sweep");
  const whole: number[] = [];
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    const startMs = performance.now();
    await sweep(log, paperSweep);
    whole.push((performance.now() - startMs) / 1000);
  }
  const perAccess = ({ median, min, max, runs }: Spread, accesses: number): Spread => ({
    median: (median / accesses) * 1000,
    min: (min / accesses) * 1000,
    max: (max / accesses) * 1000,
    runs,
  });
  const rows: Cell[][] = [];
  for (const length of lengths) {
    say(`${length} accesses`);
    const synthetic = traceOf(syntheticLog(length));
    const taken = timed(Math.min(rounds, 3), () => void simulate(synthetic, onePoint));
    const cpuBefore = process.cpuUsage();
    simulate(synthetic, onePoint);
    const { user, system } = process.cpuUsage(cpuBefore);
    const cpuUs = (user + system) / length;
    rows.push([length, synthetic.clients, taken, perAccess(taken, length), cpuUs]);
  }
  return {
    name: 'simulate',
    title: 'Log-driven simulation',
    method: [
      `A real log's accesses, repeated a day later until there are ${paperAccesses.toLocaleString('en')}; 5/12 of them teach, the rest is simulated. Reading is not counted. One point is w 4, p 0.5, i 3.`,
      "The sweep is the paper's: 12 thresholds, 9 windows, 3 limits, simple model, all cores.",
      'The synthetic log is made from a seed: new visitors without end on a site of 2,000 pages.',
    ],
    tables: [
      {
        title: `${paperAccesses.toLocaleString('en')} accesses of a real log`,
        columns: [
          { name: 'what', meaning: 'what was simulated' },
          { name: 'ms', meaning: 'wall time', digits: 0 },
          { name: 'us an access', meaning: 'wall time / accesses, teaching ones included' },
        ],
        rows: [
          ['one point, simple', simple, perAccess(simple, log.count)],
          ['one point, timed', withTime, perAccess(withTime, log.count)],
        ],
      },
      { title: 'Cost over the length of a log, one point, timed', columns: lengthColumns, rows },
    ],
    targets: [
      {
        what: 'one point on one core, time an access (200,000 a second)',
        limit: 5,
        unit: 'us',
        measured: perAccess(withTime, log.count),
        judgedBy: 'median',
      },
      {
        what: "the paper's sweep, 324 points",
        limit: 60,
        unit: 's',
        measured: spreadOf(whole),
        judgedBy: 'median',
      },
    ],
  };
}

const lengthColumns: Column[] = [
  { name: 'accesses', meaning: 'length of the log', digits: 0 },
  { name: 'clients', meaning: 'visitors in it', digits: 0 },
  { name: 'ms', meaning: 'wall time', digits: 0 },
  { name: 'us an access', meaning: 'wall time / accesses' },
  {
    name: 'CPU us',
    meaning: 'CPU time / accesses of one run: what else the machine does is not in it',
  },
];

async function repeated(path: string, accesses: number): Promise<Trace> {
  const log = [];
  for await (const batch of readLog([path])) log.push(...batch);
  const builder = new TraceBuilder();
  for (let day = 0; log.length > 0 && builder.count < accesses; day++) {
    for (const access of log.slice(0, accesses - builder.count)) {
      builder.add({ ...access, timeMs: access.timeMs + day * dayMs });
    }
  }
  return builder.build();
}

/** One run warms up. */
function timed(rounds: number, run: () => void): Spread {
  run();
  return spreadOf(
    Array.from({ length: rounds }, () => {
      const startMs = performance.now();
      run();
      return performance.now() - startMs;
    }),
  );
}
