// What a shared cache may keep, and a remote prefetchd: the list is that for everybody, and who got it is counted.

import type { Express } from 'express';
import { describe, expect, it } from 'vitest';
import { response, startRawServer } from '../../support/raw-server.ts';
import { delivered, hintOf, json, patient, service, toB, until } from './remote-set-up.ts';
import { calm, keepsB, site } from './set-up.ts';

describe('a page that a shared cache may keep (RFC 9111 3)', () => {
  const kept = (app: Express) =>
    void app.get('/a', (_, res) => void res.set('Cache-Control', 'max-age=60').send('<p>'));

  it('what a shared cache keeps is the list for everybody', async () => {
    await using remote = await service();
    await using shop = await site({ prefetchd: remote.url, ...patient }, (app) => {
      kept(app);
      keepsB(app);
    });
    await shop.prefetch.ready;
    await shop.teach('/a', '/b');
    await shop.visit('/b');
    await delivered(shop, 7);
    expect((await shop.visit('/a')).link).toBe(toB);
    expect(remote.prefetchd.stats().hints).toMatchObject({ given: 0, used: 0 }); // it has /b
  });

  it('and yet it is counted for whom it was given to, and when it comes true, as in process', async () => {
    await using remote = await service();
    const prefetchd = calm({ predictor: 'dependency-graph' });
    await using near = await site({ prefetchd }, kept);
    await using shop = await site({ prefetchd: remote.url, ...patient }, kept);
    await shop.prefetch.ready;
    for (const place of [near, shop]) {
      await place.teach('/a', '/b');
      if (place === shop) await delivered(shop, 6);
      for (const visitor of [1, 2, 1]) {
        expect((await place.visit('/a', { visitor })).link).toContain('</b>');
      }
      await place.visit('/b', { visitor: 2 });
    }
    await delivered(shop, 10);
    await until(() => prefetchd.stats().hints.used === 1);
    expect(prefetchd.stats().hints).toEqual({ given: 2, taken: 0, used: 1, wasted: 0, unknown: 0 });
    expect(remote.prefetchd.stats().hints).toEqual(prefetchd.stats().hints);
    await prefetchd.close();
  });

  it('an older one, which knows no such list, is asked for nobody', async () => {
    let isOld = true;
    let nowMs = Date.UTC(2026, 0, 1);
    const paths: string[] = [];
    await using remote = await startRawServer({
      onRequest: ({ method, path }, connection) => {
        if (method !== 'GET') return void connection.write(json({}));
        paths.push(path);
        const isKnown = !isOld || !/shared=|rules=/.test(path);
        const problem = '{"code":"invalid-request"}';
        connection.write(
          isKnown ? json({ hints: [hintOf('/b')] }) : response(problem, {}, '400 Bad Request'),
        );
      },
    });
    await using shop = await site({ prefetchd: remote.origin, now: () => nowMs, ...patient }, kept);
    await shop.prefetch.ready;
    for (let n = 0; n < 4; n++) expect((await shop.visit('/a')).link).toContain('</b>');
    const forNobody = '/v1/hints?url=%2Fa';
    const named = expect.stringMatching(/^\/v1\/hints\?url=%2Fa&client=.*&shared=true&rules=true$/);
    expect(paths).toEqual([named, forNobody, forNobody, forNobody, forNobody]);
    const { remote: counted, faults } = shop.prefetch.stats();
    expect(counted).toMatchObject({ asked: 4, answered: 4, failed: 0, isFailing: false });
    expect(faults).toEqual({});
    isOld = false; // it may be another one by now
    nowMs += 60_000;
    for (let n = 0; n < 2; n++) expect((await shop.visit('/a')).link).toContain('</b>');
    expect(paths.slice(5)).toEqual([named, named]);
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
});
