// One step of the bench `prefetchd-scale` in a process of its own: node scale-worker.ts STEP ARGUMENTS... Prints its time
// and memory, and what it found.

import { createWriteStream } from 'node:fs';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, zstdDecompressSync } from 'node:zlib';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { GraphExport } from '../../prefetchd/model/graph-export.ts';
import { predictorWith } from '../../prefetchd/model/index.ts';
import { builtService } from '../paths.ts';
import { writeAccesses } from './long-log.ts';
import { siteAccesses } from './site.ts';

export interface ScaleAnswer {
  ms: number;
  /** CPU time of all threads. */
  cpuMs: number;
  peakBytes: number;
  /** Rows of the result, and how many differ from the engine's; 0 in other steps. */
  rows: number;
  unequal: number;
}

/** Returns a package that `npm install --prefix lab` installs. */
const packageOfLab = createRequire(import.meta.url);
const site = { pages: 20_000, images: 20_000, visitors: 200, returning: false };
const dayMs = 24 * 60 * 60 * 1000;
const window = 4;

/** The numbers that are compared: what was counted, visitors up to six, and whether the page came next. */
type Counted = readonly [count: number, visitors: number, direct: number];

type Compared = Pick<ScaleAnswer, 'rows' | 'unequal'>;

const steps: Record<string, (...given: string[]) => Promise<Compared | undefined>> = {
  async make(path = '', log = '', count = '') {
    await writeAccesses(siteAccesses(site), log, Number(count));
    await command('export', '--accesses', path, '--no-filter', log);
    return undefined;
  },
  async duckdb(path = '', result = '') {
    const { DuckDBInstance } = packageOfLab('@duckdb/node-api');
    const database = await (await DuckDBInstance.create()).connect();
    await database.run(`SET memory_limit = '8GB'; SET temp_directory = '${result}.spill'`);
    await database.run(`CREATE VIEW accesses AS SELECT * FROM '${path}'`);
    await database.run(`COPY (${await statement('duckdb')}) TO '${result}'`);
    return undefined;
  },
  async clickhouse(path = '', result = '') {
    const { Session } = packageOfLab('chdb');
    const session = new Session(`${result}.session`);
    session.query(`CREATE VIEW accesses AS SELECT * FROM file('${path}')`);
    session.query(`INSERT INTO FUNCTION file('${result}') ${await statement('clickhouse')}`);
    session.cleanup();
    return undefined;
  },
  async engine(path = '', ...results: string[]) {
    const caps = { maxClients: 1e6, maxArcs: 1e7, maxArcsPerNode: 1e4, minPageClients: 3 };
    const predictor = predictorWith('double-graph', { ...caps, window, halfLifeMs: null });
    let today: number | undefined;
    for await (const rows of rowsOf(path)) {
      for (const row of rows as {
        time: bigint;
        visitor: bigint;
        client: string;
        url: string;
        kind: 'document';
      }[]) {
        const { client, url, kind } = row;
        const [timeMs, fingerprint] = [Number(row.time), Number(row.visitor)];
        today ??= timeMs;
        if (timeMs - today >= dayMs) {
          today += Math.floor((timeMs - today) / dayMs) * dayMs;
          predictor.forgetClients();
        }
        const facts = { status: 200, bytes: 0, prefetch: false };
        predictor.observe({ client, url, kind, timeMs, fingerprint, ...facts });
      }
    }
    const { urls, graphs } = new GraphExport(predictor).whole(0);
    const wanted = new Map<string, Counted>();
    for (const [graph, arcs] of graphs.entries()) {
      for (const { from, to, count, seen, clients } of arcs) {
        const what = graph === 1 ? 'part' : from === to ? 'page' : 'next';
        const visitors = Math.max(seen % 8, clients.length);
        const direct = what === 'next' && seen < 8 ? 1 : 0;
        wanted.set(`${what} ${urls[from]?.url} ${urls[to]?.url}`, [count, visitors, direct]);
      }
    }
    const each: Compared[] = [];
    for (const result of results) each.push(await compared(result, wanted));
    const sum = (of: keyof Compared) => each.reduce((total, one) => total + one[of], 0);
    return { rows: sum('rows'), unequal: sum('unequal') };
  },
  async rows(path = '', count = '') {
    const packed = createGzip({ level: 1 });
    await pipeline(Readable.from(resultLines(Number(count))), packed, createWriteStream(path));
    return undefined;
  },
  async import(path = '', store = '') {
    await command('import', path, '--store', store, '--half-life', 'inf');
    return undefined;
  },
  async train(log = '', store = '') {
    await command('train', log, '--store', store, '--half-life', 'inf', '--no-filter');
    return undefined;
  },
};

