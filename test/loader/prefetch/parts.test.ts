// A large body is prefetched in parts, one on its way at a time, so that a page that begins waits for little
// (RFC 9110 14); they become one only where they are of one representation for sure (RFC 9111 3.4).

import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createHttpCache, createMemoryStore } from '../../../loader/index.ts';
import { eventually } from '../../support/eventually.ts';
import { type RawServer, response } from '../../support/raw-server.ts';
import {
  asked,
  firsts,
  partOf,
  picture,
  pictureFields,
  rangeOf,
  startRangeSite,
} from './range-site.ts';
import { type Answer, fresh, link, loaderWith, prefetches, startSite, visit } from './site.ts';

const isPrefetch = ({ headers }: { headers: Record<string, string> }) =>
  headers['sec-purpose'] !== undefined;

/** What the cache has of the picture, as a later page would get it; null: nothing. */
async function stored(server: RawServer, cache: ReturnType<typeof createHttpCache>) {
  const request = { method: 'GET', url: `${server.origin}/big.png`, headers: [] };
  const found = cache.lookup(request, 'force-cache');
  return found.kind === 'hit' ? found.response : null;
}

describe('a body in parts', () => {
  test('is asked for part by part under its strong validator, and stored as one 200', async () => {
    const store = createMemoryStore();
    const cache = createHttpCache(store);
    await using server = await startRangeSite();
    const loader = await visit(server, {}, {}, { cache });
    const ranges = asked(server).map((request) => rangeOf(request));
    // Each begins where the one before ended, and the last one ends where the picture does.
    const ends = ranges.map((range) => range?.last ?? 0);
    expect(ranges.map((range) => range?.first)).toEqual([
      0,
      ...ends.slice(0, -1).map((at) => at + 1),
    ]);
    expect(ends.at(-1)).toBe(picture.length - 1);
    expect(ends[0]).toBeLessThan(14_600);
    expect(asked(server).map(({ headers }) => headers['if-range'])).toEqual([
      undefined,
      ...ends.slice(1).map(() => '"1"'),
    ]);
    expect(asked(server).every(isPrefetch)).toBe(true);
    const response = await stored(server, cache);
    expect(response?.status).toBe(200);
    expect(response?.body.equals(picture)).toBe(true);
    const names = response?.headers.map(([name]) => name.toLowerCase());
    expect(names).not.toContain('content-range');
    expect(response?.headers).toContainEqual(['Content-Length', String(picture.length)]);
    // Its age counts from the first part (RFC 9111 4.2.3).
    const [entry] = store.find(`${server.origin}/big.png`);
    expect(entry?.requestedAtMs).toBeLessThanOrEqual(entry?.receivedAtMs ?? 0);
    const next = await loader.load(`${server.origin}/big.png`);
    expect(next.resources[0]).toMatchObject({ fromCache: true, prefetched: true, attempts: 0 });
  });

  test('counts every request and byte once, and as one body of the page’s', async () => {
    await using server = await startRangeSite();
    const loader = await visit(server, { maxRequests: 1 });
    const { requests, bytes, kept, dropped } = loader.stats().prefetch;
    expect(requests).toBe(asked(server).length);
    expect(requests).toBeGreaterThan(1);
    expect({ bytes, kept, dropped }).toEqual({ bytes: picture.length, kept: 1, dropped: 0 });
    await loader.load(`${server.origin}/big.png`);
    expect(loader.stats().prefetch).toMatchObject({
      used: 1,
      usedBytes: picture.length,
      wasted: 0,
    });
  });

  test.each([1, 2])('never more than %i of them at a time', async (concurrency) => {
    // Nothing is answered before so many wait; were it one more, it would be seen then.
    const open: Array<() => void> = [];
    let most = 0;
    const hints = ['/1.png', '/2.png', '/3.png'].map((url) => `<${url}>; rel=prefetch; as=image`);
    await using server = await startSite({ Link: hints.join(', ') }, (request, connection) => {
      if (request.path === '/') return undefined;
      open.push(() => connection.write(partOf(request)));
      most = Math.max(most, open.length);
      setImmediate(() => {
        if (most >= concurrency) for (const answer of open.splice(0)) answer();
      });
      return null;
    });
    const loader = await visit(server, { concurrency });
    expect(loader.stats().prefetch.kept).toBe(3);
    expect(most).toBe(concurrency);
  });

  test('that fits into the first one is whole, whatever names it', async () => {
    const small = picture.subarray(0, 5_000);
    await using server = await startRangeSite((request) => {
      const { first, last } = { first: 0, last: small.length - 1 };
      expect(request.headers.range).toMatch(/^bytes=0-\d+$/);
      const place = { 'Content-Range': `bytes ${first}-${last}/${small.length}`, ...fresh };
      return response(small, place, '206 Partial Content');
    });
    const loader = await visit(server);
    expect(loader.stats().prefetch).toMatchObject({ requests: 1, kept: 1, bytes: small.length });
    const next = await loader.load(`${server.origin}/big.png`);
    expect(next.resources[0]).toMatchObject({ status: 200, fromCache: true, prefetched: true });
  });

  test('from a server that knows no ranges comes whole', async () => {
    await using server = await startRangeSite(() => response(picture, pictureFields));
    const loader = await visit(server);
    expect(loader.stats().prefetch).toMatchObject({ requests: 1, kept: 1, bytes: picture.length });
  });

  test('goes on where the server ends its connection behind each part', async () => {
    await using server = await startRangeSite((request, connection) => {
      connection.end(partOf(request, { Connection: 'close' }));
      return null;
    });
    const loader = await visit(server);
    expect(loader.stats().prefetch).toMatchObject({ kept: 1, bytes: picture.length });
    expect(loader.stats().prefetch.connections).toBe(asked(server).length);
  });

  test('a part that breaks off comes again, and its first bytes are not kept twice', async () => {
    const cache = createHttpCache(createMemoryStore());
    let broke = false;
    await using server = await startRangeSite((request, connection) => {
      if (rangeOf(request)?.first === 0 || broke) return undefined;
      broke = true;
      const part = partOf(request);
      connection.end(part.subarray(0, part.length - 100));
      return null;
    });
    const loader = await visit(server, {}, {}, { cache });
    expect(broke).toBe(true);
    expect(loader.stats().prefetch).toMatchObject({ kept: 1, dropped: 0 });
    expect((await stored(server, cache))?.body.equals(picture)).toBe(true);
  });

  test('a coded body is put together as it came', async () => {
    const script = 'a script that says nothing twice: '.concat(
      Array.from({ length: 20_000 }, (_, at) => (at * 7919) % 99_991).join(),
    );
    const packed = gzipSync(script);
    expect(packed.length).toBeGreaterThan(30_000);
    const coded = { ...fresh, 'Content-Encoding': 'gzip', 'Content-Type': 'text/javascript' };
    await using server = await startSite({ Link: '</a.js>; rel=prefetch; as=script' }, (request) =>
      request.path === '/a.js'
        ? partOf(
            request,
            // Behind If-Range it need not be said again (RFC 9110 15.3.7).
            { ...coded, ...(request.headers['if-range'] && { 'Content-Encoding': '' }) },
            packed,
          )
        : request.path === '/page'
          ? response('<script src=/a.js></script>', fresh)
          : undefined,
    );
    const loader = await visit(server);
    expect(loader.stats().prefetch).toMatchObject({ kept: 1, bytes: packed.length });
    const next = await loader.load(`${server.origin}/page`);
    expect(next.resources[1]).toMatchObject({ prefetched: true, bodyBytes: script.length });
  });

  test('a stale copy is asked about with the first one: a 304, or the parts of the new one', async () => {
    const clock = { now: Date.now() };
    const cache = createHttpCache(createMemoryStore(), { now: () => clock.now });
    const changed = Buffer.from(picture.toReversed());
    let version = '"1"';
    await using server = await startRangeSite((request) => {
      if (request.headers['if-none-match'] === version) {
        return `HTTP/1.1 304 Not Modified\r\nETag: ${version}\r\nCache-Control: max-age=600\r\n\r\n`;
      }
      return partOf(request, { ETag: version }, version === '"1"' ? picture : changed);
    });
    const loader = await visit(server, {}, {}, { cache });
    const before = asked(server).length;
    clock.now += 3_600_000;
    const later = await visit(server, {}, {}, { cache });
    expect(asked(server).length).toBe(before + 1);
    expect(later.stats().prefetch).toMatchObject({ kept: 1, bytes: 0 });
    version = '"2"';
    clock.now += 3_600_000;
    await visit(server, {}, {}, { cache });
    expect(asked(server).at(-1)?.headers).toMatchObject({ 'if-range': '"2"' });
    expect(asked(server).at(-1)?.headers['if-none-match']).toBeUndefined();
    expect((await stored(server, cache))?.body.equals(changed)).toBe(true);
    await loader.close();
  });
});

