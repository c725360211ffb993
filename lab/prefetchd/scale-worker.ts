// One step of the bench `prefetchd-scale` in a process of its own: node scale-worker.ts STEP ARGUMENTS... Prints its time
// and memory, and what it found.

import { createWriteStream } from 'node:fs';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { accessWriter, rowsOf } from '../../cli/prefetchd/row-files.ts';
import { trainOnLogs } from '../../cli/prefetchd/train.ts';
import { importResult } from '../../cli/prefetchd/warehouse.ts';
import { fingerprintOf } from '../../prefetchd/model/graph/client-sets.ts';
import { GraphExport } from '../../prefetchd/model/graph-export.ts';
import { DoubleGraph } from '../../prefetchd/model/predictors/double-graph.ts';
import { learningStatement } from '../../prefetchd/warehouse/statement.ts';
import { writeAccesses } from './long-log.ts';
import { batchOf, siteAccesses } from './site.ts';

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
    const writer = await accessWriter(path);
    const accesses = siteAccesses(site);
    const most = 10_000;
    for (let line = 0; line < Number(count); line += most) {
      for (const [at, { timeMs: time, client, url, kind }] of batchOf(accesses, most).entries()) {
        const visitor = fingerprintOf(client);
        writer.add({ line: line + at, time, client, visitor, url, kind, entry: false });
      }
    }
    writer.end();
    await writeAccesses(siteAccesses(site), log, Number(count));
    return undefined;
  },
  async duckdb(path = '', result = '') {
    const { DuckDBInstance } = packageOfLab('@duckdb/node-api');
    const database = await (await DuckDBInstance.create()).connect();
    await database.run(`SET memory_limit = '8GB'; SET temp_directory = '${result}.spill'`);
    await database.run(`CREATE VIEW accesses AS SELECT * FROM '${path}'`);
    await database.run(`COPY (${statement('duckdb')}) TO '${result}'`);
    return undefined;
  },
  async clickhouse(path = '', result = '') {
    const { Session } = packageOfLab('chdb');
    const session = new Session(`${result}.session`);
    session.query(`CREATE VIEW accesses AS SELECT * FROM file('${path}')`);
    session.query(`INSERT INTO FUNCTION file('${result}') ${statement('clickhouse')}`);
    session.cleanup();
    return undefined;
  },
  async engine(path = '', ...results: string[]) {
    const caps = { maxClients: 1e6, maxArcs: 1e7, maxArcsPerNode: 1e4, minPageClients: 3 };
    const predictor = new DoubleGraph({ ...caps, window, halfLifeMs: null });
    let today: number | undefined;
    for await (const [rows] of rowsOf(path)) {
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
    await quietly(() => importResult(path, { store, halfLife: Infinity }));
    return undefined;
  },
  async train(log = '', store = '') {
    await quietly(() =>
      trainOnLogs([log], { store, halfLife: Infinity, format: 'auto', filter: false }),
    );
    return undefined;
  },
};

function statement(dialect: 'duckdb' | 'clickhouse'): string {
  const columns = { client: 'client', time: 'time:ms', url: 'url', visitor: 'visitor' };
  const options = { ...columns, kind: 'kind', order: 'line', window, halfLifeMs: null };
  return learningStatement({ dialect, table: 'accesses', ...options });
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
  for await (const [batch] of rowsOf(result)) {
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

async function quietly(run: () => Promise<unknown>): Promise<void> {
  const write = process.stdout.write;
  process.stdout.write = () => true;
  await run();
  process.stdout.write = write;
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
