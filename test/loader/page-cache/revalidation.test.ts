// A page that was here before: out of the cache where HTTP allows it, else one batch of conditional
// requests that does not wait for the document.

import { expect, test } from 'vitest';
import { createLoader } from '../../../loader/index.ts';
import type { PageLoad, Protocol } from '../../../loader/page-load.ts';
import { eventually } from '../../support/eventually.ts';
import { numberedImage } from '../../support/image-page.ts';
import type { SeenRequest } from '../../support/raw-server.ts';
import { response } from '../../support/raw-server.ts';
import { notModified, startSite, storedPaths, usual, wrongBodies } from './site.ts';

const revalidated = { 'Cache-Control': 'no-cache' };
const pathOf = ({ url }: { url: string }) => new URL(url).pathname;
const conditions = (requests: SeenRequest[]) =>
  requests.map(({ path, headers }) => [path, headers['if-none-match'] ?? null]);
const sizes = (load: PageLoad) =>
  load.resources.filter(({ kind }) => kind === 'image').map(({ width, height }) => [width, height]);

test('what is fresh is used without a request', async () => {
  await using site = await startSite({ headers: { 'Cache-Control': 'max-age=60' } });
  const first = await site.load();
  const asked = site.server.requests.length;
  const second = await site.load();
  expect(site.server.requests.length).toBe(asked);
  expect(second.totals).toMatchObject({
    requests: 0,
    responses: 0,
    connections: 0,
    transferBytes: 0,
    fromCache: 7,
    notModified: 0,
    errors: 0,
    bodyBytes: first.totals.bodyBytes,
  });
  expect(sizes(second)).toEqual(sizes(first));
  expect(second.timing.sizesKnownMs).not.toBeNull();
  for (const row of second.resources) {
    expect(row).toMatchObject({ fromCache: true, status: 200, attempts: 0, connection: null });
  }
});

test.each<Protocol>(['pipelined', 'auto'])(
  '%s: conditions for the page and all its images leave before the page answers',
  async (protocol) => {
    const waiting: Array<() => void> = [];
    await using site = await startSite({
      ...{ headers: revalidated, options: { protocol } },
      answer(request, self, connection) {
        if (self.visits === 1) return undefined;
        // Nobody is answered until everybody has asked.
        waiting.push(() => connection.write(usual(self, request)));
        if (waiting.length === 7) for (const answer of waiting) answer();
        return null;
      },
    });
    const first = await site.load();
    site.news();
    const second = await site.load();
    const asked = site.news();
    const paths = ['/', ...site.page.images.map(({ path }) => path)];
    expect(conditions(asked)).toEqual(paths.map((path) => [path, site.etagOf(path)]));
    expect(second.totals).toMatchObject({
      requests: 7,
      connections: 1,
      batches: 1,
      notModified: 7,
      fromCache: 7,
      errors: 0,
      bodyBytes: first.totals.bodyBytes,
    });
    expect(sizes(second)).toEqual(sizes(first));
    for (const row of second.resources) expect(row).toMatchObject({ status: 304, purpose: 'use' });
  },
);

test('a kept loader validates on the connection it kept', async () => {
  await using site = await startSite({ headers: revalidated });
  await using loader = createLoader({ protocol: 'pipelined', cache: site.kept.cache });
  await loader.load(site.server.origin);
  const second = await loader.load(site.server.origin);
  expect(second.totals).toMatchObject({ requests: 7, notModified: 7, connections: 1 });
  expect(site.server.connections.length).toBe(1);
});

test('http1.0: dates only, when the page has named it, on parallel connections', async () => {
  const modified = 'Mon, 06 May 2024 07:08:09 GMT';
  await using site = await startSite({
    headers: { 'Last-Modified': modified, ...revalidated },
    options: { protocol: 'http1.0' },
    answer(request, self) {
      const known = request.headers['if-modified-since'] === modified;
      return known ? notModified({ ETag: self.etagOf(request.path), ...self.headers }) : undefined;
    },
  });
  await site.load();
  site.news();
  const second = await site.load();
  expect(second.totals).toMatchObject({ requests: 7, notModified: 7, connections: 7, errors: 0 });
  const [document, ...images] = site.news();
  expect(document?.path).toBe('/');
  for (const { headers } of [document as SeenRequest, ...images]) {
    expect(headers['if-modified-since']).toBe(modified);
    expect(headers['if-none-match']).toBeUndefined();
  }
  const sent = second.resources.slice(1).map(({ requestStartMs }) => requestStartMs as number);
  expect(Math.min(...sent)).toBeGreaterThanOrEqual(second.resources[0]?.responseStartMs as number);
});

