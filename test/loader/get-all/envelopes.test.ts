// A page and what it names in one response (Padmanabhan 1995, 5.1): what the client makes of the parts.

import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { heldTag, parseGetAll } from '../../../http/get-all.ts';
import { createLoader } from '../../../loader/index.ts';
import type { Protocol } from '../../../loader/page-load.ts';
import { expectOwnBytesOrError, rowsByPath } from '../../support/image-page.ts';
import { storedPaths, wrongBodies } from '../page-cache/site.ts';
import {
  asked,
  close,
  documentPart,
  envelope,
  imagePart,
  part,
  startGetAllSite,
  wholeEnvelope,
} from './envelope-site.ts';

const all = { protocol: 'pipelined', getAll: true } as const;

async function loadOf(...given: Parameters<typeof startGetAllSite>) {
  await using site = await startGetAllSite(...given);
  return { load: await site.load(all), site };
}

test.each<Protocol>(['auto', 'http1.0', 'persistent', 'pipelined'])(
  '%s: page and images in one request, each with its own bytes',
  async (protocol) => {
    await using site = await startGetAllSite((self) => wholeEnvelope(self));
    const load = await site.load({ protocol, getAll: true });
    expect(expectOwnBytesOrError(load, site.page)).toEqual([]);
    expect(asked(site)).toEqual(['/+']);
    expect(load.totals).toMatchObject({
      ...{ requests: 1, responses: 1, connections: 1, batches: 1, parts: 6, errors: 0 },
      ...{ unusedPartBytes: 0, transferBytes: wholeEnvelope(site).length },
    });
    const [page, ...images] = load.resources;
    expect(page).toMatchObject({ partOf: null, attempts: 1, mimeType: 'text/html' });
    expect(page?.requestHeaders).toContainEqual(['get-all', '?1']);
    for (const image of images) {
      expect(image).toMatchObject({
        ...{ partOf: `${site.server.origin}/`, attempts: 0, requestStartMs: null, batch: null },
        ...{ connection: page?.connection, status: 200, mimeType: 'image/gif', fromCache: false },
      });
      expect(image.responseEndMs ?? 0).toBeGreaterThanOrEqual(image.responseStartMs ?? Infinity);
    }
  },
);

test('images are found, and their sizes known, in whatever pieces the response comes', async () => {
  const { load, site } = await loadOf((self, connection) => {
    const bytes = wholeEnvelope(self);
    let at = 0;
    // One byte at a time through the first parts, then the rest.
    const next = (): void => {
      const size = at < 700 ? 1 : 97;
      if (at >= bytes.length || connection.socket.destroyed) return;
      connection.socket.write(bytes.subarray(at, at + size), next);
      at += size;
    };
    next();
    return null;
  });
  expect(expectOwnBytesOrError(load, site.page)).toEqual([]);
  expect(asked(site)).toEqual(['/+']);
});

test('the document is read while it arrives', async () => {
  const { promise: isFound, resolve } = Promise.withResolvers<void>();
  await using site = await startGetAllSite((self, connection) => {
    const bytes = wholeEnvelope(self);
    const cut = bytes.indexOf('</title>') + 60;
    // The rest leaves the server only once the first image is known.
    void isFound.then(() => connection.write(bytes.subarray(cut)));
    return bytes.subarray(0, cut);
  });
  const onProgress = ({ found }: { found: number }) => void (found > 1 && resolve());
  const load = await site.load({ ...all, onProgress });
  expect(load.totals).toMatchObject({ requests: 1, parts: 6 });
});