describe('what is asked for whole', () => {
  const noRange = (server: RawServer, path: string) =>
    server.requests.filter((request) => request.path === path).map(({ headers }) => headers.range);

  test.each(['/next', '/next.html', '/next.php', '/wiki/v1.2', '/a.b/next'])(
    'a document: %s, whose hints only a whole response has',
    async (path) => {
      await using server = await startSite(link(path));
      const loader = await visit(server);
      expect(noRange(server, path)).toEqual([undefined]);
      expect(loader.stats().prefetch.kept).toBe(1);
    },
  );

  test.each(['/paper.pdf', '/big.png'])(
    'not %s, though the hint calls it a document',
    async (path) => {
      await using server = await startSite(link(path), (request) =>
        request.path === path ? partOf(request) : undefined,
      );
      const loader = await visit(server);
      expect(noRange(server, path)[0]).toMatch(/^bytes=0-/);
      expect(loader.stats().prefetch.kept).toBe(1);
    },
  );

  test.each([
    ['as it says', false],
    ['without saying so', true],
  ])('a document over maxWholeBytes is left, %s', async (_, chunked) => {
    let cut: Promise<void> | undefined;
    await using server = await startSite(link('/next'), ({ path }, connection) => {
      if (path !== '/next') return undefined;
      cut = connection.closed;
      const framing = chunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': '20001' };
      connection.write(response('', { ...fresh, ...framing }));
      const piece = 'x'.repeat(4_000);
      if (chunked) connection.pour(Buffer.from(`fa0\r\n${piece}\r\n`), 1_000);
      return null;
    });
    const loader = await visit(server, { maxWholeBytes: 20_000 });
    await cut;
    expect(loader.stats().prefetch).toMatchObject({ requests: 1, kept: 0, dropped: 1 });
    if (!chunked) expect(loader.stats().prefetch.bytes).toBe(0);
  });

  test('a body under no strong validator, behind its first part, if it is small', async () => {
    const cache = createHttpCache(createMemoryStore());
    await using server = await startRangeSite((request) => partOf(request, { ETag: 'W/"1"' }));
    const loader = await visit(server, { maxWholeBytes: 200_000 }, {}, { cache });
    expect(firsts(server)).toEqual([0, null]);
    expect(loader.stats().prefetch).toMatchObject({ requests: 2, kept: 1, dropped: 0 });
    expect((await stored(server, cache))?.body.equals(picture)).toBe(true);
  });

  test('a large one is left', async () => {
    await using server = await startRangeSite((request) => partOf(request, { ETag: 'W/"1"' }));
    const loader = await visit(server, { maxWholeBytes: 50_000 });
    expect(firsts(server)).toEqual([0]);
    expect(loader.stats().prefetch).toMatchObject({ requests: 1, kept: 0, dropped: 1 });
  });
});