test('a changed page: what it still names is not asked twice, what is new comes, the rest is no error', async () => {
  await using site = await startSite({ headers: revalidated });
  await site.load();
  const fresh = numberedImage(40);
  site.bodies.set(fresh.path, fresh.body);
  site.bodies.set(
    '/',
    Buffer.from('<img src="/image-4.gif"><img src="/image-40.gif"><img src="/image-0.gif">'),
  );
  site.news();
  const second = await site.load();
  const asked = site.news().map(({ path }) => path);
  expect(asked.toSorted()).toEqual([...new Set(asked)].toSorted());
  expect(asked).toContain('/image-40.gif');
  const used = second.resources.filter(({ purpose }) => purpose === 'use');
  expect(new Set(used.map(pathOf))).toEqual(
    new Set(['/', '/image-4.gif', '/image-40.gif', '/image-0.gif']),
  );
  expect(used.find((row) => pathOf(row) === '/image-4.gif')?.status).toBe(304);
  expect(second.totals.errors).toBe(0);
  expect(second.totals.fromCache).toBe(6); // with those the page does not name any more
  const third = await site.load();
  expect(third.resources.map(pathOf).toSorted()).toEqual(used.map(pathOf).toSorted());
  expect(wrongBodies(site)).toEqual([]);
});

test('what a changed page names no more is not read to its end', async () => {
  const huge = Buffer.alloc(40 * 1024 * 1024, 1);
  await using site = await startSite({
    images: 2,
    headers: revalidated,
    answer(request, self, connection) {
      if (self.visits === 1 || request.path !== '/image-1.gif') return undefined;
      connection.write(response('', { 'Content-Length': String(huge.length) }));
      connection.pour(huge.subarray(0, 1024 * 1024), 40);
      return null;
    },
  });
  await site.load();
  site.bodies.set('/', Buffer.from('<img src="/image-0.gif">'));
  const second = await site.load();
  expect(second.totals.errors).toBe(0);
  expect(second.totals.transferBytes).toBeLessThan(huge.length / 2);
  expect(second.resources.filter(({ purpose }) => purpose === 'use').map(pathOf)).toEqual([
    '/',
    '/image-0.gif',
  ]);
});

test('a server that ignores conditions: all comes anew, and replaces what was stored', async () => {
  await using site = await startSite({
    headers: revalidated,
    answer: (request, self) =>
      usual(self, { ...request, headers: { ...request.headers, 'if-none-match': '' } }),
  });
  await site.load();
  const second = await site.load();
  expect(second.totals).toMatchObject({ requests: 7, notModified: 0, fromCache: 0, errors: 0 });
  for (const { path } of site.page.images) {
    expect(site.kept.store.find(`${site.server.origin}${path}`).length).toBe(1);
  }
});

test.each(['/', '/image-2.gif'])(
  'a 304 for %s whose stored body is gone: asked again, without conditions',
  async (path) => {
    await using site = await startSite({
      headers: revalidated,
      answer(request, self) {
        if (self.visits > 1 && request.path === path)
          site.kept.store.removeUrl(`${self.server.origin}${path}`);
        return undefined;
      },
    });
    await site.load();
    const second = await site.load();
    expect(second.totals.errors).toBe(0);
    expect(sizes(second).filter(([width]) => width !== null).length).toBeGreaterThanOrEqual(6);
    const rows = second.resources.filter((row) => pathOf(row) === path);
    expect(rows.map(({ status }) => status)).toEqual([304, 200]);
    expect(storedPaths(site)).toContain(path);
  },
);

test('a 304 nobody asked for is no image', async () => {
  await using site = await startSite({
    answer: ({ path }) => (path === '/image-2.gif' ? notModified({}) : undefined),
  });
  const load = await site.load();
  const row = load.resources.find((each) => pathOf(each) === '/image-2.gif');
  expect(row).toMatchObject({ status: 304, fromCache: false, bodyBytes: 0, width: null });
  expect(storedPaths(site)).not.toContain('/image-2.gif');
});

test.each(['gzip', 'deflate', 'zstd'])('a page stored in %s names what to ask', async (coding) => {
  const zlib = await import('node:zlib');
  const encode = { gzip: zlib.gzipSync, deflate: zlib.deflateSync, zstd: zlib.zstdCompressSync };
  await using site = await startSite({
    headers: revalidated,
    answer(request, self) {
      if (request.path !== '/' || request.headers['if-none-match'] !== undefined) return undefined;
      const body = encode[coding as keyof typeof encode](self.bodies.get('/') as Buffer);
      const about = { 'Content-Type': 'text/html', 'Content-Encoding': coding };
      return response(body, { ...about, ETag: self.etagOf('/'), ...self.headers });
    },
  });
  const first = await site.load();
  const second = await site.load();
  expect(second.totals).toMatchObject({ notModified: 7, batches: 1, errors: 0 });
  expect(second.totals.bodyBytes).toBe(first.totals.bodyBytes);
});

