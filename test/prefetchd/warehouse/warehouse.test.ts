// What a warehouse learns by the statement of `prefetchd sql` is what the engine learns, and `prefetchd import` brings
// it into a store. DuckDB, ClickHouse (chdb) and the reference implementation of BigQuery's language (ZetaSQL) are packages
// of the laboratory (`npm install --prefix lab`); Spark runs where Java is installed and a Python, that of PYSPARK_PYTHON or
// `python3`, has pyspark. Where one is missing, its tests are skipped by name, except those of the packages where
// NEEDS_PACKAGES is set, as in .ci/run. ZetaSQL has 128 MB for a statement, enough for the first thousands of accesses.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { drawnOn } from '../../../cli/output-terminal.ts';
import { trainOnLogs } from '../../../cli/prefetchd/train.ts';
import { exportAccesses, importResult } from '../../../cli/prefetchd/warehouse.ts';
import { Engine } from '../../../prefetchd/engine/engine.ts';
import { prefetchdConstants } from '../../../prefetchd/engine/prefetchd-options.ts';
import { readLog } from '../../../prefetchd/log/index.ts';
import { DeltaBuilder } from '../../../prefetchd/model/delta/delta-builder.ts';
import type { GraphDelta } from '../../../prefetchd/model/delta/graph-delta.ts';
import { fingerprintOf } from '../../../prefetchd/model/graph/client-sets.ts';
import { GraphExport } from '../../../prefetchd/model/graph-export.ts';
import type { Observation } from '../../../prefetchd/model/predictor.ts';
import { DoubleGraph } from '../../../prefetchd/model/predictors/double-graph.ts';
import { saltOf } from '../../../prefetchd/model/salt.ts';
import { RedisStore } from '../../../prefetchd/store/redis/redis-store.ts';
import { SqliteGraphStore } from '../../../prefetchd/store/sqlite/sqlite-graph-store.ts';
import { openStore, parseStore } from '../../../prefetchd/store/store-location.ts';
import { isInstalled, runToEnd, withoutPackage } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { loaded } from '../../support/graph-deltas.ts';
import { servingPrefetchd } from '../../support/prefetchd-command.ts';
import { RedisServer, whyNoRedis } from '../../support/redis.ts';

const command = fileURLToPath(new URL('../../../cli/prefetchd.ts', import.meta.url));
const epa = fileURLToPath(new URL('../../../fixtures/logs/epa-http-1995.clf.gz', import.meta.url));
const folder = folderOfTests();
const prefetchd = (args: string[], input = '') => {
  const child = spawn(process.execPath, [command, ...args], { cwd: folder });
  child.stdin.end(input);
  return runToEnd(child);
};

const python = process.env.PYSPARK_PYTHON ?? 'python3';
const types =
  'line UInt64, at Int64, client String, visitor String, url String, kind String, entry Bool';
const packages = fileURLToPath(new URL('../../../lab/node_modules', import.meta.url));
symlinkSync(packages, join(folder, 'node_modules'), 'junction');
const whyNot = (name: string) =>
  existsSync(join(packages, name)) || process.env.NEEDS_PACKAGES !== undefined
    ? ''
    : `npm install --prefix lab has not installed ${name}`;