test('a document that has no length, and a coding of its own', async () => {
  const { load, site } = await loadOf((self) => {
    const html = gzipSync(self.page.html);
    const fields = { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' };
    const images = self.page.images.map(({ path }) => imagePart(self, path));
    return envelope([part(fields, html), ...images, close]);
  });
  expect(rowsByPath(load, site.page).get('/')).toMatchObject({
    bodyBytes: site.page.html.length,
    encodedBytes: gzipSync(site.page.html).length,
  });
  expect(load.totals).toMatchObject({ requests: 1, parts: 6, errors: 0 });
});

test('what a style sheet names comes as a part, too', async () => {
  const names = ['/image-0.gif', '/image-1.gif'];
  const html = `<link rel=stylesheet href=/a.css><img src=${names[0]}><p class=a>x`;
  const css = `.a{background:url(${names[1]})}`;
  await using site = await startGetAllSite((self) =>
    envelope([
      documentPart(self),
      imagePart(self, '/a.css', { 'Content-Type': 'text/css' }),
      ...names.map((path) => imagePart(self, path)),
      close,
    ]),
  );
  site.bodies.set('/', Buffer.from(html));
  site.bodies.set('/a.css', Buffer.from(css));
  const load = await site.load(all);
  expect(load.resources.map(({ url }) => new URL(url).pathname)).toEqual([
    '/',
    '/a.css',
    names[0],
    names[1],
  ]);
  expect(load.totals).toMatchObject({ requests: 1, parts: 3, errors: 0 });
});

test('what has no part is requested when the response ends, in one batch', async () => {
  const { load, site } = await loadOf((self) =>
    envelope([documentPart(self), imagePart(self, self.page.images[0]?.path ?? ''), close]),
  );
  expect(expectOwnBytesOrError(load, site.page)).toEqual([]);
  const [, ...others] = site.page.images.map(({ path }) => path);
  expect(asked(site)).toEqual(['/+', ...others]);
  expect(load.totals).toMatchObject({ requests: 6, batches: 2, parts: 1, errors: 0 });
});

describe('what the cache gets', () => {
  test('are the parts, as if each had been fetched alone', async () => {
    await using site = await startGetAllSite((self) => wholeEnvelope(self), {
      headers: { 'Cache-Control': 'max-age=60' },
    });
    await site.load(all);
    const paths = ['/', ...site.page.images.map(({ path }) => path)];
    expect(new Set(storedPaths(site))).toEqual(new Set(paths));
    expect(wrongBodies(site)).toEqual([]);
    const [image] = site.kept.store.find(`${site.server.origin}${paths[1]}`);
    expect(Object.fromEntries(image?.headers ?? [])).toEqual({
      'content-type': 'image/gif',
      'content-length': String(site.page.images[0]?.body.length),
      etag: site.etagOf(paths[1] ?? ''),
      'x-for': paths[1],
      'cache-control': 'max-age=60',
    });
    const [page] = site.kept.store.find(`${site.server.origin}/`);
    const fields = new Map(page?.headers.map(([name, value]) => [name.toLowerCase(), value]));
    expect(fields.get('content-type')).toBe('text/html');
    expect(fields.get('cache-control')).toBe('max-age=60');
    expect(fields.get('get-all')).toBe('?1');
    expect(fields.has('vary')).toBe(false);
    // So the next page of all comes from there.
    const again = await site.load();
    expect(again.totals).toMatchObject({ requests: 0, fromCache: 7 });
  });

  test('a page that knows Get-All is asked for with tags of what is held, which comes as 304', async () => {
    const held: string[][] = [];
    await using site = await startGetAllSite(
      (self, _connection, request) => {
        const tags = parseGetAll(request.headers['get-all'] ?? '') ?? new Set();
        held.push([...tags]);
        return wholeEnvelope(self, tags, heldTag);
      },
      { headers: { 'Cache-Control': 'no-cache' } },
    );
    const first = await site.load(all);
    const second = await site.load(all);
    expect(asked(site)).toEqual(['/+', '/+']);
    const paths = ['/', ...site.page.images.map(({ path }) => path)];
    expect(held[0]).toEqual([]);
    expect(new Set(held[1])).toEqual(
      new Set(paths.map((path) => heldTag(path, site.etagOf(path)))),
    );
    expect(second.totals).toMatchObject({
      ...{ requests: 1, parts: 6, notModified: 6, fromCache: 6, errors: 0 },
      bodyBytes: first.totals.bodyBytes,
    });
    expect(second.totals.transferBytes).toBeLessThan(first.totals.transferBytes);
    expect(wrongBodies(site)).toEqual([]);
  });

  test('a 304 freshens the stored entry (RFC 9111 4.3.4)', async () => {
    await using site = await startGetAllSite(
      (self, _connection, request) =>
        wholeEnvelope(self, parseGetAll(request.headers['get-all'] ?? '') ?? new Set(), heldTag),
      { headers: { 'Cache-Control': 'max-age=60' } },
    );
    await site.load(all);
    site.kept.clock.now += 3_600_000;
    site.headers['Cache-Control'] = 'max-age=100000';
    await site.load(all);
    expect(asked(site)).toEqual(['/+', '/+']);
    const third = await site.load(all);
    expect(third.totals).toMatchObject({ requests: 0, fromCache: 7 });
  });

  test('a 304 for what is not held, and a part that another request would not have got, are asked for alone', async () => {
    await using site = await startGetAllSite((self) => {
      const [one, two, three, four] = self.page.images.map(({ path }) => path) as [
        string,
        string,
        string,
        string,
      ];
      return envelope([
        documentPart(self),
        part({ 'Content-Location': one, Status: '304', ETag: self.etagOf(one) }),
        imagePart(self, two, { Vary: 'User-Agent' }),
        imagePart(self, three, { Vary: 'Accept' }),
        imagePart(self, four, { Vary: '*' }),
        close,
      ]);
    });
    const load = await site.load({ ...all, headers: 'browser' });
    expect(expectOwnBytesOrError(load, site.page)).toEqual([]);
    const paths = site.page.images.map(({ path }) => path);
    expect(asked(site).toSorted()).toEqual(
      ['/+', ...paths.filter((_, index) => index !== 1)].toSorted(),
    );
    expect(load.totals).toMatchObject({ parts: 1, errors: 0 });
  });
});

describe('the choice (5.2): GETALL on a first visit, else GETLIST', () => {
  test('a loader asks so on later pages of an origin that said it knows the field', async () => {
    const two = '<img src=/img/0.gif>';
    await using site = await startGetAllSite((self) => wholeEnvelope(self));
    site.bodies.set('/two', Buffer.from(two));
    await using loader = createLoader({ protocol: 'pipelined' });
    await loader.load(`${site.server.origin}/two`);
    await loader.load(`${site.server.origin}/`);
    // Only HTML of the site says so, and /two does not.
    expect(asked(site).includes('/+')).toBe(false);
    await loader.load(`${site.server.origin}/`);
    expect(asked(site).at(-1)).toBe('/+');
    await using none = createLoader({ protocol: 'pipelined', getAll: false });
    await none.load(`${site.server.origin}/`);
    await none.load(`${site.server.origin}/`);
    expect(asked(site).filter((path) => path === '/+').length).toBe(1);
  });

  test('with a cache: a stored response says it, and a revisit is one batch of conditional requests', async () => {
    await using site = await startGetAllSite((self) => wholeEnvelope(self), {
      headers: { 'Cache-Control': 'no-cache' },
    });
    await site.load();
    expect(asked(site)[0]).toBe('/');
    const before = asked(site).length;
    const revisit = await site.load();
    expect(asked(site)[before]).toBe('/');
    expect(revisit.totals).toMatchObject({ requests: 7, batches: 1, notModified: 7, parts: 0 });
    const elsewhere = await site.load({}, '/?first');
    expect(site.server.requests.at(-1)?.headers['get-all']).toMatch(/^\?1;held=:/);
    expect(elsewhere.resources[0]?.requestHeaders.at(-1)?.[0]).toBe('get-all');
  });

  test('a document that is not stored, whose images are, is one batch with what it named', async () => {
    await using site = await startGetAllSite((self) => wholeEnvelope(self), {
      answer: (request, self) => {
        if (request.path !== '/' || request.headers['get-all'] !== undefined) return undefined;
        const page = self.page.answer('/', { 'Get-All': '?1', 'Cache-Control': 'no-store' });
        return page;
      },
      headers: { 'Cache-Control': 'no-cache' },
    });
    await using loader = createLoader({ protocol: 'pipelined', cache: site.kept.cache });
    await loader.load(site.server.origin);
    const again = await loader.load(site.server.origin);
    expect(asked(site).filter((path) => path === '/+')).toEqual([]);
    expect(again.totals).toMatchObject({ requests: 7, batches: 1, notModified: 6, parts: 0 });
  });

  test.each(['reload', 'no-store', 'no-cache'] as const)(
    'cacheMode %s: not by itself, and without tags if told to',
    async (cacheMode) => {
      await using site = await startGetAllSite((self) => wholeEnvelope(self), {
        headers: { 'Cache-Control': 'max-age=60' },
      });
      await site.load();
      await site.load({ cacheMode });
      expect(asked(site)).not.toContain('/+');
      const load = await site.load({ ...all, cacheMode });
      expect(asked(site).at(-1)).toBe('/+');
      expect(load.totals).toMatchObject({ requests: 1, parts: 6 });
      const field = site.server.requests.at(-1)?.headers['get-all'] ?? '';
      expect(field.includes('held')).toBe(cacheMode === 'no-cache');
    },
  );
});
