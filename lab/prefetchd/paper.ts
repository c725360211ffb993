// The paper's evaluation (Padmanabhan 1995, 8) on a public log: its sweep, its figures, and whether its results hold
// for this log too.

import { predictorNames } from '../../prefetchd/model/index.ts';
import {
  paperFetchTime,
  paperSweep,
  type Simulation,
  simulateDefaults,
  sweep,
  type Trace,
  timingModels,
} from '../../prefetchd/simulate/index.ts';
import type { BenchResult, DrawnChart } from '../result.ts';
import { charts } from './charts/charts.ts';
import { toSvg } from './charts/svg.ts';
import { findingTable } from './finding.ts';
import { claimsOf, type LogTraits, trafficSpent } from './paper-claims.ts';
import { PaperPoints } from './paper-points.ts';
import { paperTables, savedTable } from './paper-tables.ts';
import { realLog } from './real-log.ts';
import { shapesOf } from './shapes.ts';
import { sweepProgress } from './sweep-progress.ts';

export interface PaperBenchSettings {
  log: string;
  say: (line: string) => void;
}

/** Sizes drawn in figure 14; more only make the file large. */
const shownSizes = 300;

export async function paperBench({ log, say }: PaperBenchSettings): Promise<BenchResult> {
  const { trace, name, lines } = await realLog(log, true);
  const from = Math.round(trace.accesses.length * simulateDefaults.train);
  const paper = await sweep(trace, {
    ...paperSweep,
    models: timingModels,
    capByLead: false,
    onProgress: sweepProgress("the paper's sweep, simple and timed", say),
  });
  const capped = await sweep(trace, {
    ...paperSweep,
    models: ['timed'],
    onProgress: sweepProgress('the same, timed and capped by the lead', say),
  });
  const points = new PaperPoints(paper);
  const traits = traitsOf(trace, from);
  return {
    name: 'prefetchd-paper',
    title: "The paper's evaluation on the EPA log",
    method: [
      `${name}: ${count(trace.accesses.length)} accesses in ${count(lines)} lines, the rest being errors, other methods and a few robots. The first ${count(from)} teach, as 50,000 of the paper's 120,000 did, ${count(trace.accesses.length - from)} are simulated. 4 MB LRU cache a client, blocks of 8 KB, fetch time ${paperFetchTime.latencyMs / 1000} s + ${(paperFetchTime.perByteMs / 1000).toExponential(2)} s a byte, the dependency graph, i without limit where not said, and no cap by the lead: all as in chapter 8. p of 1 and above hints nothing.`,
      'The figures bear the numbers of those in the paper: `--log LOG --write` draws them for another log. The last one sets all predictors side by side, each with the best w, p and i for so much traffic; none is capped by the lead there either.',
    ],
    tables: [
      findingTable([...claimsOf(points, traits), ...shapesOf(points)]),
      savedTable(trafficSpent, [
        { name: 'simple', simulation: paper, of: 'simple' },
        { name: 'timed', simulation: paper, of: 'timed' },
        { name: 'timed, capped by the lead', simulation: capped, of: 'timed' },
      ]),
      ...paperTables(points),
    ],
    targets: [],
    charts: await draw(name, trace, from, paper, say),
  };
}

function traitsOf(trace: Trace, from: number): LogTraits {
  const lastMs = new Map<object, number>();
  let objects = 0;
  let hurried = 0;
  for (const [index, { client, timeMs, file }] of trace.accesses.entries()) {
    const gapMs = timeMs - (lastMs.get(client) ?? Number.NEGATIVE_INFINITY);
    lastMs.set(client, timeMs);
    if (index < from || file.isDocument) continue;
    objects++;
    if (gapMs < paperFetchTime.latencyMs) hurried++;
  }
  return { objectShare: objects / (trace.accesses.length - from), hurriedShare: hurried / objects };
}

async function draw(
  logName: string,
  trace: Trace,
  from: number,
  paper: Simulation,
  say: (line: string) => void,
): Promise<DrawnChart[]> {
  const { points } = await sweep(trace, {
    predictors: predictorNames.filter((name) => name !== 'dependency-graph'),
    windows: [2, 4, 8],
    thresholds: paperSweep.thresholds,
    limits: paperSweep.limits,
    models: ['timed'],
    capByLead: false,
    onProgress: sweepProgress('the other predictors', say),
  });
  const sizes = trace.accesses.slice(from).map(({ bytes }) => bytes);
  const every = Math.ceil(sizes.length / shownSizes);
  const drawn = charts({
    logName,
    paper,
    others: points,
    fetchTime: paperFetchTime,
    sizes: sizes.filter((_, index) => index % every === 0),
  });
  return Promise.all(
    drawn.map(async ({ name, spec }) => ({
      file: `${name}.svg`,
      alt: titleOf(spec.title),
      svg: await toSvg(spec),
    })),
  );
}

function titleOf(title: unknown): string {
  const text = (title as { text?: unknown } | undefined)?.text;
  return typeof text === 'string' ? text : 'chart';
}

function count(value: number): string {
  return value.toLocaleString('en');
}