describe('nothing wrong is stored', () => {
  const other = Buffer.from(picture.toReversed());
  const rangeError = 'HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\n\r\n';
  const multipart = (text: string) =>
    response(
      text,
      { ...fresh, ETag: '"1"', 'Content-Type': 'multipart/byteranges; boundary=b' },
      '206 Partial Content',
    );
  const place = (first: number, last: number, total: number) => ({
    'Content-Range': `bytes ${first}-${last}/${total}`,
  });
  const chunked = (bytes: Buffer, fields: Record<string, string>) =>
    Buffer.concat([
      response('', { ...pictureFields, ...fields, 'Transfer-Encoding': 'chunked' }, '206 Partial'),
      Buffer.from(`${bytes.length.toString(16)}\r\n`),
      bytes,
      Buffer.from('\r\n0\r\n\r\n'),
    ]);
  type Wrong = (
    request: Parameters<Answer>[0],
    first: number,
    last: number,
  ) => Buffer | string | undefined;

  test.each<[string, 'first' | 'second', Wrong]>([
    ['416', 'first', () => rangeError],
    ['416 in the middle', 'second', () => rangeError],
    ['several parts', 'first', () => multipart('--b\r\n\r\n--b--')],
    ['several parts in the middle', 'second', () => multipart('--b\r\n\r\n--b--')],
    ['another ETag in the middle', 'second', (request) => partOf(request, { ETag: '"2"' }, other)],
    ['no ETag in the middle', 'second', (request) => partOf(request, { ETag: '' })],
    ['a whole in the middle', 'second', () => response(other, { ...pictureFields, ETag: '"2"' })],
    [
      'another length in the middle',
      'second',
      (request, first, last) => partOf(request, place(first, last, picture.length + 1)),
    ],
    [
      'another coding in the middle',
      'second',
      (request) => partOf(request, { 'Content-Encoding': 'gzip' }),
    ],
    ['no Content-Range', 'first', (request) => partOf(request, { 'Content-Range': '' })],
    ['no length', 'first', (request) => partOf(request, { 'Content-Range': 'bytes 0-13999/*' })],
    [
      'another place',
      'first',
      (request, first, last) => partOf(request, place(first + 1, last + 1, picture.length)),
    ],
    [
      'the place before',
      'second',
      (request, first, last) => partOf(request, place(0, last - first, picture.length)),
    ],
    [
      'less than was asked for',
      'first',
      (_, first) =>
        response(
          picture.subarray(0, 10),
          { ...pictureFields, ...place(first, 9, picture.length) },
          '206 Partial Content',
        ),
    ],
    [
      'more bytes than the range',
      'first',
      (_, first, last) =>
        chunked(picture.subarray(first, last + 2), place(first, last, picture.length)),
    ],
    [
      'more bytes than the range in the middle',
      'second',
      (_, first, last) =>
        chunked(picture.subarray(first, last + 2), place(first, last, picture.length)),
    ],
    [
      'fewer bytes than the range',
      'second',
      (_, first, last) =>
        chunked(picture.subarray(first, last), place(first, last, picture.length)),
    ],
    ['a cookie', 'first', (request) => partOf(request, { 'Set-Cookie': 'a=1' })],
    ['a variant for prefetches', 'first', (request) => partOf(request, { Vary: 'Sec-Purpose' })],
    [
      'what may not be stored',
      'first',
      (request) => partOf(request, { 'Cache-Control': 'no-store' }),
    ],
  ])('%s', async (_, when, wrong) => {
    const cache = createHttpCache(createMemoryStore());
    await using server = await startRangeSite((request) => {
      const { first, last } = rangeOf(request) ?? { first: 0, last: 0 };
      if (!isPrefetch(request) || (first === 0) !== (when === 'first')) return undefined;
      return wrong(request, first, last);
    });
    const loader = await visit(server, {}, {}, { cache });
    expect(prefetches(server).length).toBe(when === 'first' ? 1 : 2);
    expect(await stored(server, cache)).toBeNull();
    expect(loader.stats().prefetch).toMatchObject({ kept: 0, dropped: 1, used: 0, wasted: 0 });
    const next = await loader.load(`${server.origin}/big.png`);
    expect(next.resources[0]).toMatchObject({ status: 200, fromCache: false, error: null });
    expect((await stored(server, cache))?.body.equals(picture)).toBe(true);
  });

  test('a part that breaks off and comes again of another representation', async () => {
    const cache = createHttpCache(createMemoryStore());
    let broke = false;
    await using server = await startRangeSite((request, connection) => {
      if (rangeOf(request)?.first === 0 || !isPrefetch(request)) return undefined;
      if (broke) return partOf(request, { ETag: '"2"' }, other);
      broke = true;
      const part = partOf(request);
      connection.end(part.subarray(0, part.length - 100));
      return null;
    });
    const loader = await visit(server, {}, {}, { cache });
    expect(loader.stats().prefetch).toMatchObject({ kept: 0, dropped: 1 });
    expect(await stored(server, cache)).toBeNull();
  });

  test('a part that never ends, and is given up at its first byte too many', async () => {
    let cut: Promise<void> | undefined;
    await using server = await startRangeSite((request, connection) => {
      const { first, last } = rangeOf(request) ?? { first: 0, last: 0 };
      cut = connection.closed;
      const framing = { 'Transfer-Encoding': 'chunked', ...place(first, last, picture.length) };
      connection.write(response('', { ...pictureFields, ...framing }, '206 Partial Content'));
      const piece = Buffer.concat([
        Buffer.from('3e8\r\n'),
        Buffer.alloc(1_000),
        Buffer.from('\r\n'),
      ]);
      connection.pour(piece, 10_000);
      return null;
    });
    const loader = await visit(server, { maxResourceBytes: 100 * 1024 * 1024 });
    await cut;
    expect(loader.stats().prefetch).toMatchObject({ kept: 0, dropped: 1 });
    expect(loader.stats().prefetch.bytes).toBeLessThan(1_000_000);
  });

  test('an answer too many behind a part, which puts all of them in doubt', async () => {
    const cache = createHttpCache(createMemoryStore());
    await using server = await startRangeSite((request, connection) => {
      if (rangeOf(request)?.first === 0) return undefined;
      connection.write(Buffer.concat([partOf(request), partOf(request)]));
      return null;
    });
    const loader = await visit(server, {}, {}, { cache });
    expect(loader.stats().prefetch).toMatchObject({ kept: 0, dropped: 1 });
    expect(await stored(server, cache)).toBeNull();
  });
});

