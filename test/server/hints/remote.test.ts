// Hints of a prefetchd in another process, by the real service.

import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { ListenOptions } from '../../../prefetchd/service/index.ts';
import { eventually } from '../../support/eventually.ts';
import { folderOfTest } from '../../support/folder-of-tests.ts';
import { listening } from '../listening.ts';
import { delivered, patient, remoteSite, service, toB } from './remote-set-up.ts';
import { site } from './set-up.ts';

describe('the real service', () => {
  const token = 'a-token-of-these-tests';

  it.each<[string, () => ListenOptions, string | null]>([
    ['by TCP', () => ({ port: 0 }), null],
    ['with a token', () => ({ port: 0 }), token],
    ['over a unix socket', () => ({ host: `unix:${folderOfTest()}/s` }), null],
  ])('learns and hints %s', async (_, where, secret) => {
    await using remote = await service(where(), secret);
    await using shop = await site({ prefetchd: remote.url, token: secret, ...patient });
    await shop.prefetch.ready;
    await shop.teach('/a', '/b');
    await shop.visit('/a', { visitor: 7, headers: { 'user-agent': 'Googlebot/2.1' } });
    await delivered(shop, 6);
    expect(remote.prefetchd.stats().learned.document).toBe(6);
    expect((await shop.visit('/a')).link).toBe(toB);
    expect(shop.prefetch.stats().faults).toEqual({});
  });

  it('a page shown from a prefetch is told with the access of what is embedded in it', async () => {
    await using shop = await remoteSite();
    await shop.teach('/a', '/b');
    await delivered(shop, 6);
    expect((await shop.visit('/a')).link).toBe(toB);
    await shop.visit('/b', { headers: { 'sec-purpose': 'prefetch' } });
    await delivered(shop, 8);
    expect(shop.remote.stats().hints).toMatchObject({ given: 1, taken: 1, used: 0 });
    const object = (referer: string) =>
      shop.visit('/i.png', { headers: { 'sec-fetch-dest': 'image', referer } });
    await object(`http://127.0.0.1:${shop.port}/${'b'.repeat(3000)}`); // no page of ours is so long
    await delivered(shop, 9);
    expect(shop.remote.stats().hints.used).toBe(0);
    await object(`http://127.0.0.1:${shop.port}/b`);
    await delivered(shop, 10);
    expect(shop.remote.stats().hints).toMatchObject({ taken: 1, used: 1 });
    expect(shop.remote.stats().learned.object).toBe(2);
  });

  it('a page that begins to say noindex is no longer hinted, and what was left out is listed there', async () => {
    let isPrivate = false;
    await using shop = await remoteSite({}, (app) => {
      app.get('/b', (_, res, next) => {
        if (isPrivate) res.set('X-Robots-Tag', 'noindex');
        next();
      });
    });
    await shop.teach('/a', '/b');
    await delivered(shop, 6);
    expect((await shop.visit('/a')).link).toBe(toB);
    isPrivate = true;
    await shop.teach('/b', '/order/8127');
    const counts = () => shop.remote.stats().notLearned;
    await eventually(() => counts().noindex === 3 && counts().denied === 3);
    expect(shop.remote.leftOut()).toMatchObject([
      { reason: 'denied', because: 'personal', url: '/order/…', count: 3 },
      { reason: 'noindex', url: '/b', count: 3 },
    ]);
    expect((await shop.visit('/a', { visitor: 8 })).link).toBeUndefined();
    isPrivate = false;
    await shop.teach('/b');
    await eventually(() => shop.remote.stats().learned.document >= 11);
    expect((await shop.visit('/a', { visitor: 9 })).link).toContain('</b>');
    expect(shop.prefetch.stats().faults).toEqual({});
  });

  it('of what was left out, nothing private and no visitor leaves the site', async () => {
    const bodies: string[] = [];
    const remote = createServer(async (request, response) => {
      bodies.push(await text(request));
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
    const prefetchd = `http://127.0.0.1:${await listening(remote)}`;
    await using shop = await site({ prefetchd, ...patient });
    await shop.prefetch.ready;
    await shop.visit('/reset/8f3a77c1?user=jane');
    await shop.visit('/a', { headers: { 'user-agent': 'Googlebot/2.1' } });
    await eventually(() => bodies.some((body) => body !== ''));
    const entry = { reason: 'denied', because: 'word', url: '/reset/…?…', kind: 'document' };
    const sent = bodies.filter((body) => body !== '').map((body) => JSON.parse(body));
    const host = expect.stringMatching(/^127\.0\.0\.1:\d+$/);
    expect(sent).toEqual([{ accesses: [], leftOut: [{ ...entry, host }] }]);
  });

  it('accesses wait while it is away, and it is asked again when it is back', async () => {
    const socket = join(folderOfTest(), 's');
    await using shop = await site({ prefetchd: `unix:${socket}`, ...patient });
    await shop.prefetch.ready;
    await shop.teach('/a', '/b');
    await eventually(() => shop.prefetch.stats().remote?.isFailing === true);
    const before = shop.prefetch.stats().remote?.asked ?? 0;
    await shop.visit('/a', { visitor: 8 });
    await using remote = await service({ host: `unix:${socket}` });
    await delivered(shop, 7);
    expect(remote.prefetchd.stats().learned.document).toBe(7);
    await eventually(async () => {
      await shop.visit('/else', { visitor: 9 });
      return shop.prefetch.stats().remote?.isFailing === false;
    });
    expect((await shop.visit('/a', { visitor: 10 })).link).toContain('</b>; rel=prefetch');
    expect(shop.prefetch.stats().remote?.asked).toBeGreaterThan(before);
    expect(shop.prefetch.stats().faults).toEqual({ remote: expect.any(Number) });
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