/** How each warehouse reads a file of accesses and writes the result of a statement, in a process of its own. */
const warehouses = {
  duckdb: {
    why: () => whyNot('@duckdb/node-api'),
    most: Infinity,
    run: process.execPath,
    program: (statement: string, accesses: string, result: string) => {
      const ofText = `read_csv('${accesses}', delim = '\t', header = true, quote = '')`;
      const table = /\.(?:parquet|jsonl)$/.test(accesses) ? `'${accesses}'` : ofText;
      const form = result.endsWith('.parquet') ? '' : "(DELIMITER '\t', HEADER)";
      const make = `CREATE TABLE visits AS SELECT * FROM ${table}`;
      const copy = `COPY (${statement}) TO '${result}' ${form}`;
      return `require('@duckdb/node-api').DuckDBInstance.create().then((it) => it.connect()).then(async (it) => {
        await it.run(${JSON.stringify(make)});
        await it.run(${JSON.stringify(copy)});
      })`;
    },
  },
  clickhouse: {
    why: () => whyNot('chdb'),
    most: Infinity,
    run: process.execPath,
    program: (statement: string, accesses: string, result: string) => {
      const table = `CREATE VIEW visits AS SELECT * FROM file('${accesses}', 'TSVWithNames', '${types}')`;
      return `const it = new (require('chdb').Session)();
        it.query(${JSON.stringify(table)});
        const rows = it.query(${JSON.stringify(statement)}, 'TSVWithNames');
        require('node:fs').writeFileSync('${result}', rows); it.cleanup()`;
    },
  },
  bigquery: {
    why: () =>
      `${process.platform} ${process.arch}` === 'linux x64'
        ? whyNot(zetaSql)
        : 'it is for Linux on x64',
    most: 3000,
    run: process.execPath,
    program: (statement: string, accesses: string, result: string) => `
      const { ZetaSQLClient, LanguageOptions } = require('${zetaSql}');
      const { chmodSync, readFileSync, writeFileSync } = require('node:fs');
      const server = require.resolve('${zetaSql}').replace(/index.js$/, 'zetasql/remote_server.so');
      chmodSync(server, 0o755);
      const free = require('node:net').createServer().listen(0, '127.0.0.1', () => {
        const { port } = free.address();
        free.close(() => learn(port));
      });
      async function learn(port) {
        const child = require('node:child_process').spawn(server, ['localhost', String(port)], { stdio: 'ignore' });
        try {
          ZetaSQLClient.init(port);
          await ZetaSQLClient.getInstance().testConnection();
          const language = await new LanguageOptions().enableMaximumLanguageFeatures();
          const languageOptions = language.serialize();
          const [names, ...lines] = readFileSync('${accesses}', 'utf8').trimEnd().split('\\n').map((line) => line.split('\\t'));
          const kind = (name) => ({ line: 'int64', at: 'int64', entry: 'bool' })[name] ?? 'string';
          const cell = (text, at) => ({ [kind(names[at]) + 'Value']: text === 'true' ? true : text === 'false' ? false : text });
          const column = names.map((name) => ({ name, type: { typeKind: 'TYPE_' + kind(name).toUpperCase() } }));
          const simpleCatalog = { name: 'logs', table: [{ name: 'visits', column }], builtinFunctionOptions: { languageOptions } };
          const tableContent = { visits: { tableData: { row: lines.map((line) => ({ cell: line.map(cell) })) } } };
          const sql = ${JSON.stringify(statement)};
          const { content } = await new Promise((resolve, reject) => ZetaSQLClient.API.EvaluateQuery(
            { sql, simpleCatalog, options: { languageOptions }, tableContent },
            (error, answer) => error ? reject(error) : resolve(answer),
          ));
          const rows = content.tableData.row.map((row) => row.cell.map((each) => String(each[each.value])).join('\\t'));
          writeFileSync('${result}', ['', ...rows, ''].join('\\n'));
        } finally { child.kill(); }
      }`,
  },
  spark: {
    why: () => whyNoSpark,
    most: Infinity,
    run: python,
    program: (statement: string, accesses: string, result: string) => `
from pyspark.sql import SparkSession
local = SparkSession.builder.master('local[2]').config('spark.ui.enabled', 'false').config('spark.sql.shuffle.partitions', '2')
spark = local.config('spark.driver.bindAddress', '127.0.0.1').config('spark.driver.host', '127.0.0.1').getOrCreate()
spark.read.csv('${accesses}', sep='\\t', header=True, quote='', schema='${types.replace(/U?Int64/g, 'LONG').replace('Bool', 'BOOLEAN')}').createOrReplaceTempView('visits')
rows = spark.sql(${JSON.stringify(statement)}).collect()
open('${result}', 'w').write('\\n' + ''.join('\\t'.join(map(str, row)) + '\\n' for row in rows))`,
  },
};

const zetaSql = '@fivetrandevelopers/zetasql';
const hasSpark = () => spawnSync(python, ['-c', 'import pyspark']).status === 0;
const noPython = `${python} has no pyspark`;
const whyNoSpark = isInstalled('java') ? (hasSpark() ? '' : noPython) : 'there is no Java';

/** Writes the accesses as a warehouse has them. */
async function exported(name: string, accesses: readonly Observation[]): Promise<string> {
  const rows = accesses.map(({ timeMs, client, fingerprint, url, kind, entry = false }, at) =>
    [at, timeMs, client, fingerprint ?? fingerprintOf(client), url, kind, entry].join('\t'),
  );
  const path = join(folder, name);
  await writeFile(path, `line\tat\tclient\tvisitor\turl\tkind\tentry\n${rows.join('\n')}\n`);
  return path;
}

