// Hints of a prefetchd in another process, by the real service; then by one that fails in every way there
// is. Whatever it does, the page is served, in time, and nothing wrong goes out.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPrefetchd, createService, type ListenOptions } from '../../../prefetchd/index.ts';
import { knownSalt } from '../../support/known-salt.ts';
import {
  closedPort,
  type RawConnection,
  response,
  startRawServer,
} from '../../support/raw-server.ts';
import { type Site, site } from './set-up.ts';

const toB = '</b>; rel=prefetch; probability=1';
/** In tests the deadline is long: they ask what is sent, not how fast. */
const patient = { deadlineMs: 1000 };

async function service(where: ListenOptions = { port: 0 }, token: string | null = null) {
  const prefetchd = createPrefetchd({ load: () => 0, newSalt: knownSalt });
  const served = createService(prefetchd, { token, closeTimeoutMs: 100 });
  const { url } = await served.listen(where);
  return {
    url,
    prefetchd,
    async [Symbol.asyncDispose]() {
      await served.close();
      await prefetchd.close();
    },
  };
}

/** Nothing tells when a batch was learned but that it was. */
async function until(isSo: () => boolean, timeoutMs = 10_000): Promise<void> {
  const endMs = Date.now() + timeoutMs;
  while (!isSo()) {
    if (Date.now() > endMs) throw new Error('it never became so');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const delivered = (shop: Site, count: number) =>
  until(() => shop.prefetch.counts().remote?.delivered === count);

describe('the real service', () => {
  const token = 'a-token-of-these-tests';

  it.each<[string, () => Promise<ListenOptions>, string | null]>([
    ['by TCP', async () => ({ port: 0 }), null],
    ['with a token', async () => ({ port: 0 }), token],
    [
      'over a unix socket',
      async () => ({ socket: join(await mkdtemp(join(tmpdir(), 'loadahead-')), 's') }),
      null,
    ],
  ])('learns and hints %s', async (_, where, secret) => {
    const place = await where();
    await using remote = await service(place, secret);
    await using shop = await site({ prefetchd: remote.url, token: secret, ...patient });
    await shop.prefetch.ready;
    await shop.teach('/a', '/b');
    await shop.visit('/a', { visitor: 7, headers: { 'user-agent': 'Googlebot/2.1' } });
    await delivered(shop, 6);
    expect(remote.prefetchd.stats().learned.document).toBe(6);
    expect((await shop.visit('/a')).link).toBe(toB);
    expect(shop.prefetch.counts().faults).toEqual({});
    if (place.socket) await rm(join(place.socket, '..'), { recursive: true, force: true });
  });

  it('what a visitor has is not hinted again, where no shared cache keeps the page', async () => {
    await using remote = await service();
    await using shop = await site({ prefetchd: remote.url, ...patient });
    await shop.prefetch.ready;
    await shop.teach('/a', '/b');
    await shop.visit('/b');
    await delivered(shop, 7);
    expect((await shop.visit('/a')).link).toBeUndefined();
    expect((await shop.visit('/a', { visitor: 2 })).link).toBe(toB);
  });

  it('a page shown from a prefetch is told with the access of what is embedded in it', async () => {
    await using remote = await service();
    await using shop = await site({ prefetchd: remote.url, ...patient });
    await shop.prefetch.ready;
    await shop.teach('/a', '/b');
    await delivered(shop, 6);
    expect((await shop.visit('/a')).link).toBe(toB);
    await shop.visit('/b', { headers: { 'sec-purpose': 'prefetch' } });
    await delivered(shop, 8);
    expect(remote.prefetchd.stats().hints).toMatchObject({ given: 1, taken: 1, used: 0 });
    const object = (referer: string) =>
      shop.visit('/i.png', { headers: { 'sec-fetch-dest': 'image', referer } });
    await object(`http://127.0.0.1:${shop.port}/${'b'.repeat(3000)}`); // no page of ours is so long
    await delivered(shop, 9);
    expect(remote.prefetchd.stats().hints.used).toBe(0);
    await object(`http://127.0.0.1:${shop.port}/b`);
    await delivered(shop, 10);
    expect(remote.prefetchd.stats().hints).toMatchObject({ taken: 1, used: 1 });
    expect(remote.prefetchd.stats().learned.object).toBe(2);
  });

  it('what a visitor shows, whoever it had it from, is not hinted to it again', async () => {
    await using remote = await service();
    await using shop = await site({ prefetchd: remote.url, ...patient });
    await shop.prefetch.ready;
    await shop.teach('/a', '/b');
    const referer = `http://127.0.0.1:${shop.port}/b`;
    await shop.visit('/i.png', { headers: { 'sec-fetch-dest': 'image', referer } });
    await delivered(shop, 7);
    expect((await shop.visit('/a')).link).toBeUndefined();
  });

  it('what a shared cache keeps is asked for nobody', async () => {
    await using remote = await service();
    await using shop = await site({ prefetchd: remote.url, ...patient }, (app) => {
      app.get('/a', (_, res) => void res.set('Cache-Control', 'max-age=60').send('<p>'));
    });
    await shop.prefetch.ready;
    await shop.teach('/a', '/b');
    await shop.visit('/b');
    await delivered(shop, 7);
    expect((await shop.visit('/a')).link).toBe(toB);
  });

  it('a list for one visitor, asked for before the page turned out to be for all, stays here', async () => {
    let cacheControl = 'no-cache';
    await using remote = await service();
    await using shop = await site({ prefetchd: remote.url, ...patient }, (app) => {
      app.get('/a', (_, res) => void res.set('Cache-Control', cacheControl).send('<p>'));
    });
    await shop.prefetch.ready;
    await shop.teach('/a', '/b');
    await delivered(shop, 6);
    expect((await shop.visit('/a')).link).toContain('</b>');
    cacheControl = 'max-age=60';
    expect((await shop.visit('/a', { visitor: 2 })).link).toBeUndefined();
    expect((await shop.visit('/a', { visitor: 3 })).link).toContain('</b>');
  });

  it('accesses wait while it is away, and it is asked again when it is back', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'loadahead-'));
    const socket = join(folder, 's');
    await using shop = await site({ prefetchd: `unix:${socket}`, ...patient });
    await shop.prefetch.ready;
    await shop.teach('/a', '/b');
    await until(() => shop.prefetch.counts().remote?.isFailing === true);
    const before = shop.prefetch.counts().remote?.asked ?? 0;
    await shop.visit('/a', { visitor: 8 });
    await using remote = await service({ socket });
    await delivered(shop, 7);
    expect(remote.prefetchd.stats().learned.document).toBe(7);
    const backMs = Date.now();
    while (shop.prefetch.counts().remote?.isFailing && Date.now() - backMs < 5000) {
      await shop.visit('/else', { visitor: 9 });
    }
    expect((await shop.visit('/a', { visitor: 10 })).link).toContain('</b>; rel=prefetch');
    expect(shop.prefetch.counts().remote?.asked).toBeGreaterThan(before);
    expect(shop.prefetch.counts().faults).toEqual({ remote: expect.any(Number) });
    await rm(folder, { recursive: true, force: true });
  });

  it('close delivers what is queued', async () => {
    await using remote = await service();
    const shop = await site({ prefetchd: remote.url, ...patient });
    await shop.prefetch.ready;
    await shop.visit('/a');
    await shop[Symbol.asyncDispose]();
    expect(remote.prefetchd.stats().learned.document).toBe(1);
  });
});

