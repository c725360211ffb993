// Learning in a warehouse and by `train` at growing lengths of a generated log: time, memory, and whether what was learned
// is equal.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { BenchResult, Cell, Target } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { spreadOf } from '../spread.ts';
import type { ScaleAnswer } from './scale-worker.ts';
import { measureIn } from './worker.ts';

export interface ScaleBenchSettings {
  /** Numbers of accesses. */
  lengths: number[];
  say: (line: string) => void;
}

/** The comparison keeps all arcs in memory. */
const mostCompared = 5_000_000;

export async function scaleBench({ lengths, say }: ScaleBenchSettings): Promise<BenchResult> {
  const name = 'prefetchd-scale';
  const title = 'Learning in a warehouse';
  const method = [
    'A log of a generated site (20,000 pages, 20,000 images, 200 visitors at a time, of whom each fifth leaves after a page) is written as Parquet and in the common format. DuckDB (@duckdb/node-api) and ClickHouse (chdb) run the statement of `prefetchd sql` on the Parquet, DuckDB with 8 GB of memory and both with all threads, and write Parquet, which `prefetchd import` reads. `train` reads the log. Each step is a process of its own; once.',
  ];
  using scratch = new Scratch();
  const at = (file: string) => join(scratch.path, file);
  const npm = ['install', '--prefix', scratch.path, '--no-audit', '--no-fund'];
  try {
    execFileSync('npm', [...npm, '@duckdb/node-api', 'chdb'], { stdio: 'pipe' });
  } catch {
    const skipped = 'npm cannot get @duckdb/node-api and chdb';
    return { name, title, method, tables: [], targets: [], skipped };
  }
  const rows: Cell[][] = [];
  const unequal: number[] = [];
  for (const length of lengths) {
    const step = async (what: string, ...args: (string | number)[]) => {
      say(`${length.toLocaleString('en')} accesses: ${what}`);
      const worker = { script: './scale-worker.ts', args: [what, ...args] };
      const { answer } = await measureIn<ScaleAnswer>(worker);
      if (what !== 'make' && what !== 'engine')
        rows.push([
          length,
          what,
          answer.cpuMs / 1000,
          answer.ms / 1000,
          answer.peakBytes / 2 ** 20,
        ]);
      return answer;
    };
    const [accesses, log] = [at(`${length}.parquet`), at(`${length}.log`)];
    await step('make', accesses, log, length);
    const results = ['duckdb', 'clickhouse'].map((dialect) => at(`${length}.${dialect}.parquet`));
    await step('duckdb', scratch.path, accesses, results[0] as string);
    await step('clickhouse', scratch.path, accesses, results[1] as string);
    await step('import', results[0] as string, `sqlite:${at(`${length}.import.db`)}`);
    await step('train', log, `sqlite:${at(`${length}.train.db`)}`);
    if (length > mostCompared) continue;
    const compared = await step('engine', accesses, ...results);
    say(`${compared.rows.toLocaleString('en')} rows compared, ${compared.unequal} differ`);
    unequal.push(compared.unequal);
  }
  const equal: Target = {
    what: `rows of DuckDB and ClickHouse that differ from the engine's links, counts and visitors (up to ${mostCompared.toLocaleString('en')} accesses)`,
    limit: 0,
    unit: '',
    digits: 0,
    measured: spreadOf(unequal),
    judgedBy: 'worst',
  };
  const columns = [
    { name: 'accesses', meaning: 'of the log', digits: 0 },
    { name: 'step', meaning: 'what ran', text: true as const },
    { name: 'CPU s', meaning: 'CPU time of all threads', digits: 0 },
    { name: 's', meaning: 'time, without the start of Node', digits: 0 },
    { name: 'peak MiB', meaning: 'most resident memory the process ever had', digits: 0 },
  ];
  return { name, title, method, tables: [{ title: '', columns, rows }], targets: [equal] };
}