/** Lets a warehouse learn from exported accesses. @returns the file of the result */
async function learnedBy(
  dialect: keyof typeof warehouses,
  accesses: string,
  flags: string[],
  result = `${accesses}.${dialect}`,
) {
  const columns = ['--time', 'at:ms', '--visitor', 'visitor', '--order', 'line'];
  const of = ['--dialect', dialect, '--table', 'visits', ...columns, ...flags];
  const { stdout, stderr } = await prefetchd(['sql', ...of]);
  expect(stderr).toBe('');
  const { run, program } = warehouses[dialect];
  const path = join(folder, `${dialect}.program`);
  await writeFile(path, program(stdout, accesses, result));
  execFileSync(run, [path], { cwd: folder, stdio: 'pipe' });
  return result;
}

/** Returns the rows that a result must have if it equals a graph. */
function rowsOf({ urls, graphs: [pages = [], parts = []] }: GraphDelta): Map<string, number[]> {
  const rows = new Map<string, number[]>();
  const url = (at: number) => urls[at]?.url;
  for (const { from, to, count, seen } of pages) {
    const row = from === to ? 'page' : 'next';
    rows.set(`${row} ${url(from)} ${url(to)}`, [count, seen % 8, from === to || seen > 7 ? 0 : 1]);
  }
  for (const { from, to, count, seen } of parts) {
    rows.set(`part ${url(from)} ${url(to)}`, [count, seen % 8, 0]);
  }
  return rows;
}

async function rowsIn(result: string): Promise<Map<string, number[]>> {
  const lines = (await readFile(result, 'utf8')).trimEnd().split('\n').slice(1);
  const rows = lines.map((line) => line.split('\t')).filter(([what]) => what !== 'object');
  return new Map(
    rows.map(([what, source, target, count, visitors, direct]) => [
      `${what} ${source} ${target}`,
      [Number(count), Math.min(Number(visitors), 6), Number(direct)],
    ]),
  );
}

const read: Observation[] = [];
const learned: Observation[] = [];
/** The log without large responses: the engine learns no arcs to large pages, which a view leaves out. */
const log = join(folder, 'small.log');
beforeAll(async () => {
  const lines = gunzipSync(await readFile(epa))
    .toString('latin1')
    .split('\n');
  const isSmall = (line: string) => !(Number(line.split(' ').at(-1)) > 100_000);
  await writeFile(log, lines.filter(isSmall).join('\n'), 'latin1');
  for await (const batch of readLog([log])) read.push(...batch);
  read.sort((one, other) => one.timeMs - other.timeMs);
  // It runs in this process, because the visitors that it counts depend on its salt.
  const observe = vi.spyOn(DoubleGraph.prototype, 'observe');
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(prefetchdConstants, 'newSalt').mockImplementation((nowMs) =>
    saltOf(new Uint8Array(16), nowMs),
  );
  const store = `sqlite:${join(folder, 'train.db')}`;
  const flags = { format: 'auto', filter: true };
  await trainOnLogs([log], { store, halfLife: Infinity, ...flags });
  learned.push(...observe.mock.calls.map(([access]) => access));
  for (const name of ['accesses.parquet', 'accesses.jsonl']) {
    await exportAccesses(join(folder, name), [log], flags);
  }
  vi.restoreAllMocks();
}, 120_000);

describe.each(['duckdb', 'clickhouse', 'bigquery', 'spark'] as const)('%s', (dialect) => {
  const { most } = warehouses[dialect];
  const why = warehouses[dialect].why();

  test.skipIf(why).each([
    ['of a log', () => read, 4, null, [] as string[]],
    ['of what the engine learns', () => learned, 4, null, ['--kind', 'kind']],
    [
      'with w 3, ageing in an hour, of a log where each ninth page was opened from elsewhere',
      () => read.map((access, at) => ({ ...access, entry: at % 9 === 0 })),
      3,
      3_600_000,
      ['--entry', 'entry'],
    ],
  ])(
    `learns the graph %s ${why}`,
    { timeout: 600_000 },
    async (title, all, window, halfLifeMs, flags) => {
      const accesses = all().slice(0, most);
      const caps = { maxClients: 1e5, maxArcsPerNode: 1000 };
      const predictor = new DoubleGraph({ ...caps, window, halfLifeMs, minPageClients: 3 });
      for (const access of accesses) predictor.observe(access);
      const whole = new GraphExport(predictor).whole(0);
      for (const arc of whole.graphs.flat()) arc.seen += arc.clients.length;
      const wanted = rowsOf(whole);
      const life = halfLifeMs === null ? 'inf' : `${halfLifeMs}ms`;
      const usual = ['--window', `${window}`, '--half-life', life];
      const file = await exported(title, accesses);
      const found = await rowsIn(await learnedBy(dialect, file, [...usual, ...flags]));
      expect([...found.keys()].sort()).toEqual([...wanted.keys()].sort());
      for (const [row, [count = 0, ...rest]] of wanted) {
        const [counted = 0, ...others] = found.get(row) ?? [];
        expect([row, ...others]).toEqual([row, ...rest]);
        expect(Math.abs(counted - count)).toBeLessThanOrEqual(1e-9 * count);
      }
    },
  );
});

