// Engines that share a Redis tell clients apart by one salt, also after Redis lost it: one client that two of them
// see is one client.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { createPrefetchd, type Prefetchd } from '../../../prefetchd/engine/prefetchd.ts';
import { createGraphStore } from '../../../prefetchd/index.ts';
import { RedisStore } from '../../../prefetchd/store/redis/redis-store.ts';
import { folderOfTest } from '../../support/folder-of-tests.ts';
import { knownSalt, salted } from '../../support/known-salt.ts';
import { RedisServer, whyNoRedis } from '../../support/redis.ts';

const t0 = Date.UTC(2026, 0, 1, 12);
const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

let server: RedisServer;
let places = 0;
let nowMs = t0;

function engine(): Prefetchd {
  const prefetchd = createPrefetchd({
    store: new RedisStore(server.url(`place-${places}`)),
    minClients: 2,
    ...withConstants({ minPageClients: 2, fingerprintLifeMs: dayMs }),

    flushIntervalMs: hourMs, // never: the test flushes
    now: () => nowMs,
    load: () => 0,
  });
  onTestFinished(() => prefetchd.close());
  return prefetchd;
}

async function settle(...engines: Prefetchd[]): Promise<void> {
  for (let round = 0; round < 3; round++) for (const each of engines) await each.flush();
}

function walk(prefetchd: Prefetchd, client: string): void {
  for (const url of ['/a', '/b']) {
    const access = { client, url, timeMs: nowMs, kind: 'document', status: 200 } as const;
    expect(prefetchd.observe({ ...access, bytes: 0, prefetch: false })).toBeNull();
  }
}

const keptSalt = () => server.admin.getBuffer(`{place-${places}}:salt`);
const isHinted = (prefetchd: Prefetchd) => prefetchd.hints({ url: '/a' }).length > 0;

describe.skipIf(whyNoRedis !== '')(`a salt that Redis lost ${whyNoRedis}`, () => {
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function two() {
    places++;
    nowMs = t0;
    const engines = [engine(), engine()] as const;
    await settle(...engines);
    return engines;
  }

  /** However a visitor of two nodes is counted, he is one; with another he is two. */
  async function expectOneSalt(...engines: Prefetchd[]) {
    for (const each of engines) walk(each, '192.0.2.1');
    await settle(...engines);
    for (const each of engines) expect(isHinted(each)).toBe(false);
    walk(engines[0] as Prefetchd, '192.0.2.7');
    walk(engines[0] as Prefetchd, '192.0.2.8');
    await settle(...engines);
    for (const each of engines) expect(isHinted(each)).toBe(true);
  }

  test('is the one that nodes go by, which they give back, for the rest of its life', async () => {
    const engines = await two();
    const before = await keptSalt();
    await server.admin.flushall();
    nowMs += 6 * hourMs;
    await settle(...engines);
    expect(await keptSalt()).toEqual(before);
    const leftMs = await server.admin.pttl(`{place-${places}}:salt`);
    expect(leftMs).toBeLessThanOrEqual(18 * hourMs);
    expect(leftMs).toBeGreaterThan(17 * hourMs);
    const newcomer = engine();
    await newcomer.ready;
    expect(await keptSalt()).toEqual(before);
    await expectOneSalt(...engines, newcomer);
    nowMs += 18 * hourMs;
    await settle(...engines);
    expect(await keptSalt()).not.toEqual(before);
  });

  test('is that of a newcomer who was quicker: the others take it at their next flush', async () => {
    const engines = await two();
    const before = await keptSalt();
    await server.admin.flushall();
    const newcomer = engine();
    await newcomer.ready;
    const now = await keptSalt();
    expect(now).not.toEqual(before);
    await settle(...engines, newcomer);
    expect(await keptSalt()).toEqual(now);
    await expectOneSalt(...engines, newcomer);
  });

  test('clients seen before it was lost are not counted again', async () => {
    const engines = await two();
    walk(engines[0], '192.0.2.1');
    await settle(...engines);
    await server.admin.flushall();
    const newcomer = engine();
    await newcomer.ready;
    await settle(...engines, newcomer);
    for (const each of [...engines, newcomer]) walk(each, '192.0.2.1');
    await settle(...engines, newcomer);
    for (const each of [...engines, newcomer]) expect(isHinted(each)).toBe(false);
  });
});

test('a new store takes the salt of its first process, whose clients stay the same', async () => {
  const folder = folderOfTest();
  const location = `sqlite:${join(folder, 'hints.db')}`;
  const store = await createGraphStore(location);
  await using prefetchd = createPrefetchd({ store, ...salted, now: () => t0 });
  await prefetchd.ready;
  const another = await createGraphStore(location);
  onTestFinished(() => another.close());
  expect((await another.salt(t0, dayMs)).era).toBe(knownSalt(t0).era);
});
