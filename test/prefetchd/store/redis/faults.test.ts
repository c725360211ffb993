// What goes wrong with a Redis, by a real one: answers lost, stalled, killed, emptied, full.

import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  RedisStore,
  type RedisStoreOptions,
} from '../../../../prefetchd/store/redis/redis-store.ts';
import { deltaOf, loaded } from '../../../support/graph-deltas.ts';
import { RedisServer, type RedisServerOptions, whyNoRedis } from '../../../support/redis.ts';
import { connected, step, TestNode, totals } from '../../../support/redis-nodes.ts';
import { makeTestCertificate } from '../../../support/tls.ts';

const nowMs = Date.UTC(2024, 1, 29, 12);
const nothing = deltaOf({ graphs: [[]] });
const unwritable = { name: 'PrefetchdError', code: 'store-unwritable' };

async function started(options: RedisServerOptions = {}): Promise<RedisServer> {
  const server = await RedisServer.start(options);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

/** After a failure it is connected again when `later` resolves. */
async function nodeOn(server: RedisServer, options: RedisStoreOptions = {}) {
  const store = new RedisStore(server.url(), { timeoutMs: 5000, ...options });
  onTestFinished(() => store.close());
  const node = await TestNode.start(store, nowMs);
  return { node, store, later: () => connected(store) };
}

const kept = async (server: RedisServer) => {
  const store = new RedisStore(server.url());
  const found = totals(await loaded(store, nowMs));
  await store.close();
  return found;
};

const chunks = (count: number) =>
  deltaOf({
    graphs: [
      Array.from({ length: count * 1000 }, (_, at) => ({
        from: `/${at % 500}`,
        to: `/to-${at}`,
        count: 1,
      })),
    ],
  });

describe.skipIf(whyNoRedis !== '')(`a Redis that fails ${whyNoRedis}`, () => {
  test('an addition whose answer was lost counts once when it is given again', async () => {
    const server = await started();
    const { node, store, later } = await nodeOn(server);
    const { node: other } = await nodeOn(server);
    await node.learn(step('/a', '/b', 1), nowMs);
    const delta = step('/a', '/b', 10);
    for (let lost = 0; lost < 3; lost++) {
      server.relay.answersBeforeLoss = 0;
      await expect(store.add(delta, nowMs)).rejects.toMatchObject(unwritable);
      await later();
    }
    await store.add(delta, nowMs);
    await store.add(step('/a', '/b', 100), nowMs);
    expect(await kept(server)).toEqual({ '0 /a /b': 111 });
    await other.learn(nothing, nowMs);
    expect(totals(...other.model)).toEqual({ '0 /a /b': 111 });
  });

  test('an addition that was cut off at any place counts once, whole', async () => {
    const server = await started();
    const { store, later } = await nodeOn(server);
    await store.add(nothing, nowMs);
    const delta = chunks(3);
    for (const bytes of [10, 5000, 60_000, 100_000]) {
      server.relay.cutsNextAt = bytes;
      await expect(store.add(delta, nowMs)).rejects.toMatchObject(unwritable);
      await later();
    }
    await store.add(delta, nowMs);
    const found = Object.values(await kept(server));
    expect(found.length).toBe(3000);
    expect(found.every((count) => count === 1)).toBe(true);
  });

  test('a whole graph that is cut off goes on where it was cut', async () => {
    const server = await started();
    const { node, store, later } = await nodeOn(server);
    await node.learn(chunks(20), nowMs);
    await server.admin.flushall();
    await store.add(nothing, nowMs);
    expect(store.need).toBe('whole');
    await expect(store.add(nothing, nowMs)).rejects.toMatchObject(unwritable);
    const whole = node.whole();
    for (const bytes of [10, 100_000, 300_000]) {
      server.relay.cutsNextAt = bytes;
      await expect(store.restore(whole, nowMs)).rejects.toMatchObject(unwritable);
      await later();
    }
    await store.restore(whole, nowMs);
    expect(store.need).toBe('load');
    const found = Object.values(await kept(server));
    expect(found.length).toBe(20_000);
    expect(found.every((count) => count === 1)).toBe(true);
  });

  test('a password is in no name, message or cause, wrong or right', async () => {
    const server = await started();
    await server.admin.config('SET', 'requirepass', 'open sesame');
    for (const user of ['default:open%20sesame', 'default:wrong%20word', 'nobody:wrong%20word']) {
      const store = new RedisStore(server.url('test', user));
      onTestFinished(() => store.close());
      const error = await store.add(nothing, nowMs).then(
        () => null,
        (error) => error,
      );
      if (user.includes('wrong')) {
        expect(error).toMatchObject({
          ...unwritable,
          message: expect.stringContaining('WRONGPASS'),
        });
      } else expect(error).toBeNull();
      const shown = inspect([error, store, store.name], { depth: 9, showHidden: true });
      expect(shown).not.toMatch(/sesame|wrong.{1,3}word|nobody/);
    }
    expect(() => new RedisStore('redis://u:secret@[bad')).toThrow(/^(?!.*secret)/);
  });

  test('over TLS the certificate is verified', async () => {
    const tls = await makeTestCertificate();
    const server = await started({ tls });
    const stranger = new RedisStore(server.url());
    onTestFinished(() => stranger.close());
    await expect(loaded(stranger, nowMs)).rejects.toMatchObject({
      code: 'store-unreadable',
      message: expect.stringContaining('self-signed'),
    });
    const trusted = getCACertificates('default');
    onTestFinished(() => setDefaultCACertificates(trusted));
    setDefaultCACertificates([...trusted, tls.cert]);
    const { store } = await nodeOn(server);
    await store.add(step('/a', '/b', 1), nowMs);
    expect(totals(await loaded(store, nowMs))).toEqual({ '0 /a /b': 1 });
  });
});