test('cacheMode: no-store leaves the store alone, reload replaces, only-if-cached asks nobody', async () => {
  await using site = await startSite({ headers: { 'Cache-Control': 'max-age=60' } });
  await site.load({ cacheMode: 'no-store' });
  expect(site.kept.store.size().entries).toBe(0);
  const missed = await site.load({ cacheMode: 'only-if-cached' });
  expect(missed.resources[0]).toMatchObject({ status: 504, attempts: 0 });
  await site.load();
  site.news();
  await site.load({ cacheMode: 'reload' });
  const reloaded = site.news();
  expect(conditions(reloaded).every(([, condition]) => condition === null)).toBe(true);
  expect(reloaded.length).toBe(7);
});

test('what a 304 says of its lifetime counts from then on', async () => {
  const headers: Record<string, string> = { 'Cache-Control': 'max-age=60' };
  await using site = await startSite({ headers });
  await site.load();
  site.kept.clock.now += 100_000;
  headers['Cache-Control'] = 'max-age=600';
  const second = await site.load();
  expect(second.totals.notModified).toBe(7);
  const asked = site.server.requests.length;
  const third = await site.load();
  expect(site.server.requests.length).toBe(asked);
  expect(third.totals).toMatchObject({ fromCache: 7, errors: 0 });
});

test('what is not stored is asked for ahead, too, and what is fresh is not', async () => {
  const lifetimes = new Map([
    ['/image-1.gif', 'no-store'],
    ['/image-2.gif', 'max-age=600'],
  ]);
  await using site = await startSite({
    answer: ({ path }, self) => {
      const lifetime = lifetimes.get(path);
      const body = self.bodies.get(path) ?? '';
      return lifetime ? response(body, { 'Cache-Control': lifetime }) : undefined;
    },
    headers: revalidated,
  });
  await site.load({ protocol: 'auto' });
  site.bodies.set('/', Buffer.from('<img src="/image-0.gif">'));
  site.news();
  await site.load({ protocol: 'auto' });
  const asked = site.news().map(({ path }) => path);
  expect(asked.filter((path) => lifetimes.has(path))).toEqual(['/image-1.gif']);
  expect(asked).toContain('/image-3.gif'); // (the others are validated)
});

test('what is not wanted any more is read to its end where others wait behind it', async () => {
  let held = '';
  const half = Buffer.alloc(1_000, 1);
  await using site = await startSite({
    images: 3,
    headers: revalidated,
    answer(request, self, connection) {
      if (self.visits === 1 || request.path === '/') return undefined;
      held += request.path;
      if (request.path !== '/image-2.gif') return null;
      expect(held).toBe('/image-0.gif/image-1.gif/image-2.gif');
      const [first, , last] = ['/image-0.gif', '', '/image-2.gif'].map((path) =>
        usual(self, { ...request, path, headers: { 'if-none-match': self.etagOf(path) } }),
      );
      // The end of the first is told when the second has begun.
      connection.write(
        Buffer.concat([first ?? half, response('', { 'Content-Length': '2000' }), half]),
      );
      setTimeout(() => connection.write(Buffer.concat([half, last ?? half])), 50);
      return null;
    },
  });
  await site.load();
  site.bodies.set('/', Buffer.from('<img src="/image-0.gif"><img src="/image-2.gif">'));
  const second = await site.load();
  expect(second.totals).toMatchObject({ errors: 0, connections: 1, requests: 4 });
});

test('what was answered before the page named it is gone on with', async () => {
  let done = 0;
  let redirected: string[] = [];
  await using site = await startSite({
    ...{ headers: revalidated, options: { protocol: 'persistent' } },
    answer(request, self, connection) {
      if (self.visits === 1 || request.path.startsWith('/moved')) return undefined;
      if (request.path === '/') {
        const answer = () => connection.write(usual(self, { ...request, headers: {} }));
        eventually(() => done > 0).then(answer);
        return null;
      }
      if (connection.requests.some(({ path }) => path === '/')) return undefined;
      redirected = [...redirected, request.path];
      return response('', { Location: `/moved${request.path}` }, '302 Found');
    },
  });
  for (const { path, body } of site.page.images) site.bodies.set(`/moved${path}`, body);
  await site.load();
  const second = await site.load({
    onProgress: (progress) => {
      done = progress.done;
    },
  });
  expect(redirected.length).toBeGreaterThan(0);
  const paths = second.resources.map(pathOf);
  expect(paths).toEqual(expect.arrayContaining(redirected.map((path) => `/moved${path}`)));
  expect(second.totals.errors).toBe(0);
});
