// Process size per predictor when it is fed far more than it may keep, and whether the important arcs survive.

import { predictorNames } from '../../prefetchd/model/index.ts';
import type { BenchResult, Cell, Column, Target } from '../result.ts';
import { spreadOf } from '../spread.ts';
import type { MemoryWorkerAnswer } from './memory-worker.ts';
import { drowning } from './model-settings.ts';
import { measureIn } from './worker.ts';

export interface MemoryBenchSettings {
  rounds: number;
  say: (line: string) => void;
}

const mostMiB = 256;
const nobody = 'none';

export async function memoryBench({ rounds, say }: MemoryBenchSettings): Promise<BenchResult> {
  const names = [nobody, ...predictorNames];
  const answers = new Map<string, MemoryWorkerAnswer[]>(names.map((name) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const [name, list] of answers) {
      say(`round ${round} of ${rounds}: ${name}`);
      const worker = { script: './memory-worker.ts', args: [name] };
      list.push((await measureIn<MemoryWorkerAnswer>(worker)).answer);
    }
  }
  const { urls, clients, clientsAtATime, plantedArcs, readers } = drowning;
  return {
    name: 'prefetchd-memory',
    title: 'Memory of a predictor that is drowned',
    method: [
      `${count(urls)} distinct URLs are asked for once each, by ${count(clients)} clients, ${count(clientsAtATime)} at a time in turn, each with ${urls / clients} of them, so that windows and arcs fill as well; in between ${count(readers)} readers each follow one of ${plantedArcs} real links. Default options of each predictor, a process for each and for each round, ${rounds} rounds. \`${nobody}\` makes the accesses and learns nothing: what Node, and the type stripping that runs the sources, take by themselves.`,
    ],
    tables: [{ title: '', columns, rows: [...answers].map(rowOf) }],
    targets: [...answers].filter(([name]) => name !== nobody).flatMap(targetsOf),
  };
}

function rowOf([name, answers]: [string, MemoryWorkerAnswer[]]): Cell[] {
  const found = answers.flatMap((answer) => answer.found ?? []);
  return [
    name,
    spreadOf(answers.map(({ peakBytes }) => peakBytes / 2 ** 20)),
    spreadOf(answers.map(({ endBytes }) => endBytes / 2 ** 20)),
    found.length === 0 ? null : spreadOf(found),
  ];
}

function targetsOf([name, answers]: [string, MemoryWorkerAnswer[]]): Target[] {
  return [
    {
      what: `${name}: peak memory of the process`,
      limit: mostMiB,
      unit: 'MiB',
      digits: 0,
      measured: spreadOf(answers.map(({ peakBytes }) => peakBytes / 2 ** 20)),
      judgedBy: 'worst',
    },
    {
      what: `${name}: real links still found`,
      limit: drowning.plantedArcs,
      bound: 'at least',
      unit: `of ${drowning.plantedArcs}`,
      digits: 0,
      measured: spreadOf(answers.map(({ found }) => found ?? 0)),
      judgedBy: 'worst',
    },
  ];
}

const columns: Column[] = [
  { name: 'predictor', meaning: 'by its name on the command line' },
  { name: 'peak MiB', meaning: 'most resident memory the process ever had', digits: 0 },
  { name: 'end MiB', meaning: 'resident memory at the end', digits: 0 },
  {
    name: 'links found',
    meaning: 'real links that are the best hint after their page',
    digits: 0,
  },
];

function count(value: number): string {
  return value.toLocaleString('en');
}
