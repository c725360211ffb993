// Parts and the cache: put together under the same strong validator only, and what is there of an image is
// never fetched again.

import { expect, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { numberedImage } from '../../support/image-page.ts';
import { quick } from '../../support/quick-load.ts';
import { response } from '../../support/raw-server.ts';
import { startSite, usual, wrongBodies } from './site.ts';

const sizesFirst = {
  ...quick,
  protocol: 'pipelined' as const,
  images: 'sizes-first' as const,
  ...withConstants({ imageFirstBytes: 64 }),
};
const fresh = { 'Cache-Control': 'max-age=600' };

test('an image that came in parts is stored whole', async () => {
  await using site = await startSite({ headers: fresh });
  const first = await site.load(sizesFirst);
  expect(first.resources.some(({ purpose }) => purpose === 'rest')).toBe(true);
  expect(wrongBodies(site)).toEqual([]);
  const second = await site.load(quick);
  expect(second.totals).toMatchObject({ requests: 0, fromCache: 7, errors: 0 });
  expect(second.resources.slice(1).map(({ bodyBytes }) => bodyBytes)).toEqual(
    site.page.images.map(({ body }) => body.length),
  );
});

test.each(['sizes-first', 'whole'] as const)(
  'first bytes that were stored are not asked for again (%s)',
  async (images) => {
    let restsFail = true;
    await using site = await startSite({
      headers: fresh,
      answer: ({ headers }) =>
        restsFail && headers['if-range'] !== undefined
          ? response('', {}, '503 Service Unavailable')
          : undefined,
    });
    await site.load(sizesFirst);
    restsFail = false;
    site.news();
    const second = await site.load({ ...sizesFirst, images });
    const long = site.page.images.filter(({ body }) => body.length > 64);
    const asked = site.news();
    expect(asked.map(({ path, headers }) => [path, headers.range, headers['if-range']])).toEqual(
      long.map(({ path }) => [path, 'bytes=64-', site.etagOf(path)]),
    );
    expect(second.totals.errors).toBe(0);
    for (const { path, body, width, height } of long) {
      const row = second.resources.find(({ url }) => url.endsWith(path));
      expect(row).toMatchObject({ status: 206, bodyBytes: body.length, width, height });
      expect(row?.encodedBytes).toBe(body.length - 64);
    }
    expect(wrongBodies(site)).toEqual([]);
    expect((await site.load(quick)).totals.requests).toBe(0);
  },
);

test('validation and the request for the first bytes are one request', async () => {
  await using site = await startSite({ headers: { 'Cache-Control': 'no-cache' } });
  await site.load(sizesFirst);
  const changed = numberedImage(70);
  site.bodies.set('/image-2.gif', changed.body);
  site.news();
  const second = await site.load(sizesFirst);
  const asked = site.news().filter(({ path }) => path !== '/');
  expect(asked.slice(0, 6).every(({ headers }) => headers.range === 'bytes=0-63')).toBe(true);
  expect(asked.slice(0, 6).every(({ headers }) => headers['if-none-match'] !== undefined)).toBe(
    true,
  );
  // Only what changed needs more than one.
  expect(asked.slice(6).map(({ path, headers }) => [path, headers.range])).toEqual([
    ['/image-2.gif', 'bytes=64-'],
  ]);
  expect(second.totals).toMatchObject({ notModified: 6, errors: 0 });
  expect(second.resources.find(({ url }) => url.endsWith('/image-2.gif'))).toMatchObject({
    status: 206,
    width: changed.width,
    height: changed.height,
  });
  expect(wrongBodies(site)).toEqual([]);
});

test('an image that changes between its parts is stored as it is now, or not at all', async () => {
  const changed = numberedImage(70);
  await using site = await startSite({
    headers: fresh,
    answer(request, self) {
      if (request.path !== '/image-2.gif' || request.headers['if-range'] === undefined)
        return undefined;
      self.bodies.set(request.path, changed.body);
      return usual(self, request);
    },
  });
  const load = await site.load(sizesFirst);
  expect(load.totals.errors).toBe(0);
  expect(wrongBodies(site)).toEqual([]);
});

test('a server that puts another validator on the rest than was asked for: nothing is put together', async () => {
  await using site = await startSite({
    headers: fresh,
    answer(request, self) {
      if (request.headers['if-range'] === undefined) return undefined;
      const body = Buffer.alloc(self.bodies.get(request.path)?.length ?? 0, 9);
      const about = {
        ...fresh,
        ETag: '"another"',
        'Content-Range': `bytes 64-${body.length - 1}/${body.length}`,
      };
      return response(body.subarray(64), about, '206 Partial Content');
    },
  });
  const load = await site.load(sizesFirst);
  expect(load.totals.errors).toBe(0);
  expect(wrongBodies(site)).toEqual([]);
  const whole = load.resources.filter(({ status, kind }) => status === 200 && kind === 'image');
  expect(whole.length).toBe(site.page.images.filter(({ body }) => body.length > 64).length);
});

test('cacheMode reload: what was stored of an image is asked for again', async () => {
  await using site = await startSite({
    headers: fresh,
    answer: ({ headers }) =>
      headers['if-range'] === undefined ? undefined : response('', {}, '503 Service Unavailable'),
  });
  await site.load(sizesFirst);
  site.news();
  await site.load({ ...quick, cacheMode: 'reload' });
  const asked = site.news();
  expect(asked.map(({ headers }) => headers.range)).toEqual(Array(7).fill(undefined));
});
