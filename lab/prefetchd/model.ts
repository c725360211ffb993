// Cost of a predictor: accesses learned per second, duration of observe and predict with 100,000 URLs, and bytes per
// arc. Each round of each predictor runs in a new process.

import { type PredictorName, predictorNames } from '../../prefetchd/model/index.ts';
import type { BenchResult, Cell, Column, Target } from '../result.ts';
import { spreadOf } from '../spread.ts';
import { modelCounts, modelPredict, modelSite, modelWindow } from './model-settings.ts';
import type { ModelWorkerAnswer } from './model-worker.ts';
import { measureIn } from './worker.ts';

export interface ModelBenchSettings {
  rounds: number;
  say: (line: string) => void;
}

const mostP99Us = 20;
const mostBytesPerArc = 200;

export async function modelBench({ rounds, say }: ModelBenchSettings): Promise<BenchResult> {
  const answers = new Map<PredictorName, ModelWorkerAnswer[]>(
    predictorNames.map((name) => [name, []]),
  );
  for (let round = 1; round <= rounds; round++) {
    for (const [name, list] of answers) {
      say(`round ${round} of ${rounds}: ${name}`);
      const worker = { script: './model-worker.ts', args: [name] };
      list.push((await measureIn<ModelWorkerAnswer>(worker)).answer);
    }
  }
  const { pages, images, visitors } = modelSite;
  return {
    name: 'prefetchd-model',
    title: 'Predictors in process',
    method: [
      `A site made up from a seed: ${count(pages)} pages and ${count(images)} images, pages as popular as Zipf's law has it, ${count(visitors)} clients; w = ${modelWindow}. Every URL is known before; then ${count(modelCounts.warmUp)} accesses warm up, ${count(modelCounts.learned)} are learned and timed as a whole, and ${count(modelCounts.timed)} are timed one by one after half as many that are not (predict with p = ${modelPredict.threshold}, i = ${modelPredict.limit}). Collecting garbage, trimming what is weak and the clock itself are in the times; making the accesses is not. A process for each predictor and round, ${rounds} rounds.`,
    ],
    tables: [{ title: '', columns, rows: [...answers].map(rowOf) }],
    targets: [...[...answers].map(p99Target), ...arcTargets(answers)],
  };
}

function rowOf([name, answers]: [PredictorName, ModelWorkerAnswer[]]): Cell[] {
  const cell = (of: (answer: ModelWorkerAnswer) => number) => spreadOf(answers.map(of));
  const perArc = bytesPerArc(answers);
  const arcs = answers.flatMap((answer) => answer.arcs ?? []);
  return [
    name,
    cell(({ observesPerS }) => observesPerS / 1000),
    cell(({ predictUs }) => predictUs.p50),
    cell(({ predictUs }) => predictUs.p99),
    cell(({ bothUs }) => bothUs.p50),
    cell(({ bothUs }) => bothUs.p99),
    cell(({ bothUs }) => bothUs.p9999),
    cell(({ bytes }) => bytes / 2 ** 20),
    arcs.length === 0 ? null : spreadOf(arcs.map((each) => each / 1000)),
    perArc.length === 0 ? null : spreadOf(perArc),
  ];
}

function p99Target([name, answers]: [PredictorName, ModelWorkerAnswer[]]): Target {
  return {
    what: `${name}: observe and predict, 99th percentile`,
    limit: mostP99Us,
    unit: 'us',
    measured: spreadOf(answers.map(({ bothUs }) => bothUs.p99)),
    judgedBy: 'median',
  };
}

/** Of those that tell their arcs. */
function arcTargets(answers: ReadonlyMap<PredictorName, ModelWorkerAnswer[]>): Target[] {
  return [...answers].flatMap(([name, list]): Target[] => {
    const perArc = bytesPerArc(list);
    if (perArc.length === 0) return [];
    return [
      {
        what: `${name}: memory for each arc, URLs and clients included`,
        limit: mostBytesPerArc,
        unit: 'bytes',
        digits: 0,
        measured: spreadOf(perArc),
        judgedBy: 'worst',
      },
    ];
  });
}

function bytesPerArc(answers: readonly ModelWorkerAnswer[]): number[] {
  return answers.flatMap(({ bytes, arcs }) => (arcs === null ? [] : bytes / arcs));
}

const columns: Column[] = [
  { name: 'predictor', meaning: 'by its name on the command line' },
  { name: 'k observe/s', meaning: 'thousands of accesses learned a second', digits: 0 },
  { name: 'predict p50', meaning: 'time of predict alone, median, us', digits: 1 },
  { name: 'predict p99', meaning: '99 of 100 take no longer', digits: 1 },
  { name: 'both p50', meaning: 'observe and predict, us', digits: 1 },
  { name: 'both p99', meaning: '99 of 100 take no longer', digits: 1 },
  { name: 'both p99.99', meaning: '9,999 of 10,000 take no longer', digits: 0 },
  {
    name: 'MiB',
    meaning: 'heap and array buffers grown by what was learned, after collecting garbage',
    digits: 1,
  },
  { name: 'k arcs', meaning: 'thousands of arcs; `-`: the predictor does not tell', digits: 0 },
  { name: 'bytes/arc', meaning: 'all of MiB / arcs', digits: 0 },
];

function count(value: number): string {
  return value.toLocaleString('en');
}
