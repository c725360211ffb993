// Requests found together leave together (Nielsen, Gettys et al. 1997, "Pipelining", "Buffer Tuning"),
// as the record tells it and as a server sees it. Order is made by gates: the server goes on with its
// HTML when requests arrived, or when the client reports what it found.

import { describe, expect, it } from 'vitest';
import { type LoaderOptions, loadPage as loadPageBy } from '../../../../loader/index.ts';
import type { PageLoad } from '../../../../loader/page-load.ts';
import { withConstants } from '../../../../options/options.ts';
import { imagePage, numberedImage, serverOf } from '../../../support/image-page.ts';
import {
  answering,
  type RawConnection,
  type RawServer,
  response,
  startRawServer,
} from '../../../support/raw-server.ts';

/** `auto` has only a few requests in flight at first. */
const loadPage = (url: string, options: LoaderOptions = {}) =>
  loadPageBy(url, { protocol: 'pipelined', ...options });

/** Requests wait for the end of the document. */
const untilTheEnd = { maxBytes: null, flush: null };
const never = 2 ** 31 - 1; // ms, longer than any test

/** A server of a page with so many images, all in one response each. */
const pageOf = (count: number): Promise<RawServer> => serverOf(imagePage(count));

/** Its HTML comes in parts; `next` lets the following one out. Images come behind the last: HTTP/1.1 answers in order. */
async function inParts(parts: string[]): Promise<{ server: RawServer; next: () => void }> {
  let page: RawConnection | null = null;
  const left = [...parts];
  const waiting: Array<() => void> = [];
  const next = (): void => {
    page?.write(left.shift() ?? '');
    if (left.length === 0) for (const answer of waiting.splice(0)) answer();
  };
  const server = await answering(({ path }, connection) => {
    if (path === '/') {
      page = connection;
      const length = `Content-Length: ${parts.join('').length}`;
      connection.write(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n${length}\r\n\r\n`);
    } else waiting.push(() => connection.write(response(numberedImage(1).body)));
    if (path === '/' || left.length === 0) next();
  });
  return { server, next };
}

/**
 * Loads a page that comes in two parts. A connection to another origin, which the first part names, shows that this part
 * was scanned; then the second comes.
 * @returns The requests in each write to the page's origin, and how many it had got by then.
 */
async function loadInTwoParts(options: LoaderOptions) {
  let scanned = (): void => {};
  await using other = await startRawServer({
    onConnection: () => scanned(),
    onRequest: (_request, connection) => connection.write(response('x')),
  });
  const held = await inParts([`${images(0, 3)}<img src=${other.origin}/x>`, images(3, 5)]);
  await using server = held.server;
  let before = 0;
  scanned = () => {
    before = server.requests.length;
    held.next();
  };
  const load = await loadPage(`${server.origin}/`, options);
  expect(load.totals.errors).toBe(0);
  const own = load.connections.find(({ origin }) => origin === server.origin)?.id;
  const ofOwn = load.batches.filter(({ connection }) => connection === own);
  return { before, writes: ofOwn.map((each) => each.requests) };
}

/** Loads a page in parts: the next comes when the server has got so many requests. */
async function loadInParts(parts: string[], counts: number[], options: LoaderOptions = {}) {
  const held = await inParts(parts);
  await using server = held.server;
  const asked = (async () => {
    for (const count of counts) {
      await requests(server, count);
      held.next();
    }
  })();
  const load = await loadPage(`${server.origin}/`, options);
  await asked;
  expectConsistent(load, server);
  return load;
}

/** A page of this HTML; all else is `x`. */
const siteOf = (html: string) =>
  answering(({ path }, connection) =>
    connection.write(
      path === '/' ? response(html, { 'Content-Type': 'text/html' }) : response('x'),
    ),
  );

/** Resolves when the server has seen so many. */
async function requests(server: RawServer, count: number): Promise<void> {
  while (server.requests.length < count) await new Promise((resolve) => setImmediate(resolve));
}

const images = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `<img src=/${from + index}.gif>`).join('');

/** Requests in each write, in order. */
const sizes = (load: PageLoad): number[] => load.batches.map(({ requests }) => requests);

function expectConsistent(load: PageLoad, server: RawServer): void {
  expect(load.totals.errors).toBe(0);
  expect(load.totals.batches).toBe(load.batches.length);
  expect(load.totals.requests).toBe(server.requests.length);
  expect(sizes(load).reduce((sum, each) => sum + each, 0)).toBe(load.totals.requests);
  expect(load.totals.requestsPerBatch).toBe(load.totals.requests / load.totals.batches);
  expect(load.batches.map(({ id }) => id)).toEqual(load.batches.map((_, index) => index + 1));
  for (const batch of load.batches) {
    const rows = load.resources.filter((row) => row.batch === batch.id);
    expect(rows).toHaveLength(batch.requests);
    for (const row of rows) {
      expect(row.connection).toBe(batch.connection);
      expect(row.requestStartMs).toBe(batch.sentMs);
    }
    const seen = server.requests.filter(({ path }) =>
      rows.some(({ url }) => url === server.origin + path),
    );
    expect(batch.bytes).toBe(seen.reduce((sum, { bytes }) => sum + bytes, 0));
  }
}

it('http1.0 says HTTP/1.0 in each request, others HTTP/1.1 (RFC 9112 2.3)', async () => {
  for (const protocol of ['http1.0', 'persistent', 'pipelined'] as const) {
    await using server = await pageOf(3);
    const { totals } = await loadPage(`${server.origin}/`, { protocol });
    expect(totals.errors).toBe(0);
    const versions = new Set(server.requests.map(({ version }) => version));
    expect([...versions]).toEqual([protocol === 'http1.0' ? 'HTTP/1.0' : 'HTTP/1.1']);
  }
});

describe('by default', () => {
  it('what one chunk of HTML yields leaves in one write', async () => {
    await using server = await pageOf(10);
    const load = await loadPage(`${server.origin}/`);
    expectConsistent(load, server);
    expect(sizes(load)).toEqual([1, 10]);
    expect(server.writes).toBe(2);
    expect(load.totals.requestsPerBatch).toBe(5.5);
  });

  it('no write is larger than ten segments, and what fits leaves in one', async () => {
    await using server = await pageOf(42);
    const load = await loadPage(`${server.origin}/`);
    expectConsistent(load, server);
    expect(sizes(load)).toEqual([1, 42]);
    expect(load.connections).toHaveLength(1);
    await using larger = await pageOf(400);
    const { batches } = await loadPage(`${larger.origin}/`);
    expect(batches.length).toBeGreaterThan(2);
    for (const { bytes } of batches) expect(bytes).toBeLessThanOrEqual(14_600);
  });

  it('each chunk’s requests leave when it is scanned: a server that holds the rest back gets them', async () => {
    const load = await loadInParts([images(0, 3), images(3, 5), images(5, 9)], [4, 6]);
    expect(sizes(load)).toEqual([1, 3, 2, 4]);
  });

  it('a request larger than the buffer goes alone, whole', async () => {
    const long = 'x'.repeat(15_000);
    const html = `<img src=/a.gif><img src=/${long}><img src=/b.gif>`;
    await using server = await siteOf(html);
    const load = await loadPage(`${server.origin}/`);
    expectConsistent(load, server);
    expect(sizes(load)).toEqual([1, 1, 1, 1]);
    expect(load.batches[2]?.bytes).toBeGreaterThan(15_000);
  });

  it('connections have batches of their own', async () => {
    await using other = await pageOf(4);
    const html = [0, 1, 2, 3]
      .map((index) => `<img src=/${index}.gif><img src=${other.origin}/image-${index}.gif>`)
      .join('');
    await using server = await siteOf(html);
    const load = await loadPage(`${server.origin}/`);
    const byOrigin = (origin: string) => {
      const ids = load.connections.filter((each) => each.origin === origin).map(({ id }) => id);
      return load.batches
        .filter(({ connection }) => ids.includes(connection))
        .map(({ requests }) => requests);
    };
    expect(byOrigin(server.origin)).toEqual([1, 4]);
    expect(byOrigin(other.origin)).toEqual([4]);
  });
});

describe('the page’s own request', () => {
  const rules: LoaderOptions['batch'][] = [
    untilTheEnd,
    { ...untilTheEnd, flush: never },
    { maxBytes: 1 },
    {},
  ];
  it.each(rules)('leaves at once whatever the rules are: %o', async (batch) => {
    await using server = await pageOf(0);
    const load = await loadPage(`${server.origin}/`, { batch: batch ?? {} });
    expect(sizes(load)).toEqual([1]);
    expectConsistent(load, server);
  });

  it('so does each hop of a redirect', async () => {
    await using server = await answering(({ path }, connection) =>
      connection.write(
        path === '/'
          ? response('', { Location: '/b' }, '302 Found')
          : response('x', { 'Content-Type': 'text/html' }),
      ),
    );
    expect(sizes(await loadPage(`${server.origin}/`, { batch: untilTheEnd }))).toEqual([1, 1]);
  });
});

describe('the paper’s settings', () => {
  it('a buffer of 1,024 bytes: each write is as full as whole requests make it', async () => {
    await using server = await pageOf(42);
    const load = await loadPage(`${server.origin}/`, { batch: { maxBytes: 1024 } });
    expectConsistent(load, server);
    const [, ...ofImages] = load.batches;
    const next = (id: number): number => {
      const row = load.resources.find((each) => each.batch === id);
      return server.requests.find(({ path }) => server.origin + path === row?.url)?.bytes ?? 0;
    };
    for (const { id, bytes } of ofImages) {
      expect(bytes).toBeLessThanOrEqual(1024);
      if (id < load.batches.length) expect(bytes + next(id + 1)).toBeGreaterThan(1024);
    }
  });

  it('a full buffer leaves at once, the rest after 50 ms, though the page has not ended', async () => {
    const batch = { maxBytes: 1024, flush: 50 };
    const load = await loadInParts([images(0, 20), '<p>end'], [21], { batch });
    const [, ...ofImages] = load.batches;
    expect(ofImages.length).toBeGreaterThanOrEqual(2);
    const last = ofImages.at(-1);
    const filled = ofImages.slice(0, -1);
    for (const { sentMs } of filled) expect((last?.sentMs ?? 0) - sentMs).toBeGreaterThan(40);
  });

  it('the timer alone: one write of all that was found, though the page has not ended', async () => {
    const batch = { maxBytes: null, flush: 50 };
    const load = await loadInParts([images(0, 42), '<p>end'], [43], { batch });
    expect(sizes(load)).toEqual([1, 42]);
    expect(load.batches[1]?.bytes).toBeGreaterThan(1460);
    const [first] = load.resources.slice(1);
    expect((first?.requestStartMs ?? 0) - (first?.startMs ?? 0)).toBeGreaterThan(40);
  });

  it.each([null, never])(
    'flush %s: what was found waits for the end of the page, then leaves together',
    async (flush) => {
      const load = await loadInTwoParts({ batch: { maxBytes: null, flush } });
      expect(load).toEqual({ before: 1, writes: [1, 5] });
    },
  );
});

describe('while the end of the page is missing, what was found', () => {
  it.each([
    ['waits for it, then leaves with what that yields', { maxEndWaitMs: never }, [1, 5]],
    ['with 0 leaves at once', { maxEndWaitMs: 0 }, [1, 3, 2]],
    ['on loopback, whose round trip is short, leaves at once', {}, [1, 3, 2]],
  ])('%s', async (_, batch, sizesOfOwn) => {
    expect((await loadInTwoParts(withConstants({ batch }))).writes).toEqual(sizesOfOwn);
  });

  it.each([
    ['does not wait longer than that', { maxEndWaitMs: 20 }, '<p>end'],
    ['does not wait for more than ten segments', { maxEndWaitMs: never }, 'x'.repeat(14_601)],
  ])('%s', async (_, batch, rest) => {
    const load = await loadInParts([images(0, 3), rest], [4], withConstants({ batch }));
    expect(sizes(load)).toEqual([1, 3]);
  });
});

describe('the batch rules cannot stop', () => {
  it.each(['persistent', 'http1.0'] as const)('%s: a write for each request', async (protocol) => {
    await using server = await pageOf(12);
    const load = await loadPage(`${server.origin}/`, { protocol, batch: untilTheEnd });
    expectConsistent(load, server);
    expect(new Set(sizes(load))).toEqual(new Set([1]));
    expect(load.totals.requestsPerBatch).toBe(1);
  });

  it('a pipeline that is not deep enough for the page', async () => {
    await using server = await pageOf(12);
    const load = await loadPage(`${server.origin}/`, {
      batch: untilTheEnd,
      ...withConstants({ pipeline: { maxDepth: 3 } }),
    });
    expectConsistent(load, server);
  });
});

it('a page that could not be fetched: has no batches and 0 requests per batch', async () => {
  await using server = await pageOf(0);
  const { origin } = server;
  await server[Symbol.asyncDispose]();
  const load = await loadPage(`${origin}/`);
  expect(load.totals).toMatchObject({ batches: 0, requests: 0, requestsPerBatch: 0, errors: 1 });
});