function statement(dialect: 'duckdb' | 'clickhouse'): Promise<string> {
  const columns = '--time time:ms --visitor visitor --kind kind --order line'.split(' ');
  const options = [...columns, '--window', String(window), '--half-life', 'inf'];
  return command('sql', '--dialect', dialect, '--table', 'accesses', ...options);
}

/** Yields a result as a warehouse orders it, pages first and the strongest arcs next, with more URLs and arcs than a store
 *  keeps, as lines in pieces. */
function* resultLines(count: number): Generator<string> {
  const pages = 120_000;
  let piece = 'what\tsource\ttarget\tcount\tvisitors\tdirect\n';
  for (let at = 0; at < count; at++) {
    const [source, distance] = [at % pages, Math.floor(at / pages)];
    const what = distance === 0 ? 'page' : 'next';
    const ends = `/page/${source}\t/page/${(source + distance) % pages}`;
    piece += `${what}\t${ends}\t${count - at}\t5\t${at % 2}\n`;
    if (piece.length < 2 ** 16) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/** Returns the number of rows of a result, and how many differ from the engine's, absent ones included. */
async function compared(result: string, wanted: ReadonlyMap<string, Counted>): Promise<Compared> {
  let [rows, unequal] = [0, 0];
  for await (const batch of rowsOf(result)) {
    for (const row of batch as Record<string, unknown>[]) {
      if (row['what'] === 'object') continue;
      rows++;
      const [count, visitors, direct] = ['count', 'visitors', 'direct'].map((name) =>
        Number(row[name]),
      );
      const is = wanted.get(`${row['what']} ${row['source']} ${row['target']}`);
      if (`${is}` !== `${[count, Math.min(visitors as number, 6), direct]}`) unequal++;
    }
  }
  return { rows, unequal: unequal + Math.max(0, wanted.size - rows) };
}

/** Yields the rows of a Parquet file by row groups. */
async function* rowsOf(path: string): AsyncGenerator<Record<string, unknown>[]> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const compressors = { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) };
  let rowEnd = 0;
  for (const { num_rows } of metadata.row_groups) {
    const rowStart = rowEnd;
    rowEnd += Number(num_rows);
    yield await parquetReadObjects({ file, metadata, rowStart, rowEnd, compressors });
  }
}

/** Runs `prefetchd` as built, in this process, so that its time and memory are measured. Returns what it prints. */
async function command(...args: string[]): Promise<string> {
  const { write } = process.stdout;
  let printed = '';
  process.stdout.write = (text: unknown) => {
    printed += text;
    return true;
  };
  process.argv.splice(2, Infinity, ...args);
  await import(builtService);
  process.stdout.write = write;
  if (process.exitCode !== 0) throw new Error(`prefetchd ${args.join(' ')} failed`);
  return printed;
}

const [step = '', ...given] = process.argv.slice(2);
const startMs = performance.now();
const found = await steps[step]?.(...given);
const { user, system } = process.cpuUsage();
const answer: ScaleAnswer = {
  ms: performance.now() - startMs,
  cpuMs: (user + system) / 1000,
  peakBytes: process.resourceUsage().maxRSS * 1024,
  ...{ rows: 0, unequal: 0, ...found },
};
process.stdout.write(JSON.stringify(answer));
