// Runs the public HTTP cache tests (https://cache-tests.fyi) on createFetch, and compares with the results published
// with them, counted in the same way.

import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { LineProcess, run } from './processes.ts';
import type { BenchResult, Cell, Column, Table } from './result.ts';
import { Scratch } from './scratch.ts';

const name = 'cache-suite';
const title = 'Public HTTP cache tests';
const version = '0.4.5';
const worker = fileURLToPath(new URL('./cache-suite-worker.ts', import.meta.url));
const folder =
  process.env.HTTP_CACHE_TESTS ??
  fileURLToPath(new URL('./node_modules/http-cache-tests', import.meta.url));

const kinds = ['required', 'optimal', 'check'] as const;
type Kind = (typeof kinds)[number];

/** By test; absent: not tested. */
type Results = Record<string, true | [kind: string, message: string]>;

interface Published {
  file: string;
  name: string;
  type: string;
  version?: string;
}

interface CacheTest {
  id: string;
  kind?: Kind;
}

interface Suite {
  /** By test. */
  kinds: Map<string, Kind>;
  published: Published[];
}

export async function cacheSuite({ say }: { say: (line: string) => void }): Promise<BenchResult> {
  if (!existsSync(join(folder, 'client/runner.mjs'))) {
    const install = `npm install --prefix lab --no-save --ignore-scripts http-cache-tests@${version}`;
    const skipped = `http-cache-tests is not installed: ${install}, or HTTP_CACHE_TESTS=FOLDER`;
    return { name, title, method: [], tables: [], targets: [], skipped };
  }
  const suite = await loadSuite();
  say('as a private cache');
  const own = await runSuite();
  const browsers = suite.published.filter(({ type }) => type === 'browser');
  return {
    name,
    title,
    method: [
      `http-cache-tests ${version}: its own server in a process of its own, its own client calling \`createFetch\` with a cache in memory, as a browser's cache. The others' results are those the package brings, of the versions it names.`,
      'Counted are the tests that every row of a table was asked, so that all are counted alike; the last column has all that we were asked. A test counts as passed when it passed by itself, whatever it builds on. `check` tests have no right answer: they tell what a cache does.',
      `Of a malformed or repeated Age, release ${version} asks that the response be stale. RFC 9111 5.1 and the newest state of the tests, which is not published as a package, ask that the first member count and junk be ignored. So is it here, and those tests of the release are not passed.`,
      'A test whose server ends the connection without a word (`stale-close`) can be passed only by a cache that answers in its place. A response that is followed by bytes nobody asked for, or of unknown length, is never stored here, whatever a test expects.',
    ],
    tables: [
      compared('As a private cache', suite, own, browsers),
      missed('Required tests not passed as a private cache', suite, own),
    ],
    targets: [],
  };
}

async function loadSuite(): Promise<Suite> {
  const load = async <T>(path: string): Promise<T> =>
    ((await import(pathToFileURL(join(folder, path)).href)) as { default: T }).default;
  const sets = await load<Array<{ tests: CacheTest[] }>>('tests/index.mjs');
  const tests = sets.flatMap((set) => set.tests);
  return {
    kinds: new Map(tests.map(({ id, kind = 'required' }) => [id, kind])),
    published: await load<Published[]>('results/index.mjs'),
  };
}

async function runSuite(): Promise<Results> {
  using scratch = new Scratch();
  const port = String(await freePort());
  await using server = new LineProcess(
    process.execPath,
    ['--no-warnings', join(folder, 'server/server.mjs')],
    {
      ...process.env,
      npm_config_protocol: 'http',
      npm_config_port: port,
      npm_config_pidfile: join(scratch.path, 'pid'),
    },
  );
  await server.nextLine();
  const origin = `http://localhost:${port}`;
  const { stdout } = await run(process.execPath, [worker, folder, origin]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Results;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const columns: Column[] = [
  { name: 'cache', meaning: 'name and version', text: true },
  { name: 'required', meaning: 'tests of what HTTP requires: passed of those all rows were asked' },
  { name: 'optimal', meaning: 'tests of what serves users best, likewise' },
  { name: 'check', meaning: 'tests of what a cache chooses, likewise: answered with yes' },
  { name: 'all', meaning: 'required, optimal and check, of all tests this row was asked' },
];

function compared(tableTitle: string, suite: Suite, own: Results, others: Published[]): Table {
  const rows: Array<[string, Results]> = [
    ['createFetch', own],
    ...others.map((each): [string, Results] => [
      `${each.name} ${each.version ?? ''}`.trim(),
      JSON.parse(readFileSync(join(folder, 'results', each.file), 'utf8')) as Results,
    ]),
  ];
  const common = (id: string): boolean => rows.every(([, results]) => id in results);
  return {
    title: tableTitle,
    columns,
    rows: rows.map(([cache, results]): Cell[] => [
      cache,
      ...kinds.map((kind) => counted(suite, results, kind, common)),
      kinds.map((kind) => counted(suite, results, kind, () => true)).join(', '),
    ]),
  };
}

function counted(
  suite: Suite,
  results: Results,
  kind: Kind,
  counts: (id: string) => boolean,
): string {
  const asked = Object.keys(results).filter((id) => suite.kinds.get(id) === kind && counts(id));
  return `${asked.filter((id) => results[id] === true).length} of ${asked.length}`;
}

function missed(tableTitle: string, suite: Suite, results: Results): Table {
  const failed = Object.entries(results).filter(
    ([id, result]) => result !== true && suite.kinds.get(id) === 'required',
  );
  return {
    title: tableTitle,
    columns: [
      { name: 'test', meaning: 'as the package names it', text: true },
      { name: 'what it says', meaning: 'its words', text: true },
    ],
    rows: failed.map(([id, result]): Cell[] => [id, result === true ? '' : result[1]]),
  };
}
