// What the dashboard is told: nothing of clients, no URL that may be one person's, and the same again as 304.

import { expect, it } from 'vitest';
import { withConstants } from '../../../../options/options.ts';
import { Engine } from '../../../../prefetchd/engine/engine.ts';
import { predictorNames } from '../../../../prefetchd/index.ts';
import { eventually } from '../../../support/eventually.ts';
import { walk } from '../../dashboard/watched.ts';
import { access, running } from '../../service/ask.ts';

const k3 = { prefetchd: { minClients: 3 } };

it('a URL is named when the k-th client has gone one way from it or to it, and not before', async () => {
  await using service = await running(k3);
  const { watch } = service.prefetchd;
  const named = () => new Set(watch.overview().visits.map(({ url }) => url));
  await walk(service, ['/a', '/b'], 2);
  expect(named()).toEqual(new Set([null]));
  expect(watch.overview().pages).toEqual([]);
  expect(watch.page('/a')).toEqual({ url: '/a', accesses: null, arcs: [] });
  await walk(service, ['/a', '/b'], 1, 2);
  expect(watch.overview().pages).toHaveLength(2);
  expect(named()).toEqual(new Set(['/a', '/b']));
  expect(watch.page('/a')?.arcs).toEqual([
    { url: '/b', kind: 'document', probability: 1, clients: 3, next: [] },
  ]);
});

it('one client that comes often names nothing', async () => {
  await using service = await running(k3);
  const { watch } = service.prefetchd;
  for (let time = 0; time < 4; time++) await walk(service, ['/mine', '/mine/too'], 1);
  expect(JSON.stringify(watch.overview())).not.toContain('mine');
});

it('no answer tells of a client', async () => {
  await using service = await running({ prefetchd: { minClients: 1 } });
  await walk(service, ['/a', '/b'], 5);
  for (const path of ['/v1/overview', '/v1/pages?url=/a']) {
    const { text, status } = await service.get(path);
    expect(status).toBe(200);
    expect(text).not.toMatch(/198\.51|Firefox|client"|visitors/);
  }
});

it('what follows a page is what its hints would be with p = 0', async () => {
  await using service = await running({ prefetchd: { minClients: 1, window: 2 } });
  await walk(service, ['/a', '/b'], 3);
  await walk(service, ['/a', '/c'], 1, 3);
  await walk(service, ['/b', '/d'], 1, 4);
  const hints = (await service.get('/v1/hints?url=/a&threshold=0&limit=inf')).json.hints;
  const page = (await service.get('/v1/pages?url=/a')).json;
  expect(
    page.arcs.map(({ clients, next, ...hint }: { clients: number; next: object }) => hint),
  ).toEqual(hints);
  expect(page.arcs[0].next.map(({ url }: { url: string }) => url)).toEqual(['/d']);
});

it('the same again is 304; something new is not', async () => {
  await using service = await running({ prefetchd: { minClients: 1 } });
  await walk(service, ['/a', '/b'], 1);
  const first = await service.get('/v1/pages?url=/a');
  const again = { 'If-None-Match': first.headers.etag as string };
  expect([(await service.get('/v1/pages?url=/a', again)).status, first.status]).toEqual([304, 200]);
  await walk(service, ['/a', '/b'], 1, 1);
  expect((await service.get('/v1/pages?url=/a', again)).status).toBe(200);
});

it('a new salt forgets what was noted of visitors', async () => {
  let nowMs = 1_800_000_000_000;
  await using prefetchd = new Engine({
    now: () => nowMs,
    ...withConstants({ saltLifeMs: 60_000 }),
    flushIntervalMs: 10,
  });
  const { watch } = prefetchd;
  prefetchd.observe({
    ...access('a', '/a'),
    timeMs: nowMs,
    kind: 'document',
    status: 200,
    bytes: 0,
    prefetch: false,
  });
  expect(watch.overview().visits).toHaveLength(1);
  nowMs += 120_000;
  await eventually(() => watch.overview().visits.length === 0);
});

it('every predictor can be watched', async () => {
  for (const predictor of predictorNames) {
    await using service = await running({ prefetchd: { minClients: 2, predictor } });
    await walk(service, ['/a', '/b'], 4);
    const { watch } = service.prefetchd;
    expect(watch.page('/a')?.arcs[0]?.url, predictor).toBe('/b');
  }
});
