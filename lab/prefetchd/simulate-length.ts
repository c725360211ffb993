// Whether the cost of a simulation grows no faster than the log: the whole run from file to figures, for generated
// logs, each length in new processes.

import { join } from 'node:path';
import type { Cell, Table, Target } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { ratios, spreadOf } from '../spread.ts';
import type { CostAtLength } from './cost-chart.ts';
import { writeAccesses } from './long-log.ts';
import type { SimulateWorkerAnswer } from './simulate-worker.ts';
import { siteAccesses } from './site.ts';
import { measureIn } from './worker.ts';

export interface LengthSettings {
  rounds: number;
  say: (line: string) => void;
}

export const lengths = [125_000, 250_000, 500_000, 1_000_000, 1_500_000, 2_000_000];
/** CPU time a line that grows by more than this from a quarter of a million to two millions is not linear. */
const mostGrowth = 1.25;
const growsFrom = 250_000;

export const lengthSite = { pages: 2000, images: 4000, visitors: 500, returning: false };

export async function costOverLength({ rounds, say }: LengthSettings) {
  using scratch = new Scratch();
  const files = lengths.map((lines) => ({ lines, path: join(scratch.path, `${lines}.log`) }));
  for (const { lines, path } of files) {
    say(`writing ${lines.toLocaleString('en')} lines`);
    await writeAccesses(siteAccesses(lengthSite), path, lines);
  }
  const answers = new Map(lengths.map((lines) => [lines, [] as SimulateWorkerAnswer[]]));
  for (let round = 0; round <= rounds; round++) {
    for (const { lines, path } of files) {
      say(`${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}: ${lines} lines`);
      const worker = { script: './simulate-worker.ts', args: ['timed', path] };
      const { answer } = await measureIn<SimulateWorkerAnswer>(worker);
      if (answer.accesses !== lines) throw new Error(`${answer.accesses} accesses of ${lines}`);
      if (round > 0) answers.get(lines)?.push(answer);
      if (round === 0 && lines === lengths[1]) break; // enough to have Node itself in memory
    }
  }
  const cpuUs = (lines: number) => (answers.get(lines) ?? []).map((answer) => cpuUsOf(answer));
  const longest = lengths.at(-1) as number;
  const target: Target = {
    what: 'CPU time a line at 2,000,000 lines over that at 250,000 (linear: 1)',
    limit: mostGrowth,
    unit: '',
    measured: spreadOf(ratios(cpuUs(longest), cpuUs(growsFrom))),
    judgedBy: 'median',
  };
  const costs = lengths.map(
    (lines): CostAtLength => ({
      lines,
      cpuUsPerLine: spreadOf(cpuUs(lines)).median,
      peakMiB: spreadOf(mebibytes(answers.get(lines) ?? [])).median,
    }),
  );
  return { table: tableOf(answers), target, costs };
}

function tableOf(answers: ReadonlyMap<number, SimulateWorkerAnswer[]>): Table {
  return {
    title: 'Cost over the length of a log: one point, timed model',
    columns: [
      { name: 'lines', meaning: 'of the log, each an access', digits: 0 },
      { name: 'clients', meaning: 'visitors in it', digits: 0 },
      { name: 'reading us', meaning: 'from the file into columns, wall time / lines' },
      { name: 'simulating us', meaning: 'wall time / lines' },
      {
        name: 'CPU us',
        meaning:
          'CPU time of both, on all threads / lines: what else the machine does is not in it',
      },
      { name: 'peak MiB', meaning: 'most resident memory the process ever had', digits: 0 },
    ],
    rows: [...answers].map(([lines, list]): Cell[] => {
      const us = (of: (answer: SimulateWorkerAnswer) => number) =>
        spreadOf(list.map((answer) => (of(answer) / lines) * 1000));
      return [
        lines,
        list[0]?.clients ?? null,
        us(({ reading }) => reading.wallMs),
        us(({ simulating }) => simulating[0]?.wallMs ?? 0),
        spreadOf(list.map(cpuUsOf)),
        spreadOf(mebibytes(list)),
      ];
    }),
  };
}

function cpuUsOf({ accesses, reading, simulating }: SimulateWorkerAnswer): number {
  return ((reading.cpuMs + (simulating[0]?.cpuMs ?? 0)) / accesses) * 1000;
}

function mebibytes(list: readonly SimulateWorkerAnswer[]): number[] {
  return list.map(({ peakBytes }) => peakBytes / 2 ** 20);
}
