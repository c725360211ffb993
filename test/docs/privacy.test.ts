// docs/stored-data.md and SECURITY.md promise things to people who cannot read the code. What of it a machine can
// check: every column and key of the stores is named, and the numbers are those of the defaults and of the bench.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { prefetchdDefaults } from '../../prefetchd/engine/prefetchd-options.ts';
import { maxCountedClients } from '../../prefetchd/model/graph/client-sets.ts';
import { redisKeyNames } from '../../prefetchd/store/redis/keys.ts';
import { openTables } from '../../prefetchd/store/sqlite/tables.ts';
import { folderOfTest } from '../support/folder-of-tests.ts';

const page = await readFile(new URL('../../docs/stored-data.md', import.meta.url), 'utf8');
/** What stands in the first cells of all tables, in backquotes. */
const named = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)])
  .map(([, name]) => name as string);

it('names every column of an SQLite store, and none that is not there', async () => {
  const folder = folderOfTest();
  const path = join(folder, 'store.db');
  openTables(path).close();
  const database = new DatabaseSync(path);
  const columns = database
    .prepare(
      `SELECT tables.name || '.' || columns.name AS name
       FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table'`,
    )
    .all()
    .map(({ name }) => name);
  database.close();
  expect(named.filter((name) => name.includes('.')).toSorted()).toEqual(columns.toSorted());
});

it('names every key of a Redis store, and none that is not there', () => {
  const keys = [...redisKeyNames];
  expect(named.filter((name) => !name.includes('.')).toSorted()).toEqual(keys.toSorted());
});

it('gives the defaults as they are', () => {
  const of = (what: string) =>
    page.split('\n').find((line) => line.startsWith(`| ${what}`)) ?? `no ${what}`;
  const {
    minClients,
    minPageClients,
    fingerprintLifeMs,
    saltLifeMs,
    window,
    idleGapMs,
    rememberMs,
    ...more
  } = prefetchdDefaults;
  const minutes = (ms: number | null) => `${(ms ?? 0) / 60_000} minutes`;
  const days = (more.halfLifeMs ?? 0) / (24 * 3_600_000);
  expect(of('addresses that must follow a link')).toContain(`| ${minClients} |`);
  expect(of('addresses that must visit a page')).toContain(`| ${minPageClients} |`);
  expect(of('period over which')).toContain(`| ${fingerprintLifeMs / (24 * 3_600_000)} days |`);
  expect(of('life of the salt')).toContain(`| ${saltLifeMs / 3_600_000} hours |`);
  expect(of('accesses of a visitor')).toContain(`| ${window} |`);
  expect(of('silence that ends')).toContain(`| ${minutes(idleGapMs)} |`);
  expect(of('how long it is remembered')).toContain(`| ${minutes(rememberMs)} |`);
  expect(of('visitors remembered')).toContain(`| ${more.maxClients.toLocaleString('en')} |`);
  expect(of('URLs, and links')).toContain(
    `| ${more.maxNodes.toLocaleString('en')} and ${more.maxArcs.toLocaleString('en')} |`,
  );
  expect(of('age at which')).toContain(`| ${days} days |`);
  expect(page).toContain(`\`--min-clients\`, up to ${maxCountedClients}`);
});

const root = new URL('../../', import.meta.url);
const security = await readFile(new URL('SECURITY.md', root), 'utf8');

it('SECURITY.md quotes what poisoned hints cost as it was measured', async () => {
  const file = new URL('lab/results/prefetchd-poisoning.json', root);
  const { tables } = JSON.parse(await readFile(file, 'utf8'));
  const front = tables[0].rows.filter(([, name]: string[]) => name === 'the front page');
  expect(front).toHaveLength(3);
  for (const [visitors, , ...costs] of front) {
    const medians = costs.map(({ median }: { median: number }) => median.toLocaleString('en'));
    expect(security).toContain(`| ${[visitors, ...medians].join(' | ')} |`);
  }
});

it('SECURITY.md gives the defaults as they are', () => {
  const { minClients, minPageClients, maxAccessesPerDay } = prefetchdDefaults;
  expect(security).toContain(`k distinct subscribers, ${minClients} by default`);
  expect(security).toContain(`and ${minPageClients} visited its target`);
  expect(security).toContain(`${maxAccessesPerDay.toLocaleString('en')} accesses in all a day`);
  expect(security).toContain(`(${maxCountedClients} at most)`);
  expect(prefetchdDefaults.maxRepeatsPerDay).toBe(2);
});