describe('a page begins', () => {
  /** The second part is held; the picture is one of `/page`, which names it at its end. */
  async function held(hint?: string) {
    const release: Array<() => void> = [];
    let isHeld = true;
    const server = await startSite(
      { Link: hint ?? '</page>; rel=prefetch' },
      (request, connection) => {
        if (request.path === '/page') return response('<img src=/big.png>', fresh);
        if (request.path !== '/big.png') return undefined;
        if (!isHeld || !isPrefetch(request) || rangeOf(request)?.first === 0)
          return partOf(request);
        release.push(() => connection.write(partOf(request)));
        return null;
      },
    );
    const loader = loaderWith({ subresources: true });
    await loader.load(`${server.origin}/`);
    await eventually(() => release.length === 1);
    const free = () => {
      isHeld = false;
    };
    return { server, loader, release: () => release.shift()?.(), free };
  }
  const image = '</big.png>; rel=prefetch; as=image';

  test('no other part is asked for, and what is there of it is given up', async () => {
    const { server, loader, free } = await held(image);
    await using _ = server;
    await loader.load(`${server.origin}/other`);
    expect(firsts(server).length).toBe(2);
    free();
    await loader.idle();
    expect(loader.stats().prefetch).toMatchObject({ kept: 0, dropped: 1, requests: 2 });
    // It is asked for again when it is hinted again.
    await loader.load(`${server.origin}/`, { cacheMode: 'reload' });
    await loader.idle();
    expect(firsts(server).slice(2, 3)).toEqual([0]);
    expect(loader.stats().prefetch).toMatchObject({ kept: 1, dropped: 1 });
  });

  test('and needs it: it has the parts that are there, and asks for the rest at once', async () => {
    const { server, loader, release } = await held();
    await using _ = server;
    const loading = loader.load(`${server.origin}/page`);
    setImmediate(() => release());
    const { resources } = await loading;
    expect(resources[1]).toMatchObject({
      prefetched: true,
      status: 200,
      error: null,
      encodedBytes: picture.length,
    });
    const [, second, rest, ...more] = asked(server);
    const behind = (second && rangeOf(second)?.last) ?? 0;
    expect(rest?.headers).toMatchObject({ range: `bytes=${behind + 1}-`, 'if-range': '"1"' });
    expect(rest?.headers['sec-purpose']).toBeUndefined();
    expect(more).toEqual([]);
    await loader.idle();
    const bytes = picture.length + '<img src=/big.png>'.length;
    expect(loader.stats().prefetch).toMatchObject({ used: 2, usedBytes: bytes, kept: 2, bytes });
    const again = await loader.load(`${server.origin}/page`);
    expect(again.resources[1]).toMatchObject({ fromCache: true, encodedBytes: 0 });
  });

  test('and needs it later: until then no part is asked for, then the rest', async () => {
    const release = new Map<string, () => void>();
    const page = { ...fresh, ETag: '"page"', 'Cache-Control': 'no-cache' };
    await using server = await startSite(
      { Link: '</page>; rel=prefetch' },
      (request, connection) => {
        const { path, headers } = request;
        const hold = (said: Buffer | string) => {
          release.set(path, () => connection.write(said));
          return null;
        };
        if (path === '/page' && headers['if-none-match'] === undefined) {
          return response('<img src=/big.png>', page);
        }
        if (path === '/page') {
          return hold(
            'HTTP/1.1 304 Not Modified\r\nETag: "page"\r\nCache-Control: no-cache\r\n\r\n',
          );
        }
        if (path !== '/big.png') return undefined;
        const isSecond = isPrefetch(request) && rangeOf(request)?.first !== 0;
        return isSecond ? hold(partOf(request)) : partOf(request);
      },
    );
    const loader = loaderWith({ subresources: true });
    await loader.load(`${server.origin}/`);
    await eventually(() => release.has('/big.png'));
    const loading = loader.load(`${server.origin}/page`);
    await eventually(() => release.has('/page'));
    const { bytes } = loader.stats().prefetch;
    release.get('/big.png')?.();
    await eventually(() => loader.stats().prefetch.bytes > bytes);
    await new Promise((resolve) => setImmediate(resolve));
    expect(firsts(server).length).toBe(2);
    release.get('/page')?.();
    const { resources } = await loading;
    expect(resources[1]).toMatchObject({ prefetched: true, encodedBytes: picture.length });
    expect(asked(server).map(({ headers }) => headers.range?.endsWith('-'))).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('and needs it, but it changed meanwhile: the page asks for all of it', async () => {
    const changed = Buffer.from(picture.toReversed());
    let isChanged = false;
    let release = (): void => {};
    await using server = await startSite(
      { Link: '</page>; rel=prefetch' },
      (request, connection) => {
        if (request.path === '/page') return response('<img src=/big.png>', fresh);
        if (request.path !== '/big.png') return undefined;
        const { first } = rangeOf(request) ?? { first: 0 };
        if (first === 0 && isPrefetch(request)) return partOf(request);
        if (isPrefetch(request)) {
          release = () => {
            isChanged = true;
            connection.write(partOf(request));
          };
          return null;
        }
        if (!isChanged) return partOf(request);
        return response(changed, { ...pictureFields, ETag: '"2"' });
      },
    );
    const cache = createHttpCache(createMemoryStore());
    const loader = loaderWith({ subresources: true }, {}, { cache });
    await loader.load(`${server.origin}/`);
    await eventually(() => asked(server).length === 2);
    const loading = loader.load(`${server.origin}/page`);
    setImmediate(() => release());
    const { resources } = await loading;
    expect(resources[1]).toMatchObject({
      prefetched: false,
      status: 200,
      error: null,
      encodedBytes: picture.length,
    });
    await loader.idle();
    expect((await stored(server, cache))?.body.equals(changed)).toBe(true);
    expect(loader.stats().prefetch).toMatchObject({ used: 1, kept: 1, dropped: 1 });
  });

  /** The rest of a picture whose second part is held until the page wants it, answered by `answer`. */
  async function rest(answer: Answer) {
    let release = (): void => {};
    const server = await startSite({ Link: '</page>; rel=prefetch' }, (request, connection) => {
      if (request.path === '/page') return response('<img src=/big.png>', fresh);
      if (request.path !== '/big.png') return undefined;
      if (!isPrefetch(request)) return answer(request, connection);
      if (rangeOf(request)?.first === 0) return partOf(request);
      release = () => connection.write(partOf(request));
      return null;
    });
    const cache = createHttpCache(createMemoryStore());
    const loader = loaderWith({ subresources: true }, {}, { cache });
    await loader.load(`${server.origin}/`);
    await eventually(() => asked(server).length === 2);
    const loading = loader.load(`${server.origin}/page`);
    setImmediate(() => release());
    const { resources } = await loading;
    await loader.idle();
    return { server, loader, cache, image: resources[1] };
  }

  test('and needs it, but its rest breaks off: the page has each byte once', async () => {
    let broke = false;
    const { server, cache, image } = await rest((request, connection) => {
      if (broke) return partOf(request);
      broke = true;
      connection.end(partOf(request).subarray(0, 20_000));
      return null;
    });
    await using _ = server;
    expect(image).toMatchObject({ status: 200, error: null, encodedBytes: picture.length });
    expect((await stored(server, cache))?.body.equals(picture)).toBe(true);
  });

  test('and needs it, but only the end of the connection ends its rest: it is not stored', async () => {
    const { server, cache, image } = await rest((request, connection) => {
      const [head = '', ...body] = partOf(request).toString('latin1').split('\r\n\r\n');
      const unframed = head.replace(/\r\nContent-Length: \d+/, '');
      connection.end(Buffer.from(`${unframed}\r\n\r\n${body.join('\r\n\r\n')}`, 'latin1'));
      return null;
    });
    await using _ = server;
    expect(image).toMatchObject({ prefetched: true, error: null });
    expect(await stored(server, cache)).toBeNull();
  });

  test('and the loader is closed: a body that lacks parts holds nothing up', async () => {
    const { server, loader } = await held(image);
    await using _ = server;
    await loader.close();
    await loader.idle();
    expect(loader.stats().prefetch).toMatchObject({ kept: 0, dropped: 1 });
  });
});
