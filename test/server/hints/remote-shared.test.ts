// What a shared cache may keep, and a remote prefetchd: the list is that for everybody, and who got it is counted.

import type { Express } from 'express';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { delivered, patient, service } from './remote-set-up.ts';
import { calm, site } from './set-up.ts';

describe('a page that a shared cache may keep (RFC 9111 3)', () => {
  const kept = (app: Express) =>
    void app.get('/a', (_, res) => void res.set('Cache-Control', 'max-age=60').send('<p>'));

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
    await eventually(() => prefetchd.stats().hints.used === 1);
    expect(prefetchd.stats().hints).toEqual({ given: 2, taken: 0, used: 1, wasted: 0, unknown: 0 });
    expect(remote.prefetchd.stats().hints).toEqual(prefetchd.stats().hints);
    await prefetchd.close();
  });
});