describe('prefetchd import', () => {
  const rows = (...lines: (string | number)[][]) =>
    lines.map((line) => `${line.join('\t')}\n`).join('');
  const header = ['what', 'source', 'target', 'count', 'visitors', 'direct'];
  const page = (url: string, count = 9) => ['page', url, url, count, 5, 0];
  const walk = rows(header, page('/a'), page('/b', 6), ['next', '/a', '/b', 6, 5, 1]);

  const whyNoDuckDb = warehouses.duckdb.why();
  const hintsOf = async (path: string) => {
    const store = new SqliteGraphStore(path);
    await using engine = new Engine({ store, halfLifeMs: null, load: () => 0 });
    await engine.ready;
    return new Map([...engine.pages(10_000)].map((each) => [each.url, each.hints]));
  };

  test.skipIf(whyNoDuckDb).each([
    ['accesses.parquet', 'result.parquet'],
    ['accesses.jsonl', 'result.tsv'],
  ])(
    `gives the hints of train, by %s and %s ${whyNoDuckDb}`,
    { timeout: 60_000 },
    async (accesses, result) => {
      const columns = ['--time', 'time:ms', '--kind', 'kind', '--entry', 'entry'];
      const endless = ['--half-life', 'inf'];
      const path = join(folder, result);
      await learnedBy('duckdb', join(folder, accesses), [...columns, ...endless], path);
      const args = ['import', path, '--store', `sqlite:${path}.db`, ...endless];
      expect(await prefetchd(args)).toMatchObject({ code: 0 });
      const [imported, trained] = [
        await hintsOf(`${path}.db`),
        await hintsOf(join(folder, 'train.db')),
      ];
      expect(imported.size).toBeGreaterThan(100);
      expect(imported).toEqual(trained);
    },
  );

  test('asks for the package of Parquet', async () => {
    const child = spawn(
      process.execPath,
      [command, 'import', 'a.parquet', '--store', 'sqlite:a.db'],
      {
        env: { ...process.env, ...withoutPackage('hyparquet') },
      },
    );
    const stderr = expect.stringContaining(
      'Parquet needs the package hyparquet: npm install hyparquet',
    );
    expect(await runToEnd(child)).toMatchObject({ code: 1, stderr });
  });

  test.each([
    [
      'an arc to nowhere',
      rows(page('/a'), ['next', '/a', '/b', 1, 1, 1]),
      'line 2: an arc to nowhere: no row before it is of "/b"',
    ],
    ['a negative count', rows(header, page('/a', -1)), 'line 2: count must be a number from 0'],
    ['a control character', rows(page('/a\u0007')), 'line 1: "/a\\u0007" has control characters'],
    [
      'an escaped one',
      '{"what":"page","source":"/\\n","count":1,"visitors":1}\n',
      '"/\\n" has control characters',
    ],
    ['a log', '192.0.2.1 - - "GET / HTTP/1.1" 200 9\n', 'line 1: it must have what, source'],
    ['nothing', '', 'no row is of a page or object'],
  ])('refuses %s and opens no store', async (_, input, said) => {
    const args = ['import', '-', '--store', 'sqlite:refused.db'];
    const { code, stdout, stderr } = await prefetchd(args, input);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(said);
    expect(stderr).toContain('the store is as it was');
    expect(existsSync(join(folder, 'refused.db'))).toBe(false);
  });

  test('keeps 100,000 URLs and 128 arcs of each, says how many rows were left out, and shows progress', async () => {
    const pages = Array.from({ length: 100_001 }, (_, at) => page(`/${at}`, 200_000 - at));
    // A page is an arc to itself, too.
    const arcs = Array.from({ length: 130 }, (_, at) => [
      'next',
      '/0',
      `/${at + 1}`,
      130 - at,
      5,
      1,
    ]);
    const never = [page('/logout'), ['next', '/0', '/logout', 9, 5, 1]];
    const path = join(folder, 'large.tsv');
    await writeFile(path, rows(header, ...never.slice(0, 1), ...pages, ...arcs, ...never.slice(1)));
    const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const drawn = vi.spyOn(drawnOn, 'write').mockReturnValue(true);
    drawnOn.isTTY = true;
    try {
      await importResult(path, { store: `sqlite:${path}.db` });
      expect(said.mock.lastCall?.[0]).toMatch(
        /^imported 100,000 URLs, 100,127 arcs as .*\nleft out: 2 rows of URLs that are never hinted\nleft out: 4 rows beyond/,
      );
      expect(drawn.mock.calls[0]?.[0]).toMatch(/^\rreading: \d+ %, [\d,]+ rows/);
      expect(drawn.mock.lastCall).toEqual(['\r\x1b[K']);
    } finally {
      drawnOn.isTTY = false;
      vi.restoreAllMocks();
    }
    const store = new SqliteGraphStore(`${path}.db`);
    const kept = await loaded(store, Date.now());
    await store.close();
    const first = kept?.urls.findIndex(({ url }) => url === '/0');
    const from = kept?.graphs[0]?.filter((arc) => arc.from === first && arc.to !== first);
    expect(from?.map(({ count }) => Math.round(count)).sort((a, b) => a - b)[0]).toBe(4);
  });

  describe.each([
    ['SQLite', ''],
    ['Redis', whyNoRedis],
  ])('into %s', (kind, why) => {
    test.skipIf(why)(`is hinted by a running service, and counts once ${why}`, async () => {
      await using redis = kind === 'Redis' ? await RedisServer.start() : null;
      const store = redis === null ? `sqlite:${join(folder, 'served.db')}` : redis.url();
      const flags = ['serve', '--port', '0', '--store', store, '--flush-interval', '20ms'];
      await using service = await servingPrefetchd(folder, flags);
      const hints = async () => (await fetch(`${service.url}/v1/hints?url=/a`)).text();
      expect(await hints()).not.toContain('"/b"');
      const said: string[] = [];
      for (const id of ['monday', 'monday', 'tuesday']) {
        const args = ['import', '-', '--store', store, '--id', id];
        said.push((await prefetchd(args, walk)).stdout);
        await eventually(async () => (await hints()).includes('"/b"'), 'a hint');
      }
      expect(said[0]).toContain('imported 2 URLs, 3 arcs as monday');
      expect(said[1]).toContain('monday was imported before; the store is as it was');
      const kept = await openStore(parseStore(store));
      const graph = await loaded(kept, Date.now());
      await kept.close();
      expect(graph?.urls.map(({ accesses }) => Math.round(accesses)).sort()).toEqual([12, 18]);
    });
  });
});

