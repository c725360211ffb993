// Learning in a warehouse and by `train` at growing lengths of a generated log: time, memory, and whether what was learned
// is equal.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { BenchResult, Cell, Target } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { spreadOf } from '../spread.ts';
import type { ScaleAnswer } from './scale-worker.ts';
import { measureIn } from './worker.ts';

export interface ScaleBenchSettings {
  /** Numbers of accesses. */
  lengths: number[];
  /** Number of rows of a made result, which is only imported. */
  resultRows: number;
  say: (line: string) => void;
}

/** The comparison keeps all arcs in memory. */
const mostCompared = 5_000_000;

export async function scaleBench({
  lengths,
  resultRows,
  say,
}: ScaleBenchSettings): Promise<BenchResult> {
  const name = 'prefetchd-scale';
  const title = 'Learning in a warehouse';
  const method = [
    'A log of a generated site (20,000 pages, 20,000 images, 200 visitors at a time, of whom each fifth leaves after a page) is written in the common format, and as Parquet by `prefetchd export --accesses`. DuckDB (@duckdb/node-api) and ClickHouse (chdb) run the statement of `prefetchd sql` on the Parquet, DuckDB with 8 GB of memory and both with all threads, and write Parquet, which `prefetchd import` reads. `train` reads the log. A made result of more URLs and arcs than a store keeps, as gzipped TSV, is imported as well. Each step is a process of its own; once.',
  ];
  const lab = createRequire(import.meta.url);
  try {
    for (const warehouse of ['@duckdb/node-api', 'chdb']) lab.resolve(warehouse);
  } catch {
    const skipped = '`npm install --prefix lab` has not installed @duckdb/node-api and chdb';
    return { name, title, method, tables: [], targets: [], skipped };
  }
  using scratch = new Scratch();
  const at = (file: string) => join(scratch.path, file);
  const rows: Cell[][] = [];
  const unequal: number[] = [];
  const run = async (length: number, title: string, what: string, ...args: (string | number)[]) => {
    say(`${length.toLocaleString('en')}: ${title}`);
    const worker = { script: './scale-worker.ts', args: [what, ...args] };
    const { answer } = await measureIn<ScaleAnswer>(worker);
    const { cpuMs, ms, peakBytes } = answer;
    if (!['make', 'engine', 'rows'].includes(what))
      rows.push([length, title, cpuMs / 1000, ms / 1000, peakBytes / 2 ** 20]);
    return answer;
  };
  for (const length of lengths) {
    const step = (what: string, ...args: (string | number)[]) => run(length, what, what, ...args);
    const [accesses, log] = [at(`${length}.parquet`), at(`${length}.log`)];
    await step('make', accesses, log, length);
    const results = ['duckdb', 'clickhouse'].map((dialect) => at(`${length}.${dialect}.parquet`));
    await step('duckdb', accesses, results[0] as string);
    await step('clickhouse', accesses, results[1] as string);
    await step('import', results[0] as string, `sqlite:${at(`${length}.import.db`)}`);
    await step('train', log, `sqlite:${at(`${length}.train.db`)}`);
    if (length > mostCompared) continue;
    const compared = await step('engine', accesses, ...results);
    say(`${compared.rows.toLocaleString('en')} rows compared, ${compared.unequal} differ`);
    unequal.push(compared.unequal);
  }
  const made = at('rows.tsv.gz');
  await run(resultRows, 'make rows', 'rows', made, resultRows);
  await run(resultRows, 'import of rows', 'import', made, `sqlite:${at('rows.db')}`);
  const equal: Target = {
    what: `rows of DuckDB and ClickHouse that differ from the engine's links, counts and visitors (up to ${mostCompared.toLocaleString('en')} accesses)`,
    limit: 0,
    unit: '',
    digits: 0,
    measured: spreadOf(unequal),
    judgedBy: 'worst',
  };
  const columns = [
    {
      name: 'accesses',
      meaning: 'of the log; at `import of rows` the rows of the made result',
      digits: 0,
    },
    { name: 'step', meaning: 'what ran', text: true as const },
    { name: 'CPU s', meaning: 'CPU time of all threads', digits: 0 },
    { name: 's', meaning: 'time, without the start of Node', digits: 0 },
    { name: 'peak MiB', meaning: 'most resident memory the process ever had', digits: 0 },
  ];
  return { name, title, method, tables: [{ title: '', columns, rows }], targets: [equal] };
}