const hintOf = (url: string) => ({ url, probability: 0.9, kind: 'document' });
const json = (value: unknown) =>
  response(JSON.stringify(value), { 'Content-Type': 'application/json' });

describe('a prefetchd that fails', () => {
  const ways: [string, (connection: RawConnection) => void][] = [
    ['garbage', (connection) => connection.end('\0\0\0 what?\r\n\r\n')],
    ['a reset', (connection) => connection.reset()],
    ['an end', (connection) => connection.end()],
    [
      'half an answer',
      (connection) => connection.end(response('{"hin', { 'Content-Length': '99' })),
    ],
    ['no JSON', (connection) => connection.write(response('<html>'))],
    ['JSON that is nothing', (connection) => connection.write(json([null, { hints: 7 }]))],
    [
      'hints that are none',
      (connection) => connection.write(json({ hints: [null, 7, {}, [], hintOf('')] })),
    ],
    ['500', (connection) => connection.write(response('no', {}, '500 No'))],
    ['401', (connection) => connection.write(response('no', {}, '401 No'))],
    [
      'a redirect',
      (connection) =>
        connection.write(response('', { Location: 'http://127.0.0.1:1/' }, '307 Elsewhere')),
    ],
    [
      'a gigantic body',
      (connection) => {
        connection.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"hints":[');
        connection.pour(Buffer.alloc(64 * 1024, ' '));
      },
    ],
    [
      'a byte in a while',
      (connection) => {
        connection.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
        connection.drip(
          Array.from({ length: 1000 }, () => ' '),
          50,
        );
      },
    ],
    ['silence', () => {}],
  ];

  it.each(ways)('%s: the page is served', async (_, answer) => {
    const remote = await startRawServer({ onRequest: (_, connection) => answer(connection) });
    const told: string[] = [];
    await using shop = await site({
      prefetchd: remote.origin,
      onError: (_, fault) => told.push(fault),
    });
    await shop.prefetch.ready;
    for (let n = 0; n < 6; n++) {
      expect(await shop.visit('/a')).toMatchObject({
        ...{ status: 200, body: '<p>page', link: undefined },
      });
    }
    expect(new Set(told).size).toBe(told.length);
    await remote[Symbol.asyncDispose]();
  });

  it('nobody listens: after three questions nobody waits, and it is left alone', async () => {
    await using shop = await site({
      prefetchd: `http://127.0.0.1:${await closedPort()}`,
      ...patient,
    });
    await shop.prefetch.ready;
    for (let n = 0; n < 20; n++) expect((await shop.visit('/a')).status).toBe(200);
    const { remote } = shop.prefetch.counts();
    expect(remote).toMatchObject({ isFailing: true, answered: 0 });
    expect(remote?.asked).toBeLessThan(8);
    expect(remote?.skipped).toBeGreaterThan(12);
  });

  it('silence: after three questions nobody waits', async () => {
    await using remote = await startRawServer({});
    await using shop = await site({ prefetchd: remote.origin, deadlineMs: 20 });
    await shop.prefetch.ready;
    for (let n = 0; n < 20; n++) expect((await shop.visit('/a')).status).toBe(200);
    const counts = shop.prefetch.counts().remote;
    expect(counts).toMatchObject({ isFailing: true, late: expect.any(Number) });
    expect(counts?.asked).toBeLessThan(8);
  });

  it('late hints are none: the page does not wait beyond the deadline', async () => {
    let held: RawConnection | undefined;
    await using remote = await startRawServer({
      onRequest: ({ method }, connection) => {
        if (method === 'GET') held = connection;
      },
    });
    await using shop = await site({ prefetchd: remote.origin, deadlineMs: 100 });
    await shop.prefetch.ready;
    // Answered before the service says a word: it never does.
    expect((await shop.visit('/a')).link).toBeUndefined();
    expect(held).toBeDefined();
    expect(shop.prefetch.counts().remote).toMatchObject({ asked: 1, late: 1 });
  });

  it('only documents ask', async () => {
    await using remote = await startRawServer({
      onRequest: (_, connection) => connection.write(json({ hints: [] })),
    });
    await using shop = await site({ prefetchd: remote.origin });
    await shop.prefetch.ready;
    await shop.visit('/i.png', { headers: { 'sec-fetch-dest': 'image' } });
    await shop.visit('/a', { headers: { 'user-agent': 'Googlebot/2.1' } });
    expect(remote.requests.filter(({ method }) => method === 'GET')).toEqual([]);
  });

  it('hostile hints: nothing but paths of the site goes out', async () => {
    const bad = [
      'javascript:alert(1)',
      '//evil.example/x',
      '/\\evil.example/x',
      'https://evil.example/x',
      'data:text/html,x',
      '/\t/evil.example',
      `/${'x'.repeat(5000)}`,
    ];
    const odd = ['/a\r\nSet-Cookie: id=1', '/b>; rel=preload, <//evil.example', '/c"d'];
    await using remote = await startRawServer({
      onRequest: (_, connection) =>
        connection.write(json({ hints: [...bad, ...odd, '/good'].map(hintOf) })),
    });
    await using shop = await site({
      ...{ prefetchd: remote.origin, hintHeader: true, speculationRules: true, ...patient },
    });
    await shop.prefetch.ready;
    const seen = await shop.visit('/page');
    expect(seen.headers['set-cookie']).toBeUndefined();
    expect(seen.link).toContain('</good>; rel=prefetch');
    const targets = (seen.link ?? '').split(', ').map((link) => /^<([^>]*)>/.exec(link)?.[1] ?? '');
    expect(targets.every((target) => /^\/[^/\\]/.test(target))).toBe(true);
    expect(seen.link).not.toMatch(/javascript|<https?:|<\/\/|<data/);
    expect(seen.headers['prefetch-hints']).not.toMatch(/javascript|"https?:|"\/\/|"data/);
    const rules = await shop.visit('/speculation-rules.json?url=%2Fpage');
    expect(rules.body).not.toMatch(/javascript|"https?:|"\/\/|"data/);
    expect(rules.body).toContain('/good');
  });
});