test.skipIf(whyNoRedis)(
  `an import that broke off goes on with its file alone ${whyNoRedis}`,
  async () => {
    await using redis = await RedisServer.start();
    const store = new RedisStore(redis.url());
    const deltaOfPages = (site: string) => {
      const delta = new DeltaBuilder({ predictor: 'double-graph', window: 4, era: 0 }, 2).delta();
      for (let n = 0; n < 2500; n++)
        delta.urls.push({ url: `/${site}/${n}`, kind: 0, accesses: 1 });
      return delta;
    };
    const breaking = deltaOfPages('a');
    breaking.urls.slice = (start = 0, end) => {
      if (start > 0) throw new Error('broken off');
      return Array.prototype.slice.call(breaking.urls, start, end);
    };
    await expect(store.addOnce(breaking, 0, 'monday')).rejects.toThrow('broken off');
    const other = store.addOnce(deltaOfPages('b'), 0, 'monday');
    await expect(other).rejects.toThrow('has a part of another file as monday');
    expect(await store.addOnce(deltaOfPages('a'), 0, 'monday')).toBe(true);
    expect(await store.addOnce(deltaOfPages('b'), 0, 'monday')).toBe(false);
    const kept = await loaded(store, 0);
    expect(kept?.urls.map(({ accesses }) => accesses)).toEqual(Array(2500).fill(1));
    expect(kept?.urls.every(({ url }) => url.startsWith('/a/'))).toBe(true);
    await store.close();
  },
);

test.each([
  ['table', 'a"; DROP TABLE x --'],
  ['client', 'a`b'],
  ['url', 'a\\'],
  ['time', 'at\n:ms'],
])('prefetchd sql refuses as the %s what could end a name', async (flag, name) => {
  const args = ['--dialect', 'spark', '--table', 'visits', `--${flag}`, name];
  const { code, stdout, stderr } = await prefetchd(['sql', ...args]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('must be a name without quotes, backslashes and control characters');
});
