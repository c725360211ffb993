// A walk: pages in order, each when the stay before it is over, prefetches in between; and sums that are
// those of its parts.

import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { type WalkRecord, walkPages } from '../../../loader/walk/index.ts';
import { withConstants } from '../../../options/options.ts';
import { dictionaries } from '../../../server/index.ts';
import { listening } from '../../server/listening.ts';
import { memoryCache } from '../../support/memory-cache.ts';
import { closedPort, response } from '../../support/raw-server.ts';
import {
  type Answer,
  fresh,
  isPrefetch,
  link,
  startSite as startHintingSite,
} from '../prefetch/site.ts';

/** `/1` hints at `/2` and so on; `answer` may say something else, or nothing (null). */
const startSite = (answer: Answer = () => undefined) =>
  startHintingSite({}, (request, connection) => {
    const next = link(`/${Number(request.path.slice(1)) + 1}`);
    const own = answer(request, connection);
    return own === undefined ? response(body(request.path), { ...fresh, ...next }) : own;
  });

const body = (path: string) => `<p>${path}`;
/** Prefetches wait for no calm here: other tests may keep the machine busy. */
const loader = withConstants({ prefetchMaxLoad: 1 });

const pagesOf = ({ origin }: { origin: string }, paths: readonly string[], thinkMs = 0) =>
  paths.map((path) => ({ url: `${origin}${path}`, thinkMs }));

const pathOf = ({ url }: { url: string }) => new URL(url).pathname;

function expectSums({ pages, totals }: WalkRecord): void {
  const sum = (value: (page: WalkRecord['pages'][number]) => number) =>
    pages.reduce((all, page) => all + value(page), 0);
  expect(totals).toMatchObject({
    pages: pages.length,
    timeMs: sum(({ load }) => (load.error === null ? (load.timeMs ?? 0) : 0)),
    networkMs: sum(({ load }) => (load.error === null ? load.networkMs : 0)),
    requests: sum(({ load }) => load.requests),
    hits: sum(({ load }) => load.hits),
    prefetchRequests: sum((page) => page.prefetch.requests),
    prefetchBytes: sum((page) => page.prefetch.bytes),
    usedBytes: sum(({ used }) => used.bytes),
    wastedBytes: sum((page) => page.prefetch.wastedBytes),
    trafficBytes: sum((page) => page.load.bytes + page.prefetch.bytes),
    connections: sum((page) => page.load.connections + page.prefetch.connections),
  });
  expect(totals.wastedBytes).toBe(totals.prefetchBytes - totals.usedBytes);
  expect(totals.addedTraffic).toBe(totals.wastedBytes / (totals.trafficBytes - totals.wastedBytes));
}

test('pages are walked in order, and what a stay prefetched is used by the next page', async () => {
  await using server = await startSite();
  const told: number[] = [];
  const record = await walkPages(pagesOf(server, ['/1', '/2', '/3'], 1_000), {
    loader,
    onPage: (_, index) => told.push(index),
  });
  expect(record.pages.map(pathOf)).toEqual(['/1', '/2', '/3']);
  expect(told).toEqual([0, 1, 2]);
  expect(record).toMatchObject({ prefetched: true, endedBy: null });
  const [first, second, third] = record.pages;
  expect(first).toMatchObject({
    load: { hits: 0, requests: 1, bytes: 5, error: null },
    prefetch: { requests: 1, bytes: 5 },
    used: { resources: 0, bytes: 0 },
  });
  expect(second).toMatchObject({
    load: { hits: 1, requests: 0, bytes: 0, networkMs: 0 },
    used: { resources: 1, bytes: 5 },
  });
  expect(third).toMatchObject({ used: { resources: 1 } });
  // Behind the last page too: the visitor did not say that it was the last.
  expect(third?.prefetch).toMatchObject({ requests: 1, bytes: 5 });
  expect(record.totals).toMatchObject({ prefetchBytes: 15, usedBytes: 10, wastedBytes: 5 });
  expect(record.totals.addedTraffic).toBe(5 / 15);
  expect(record.totals.connections).toBe(server.connections.length);
  expectSums(record);
});

test('what was fetched in vain counts behind the page that hinted at it, connections where they were opened', async () => {
  await using server = await startSite(({ path }) => {
    if (path !== '/1') return undefined;
    return response(body(path), { ...fresh, ...link('/2', '/3', '/8') });
  });
  const walked = pagesOf(server, ['/1', '/2', '/3'], 1_000);
  const record = await walkPages(walked, { loader });
  const [first, second, third] = record.pages;
  // `/3` was used two pages later, `/8` by nobody.
  expect(first?.prefetch).toMatchObject({ bytes: 15, wastedBytes: 5, connections: 1 });
  expect(first?.addedTraffic).toBe(5 / 5);
  // `/3` was there: nothing was fetched.
  expect(second?.prefetch).toMatchObject({ bytes: 0, wastedBytes: 0, connections: 0 });
  expect(second).toMatchObject({ used: { bytes: 5 }, addedTraffic: 0 });
  expect(third?.prefetch).toMatchObject({ bytes: 5, wastedBytes: 5 });
  expect(third?.addedTraffic).toBe(5 / 5);
  expect(record.pages.map(({ load }) => load.connections)).toEqual([1, 0, 0]);
  expect(record.totals.connections).toBe(server.connections.length);
  expectSums(record);
});

test('a page that needed no byte has no share that was added to it', async () => {
  await using server = await startSite();
  const cache = memoryCache();
  const again = pagesOf(server, ['/1'], 0);
  await walkPages(again, { prefetch: null, loader: { cache } });
  const { pages } = await walkPages(again, { prefetch: null, loader: { cache } });
  expect(pages[0]).toMatchObject({ load: { bytes: 0, connections: 0 }, addedTraffic: null });
});

test('without prefetching nothing is asked for but the pages', async () => {
  await using server = await startSite();
  const record = await walkPages(pagesOf(server, ['/1', '/2']), { prefetch: null });
  expect(server.requests.map(({ path }) => path)).toEqual(['/1', '/2']);
  expect(record).toMatchObject({
    prefetched: false,
    totals: { prefetchRequests: 0, prefetchBytes: 0, addedTraffic: 0, trafficBytes: 10 },
  });
  expectSums(record);
});

test('a stay that is over ends prefetching: the next page does not wait for it', async () => {
  let cut: Promise<void> | undefined;
  await using server = await startSite((request, connection) => {
    if (!isPrefetch(request)) return undefined;
    // Half of it, and never the rest.
    const whole = response('x'.repeat(1000), fresh);
    connection.write(whole.subarray(0, whole.length - 500));
    cut = connection.closed;
    return null;
  });
  const record = await walkPages(pagesOf(server, ['/1', '/7'], 500), { loader });
  await cut;
  expect(record.pages.map(({ load }) => load.error)).toEqual([null, null]);
  const [first] = record.pages;
  expect(first?.prefetch).toMatchObject({ requests: 1, bytes: 500, timeMs: first?.thinkMs });
  expect(first?.thinkMs).toBeGreaterThanOrEqual(499);
  expect(record.totals.usedBytes).toBe(0);
  expectSums(record);
});

test('a prefetch under way becomes the page’s, and each of its bytes counts once', async () => {
  const whole = response('<p>slowly', fresh);
  let isWanted = false;
  let finish = (): void => {};
  await using server = await startSite((request, connection) => {
    if (request.path !== '/2') return undefined;
    if (isWanted) return whole;
    connection.write(whole.subarray(0, whole.length - 4));
    finish = () => connection.write(whole.subarray(whole.length - 4));
    return null;
  });
  const record = await walkPages(pagesOf(server, ['/1', '/2'], 300), {
    loader,
    onStep: ({ doing, index }) => {
      if (doing !== 'loading' || index !== 1) return;
      isWanted = true;
      setImmediate(() => finish());
    },
  });
  expect(server.requests.filter(({ path }) => path === '/2').length).toBe(1);
  expect(record.pages[0]?.prefetch).toMatchObject({ requests: 1, bytes: '<p>slowly'.length });
  expect(record.pages[1]).toMatchObject({ load: { bytes: 0, requests: 0 } });
  expect(record.pages[1]?.used).toEqual({ resources: 1, bytes: '<p>slowly'.length });
  expect(record.pages[1]?.load.networkMs).toBeGreaterThan(0);
  expect(record.pages[0]?.prefetch.wastedBytes).toBe(0);
  expectSums(record);
});

test('of a page that came as the difference to another, what was received counts, for the page that asked', async () => {
  const long = 'the same in each page, as of a template. '.repeat(200);
  const coded = dictionaries();
  const site = createServer((req, res) =>
    coded(req, res, () => {
      const hint = req.url === '/1' ? { Link: '</3>; rel=prefetch; probability=0.9' } : {};
      res.writeHead(200, { ...fresh, ...hint }).end(`<p>${req.url} ${long}`);
    }),
  );
  const origin = `http://127.0.0.1:${await listening(site)}`;
  const record = await walkPages(pagesOf({ origin }, ['/1', '/2', '/3'], 300), { loader });
  const [first, second, third] = record.pages;
  expect(first?.prefetch.bytes).toBeGreaterThan(0);
  expect(first?.prefetch.bytes).toBeLessThan(long.length / 4);
  expect(third?.used).toEqual({ resources: 1, bytes: first?.prefetch.bytes });
  expect([first, second].map((page) => page?.prefetch.wastedBytes)).toEqual([0, 0]);
  expectSums(record);
});

test('a page that does not come is told, and the walk goes on', async () => {
  await using server = await startSite();
  const nobody = `http://127.0.0.1:${await closedPort()}/`;
  const pages = [{ url: nobody, thinkMs: 0 }, ...pagesOf(server, ['/1'])];
  const record = await walkPages(pages, { loader });
  expect(record.pages.map(({ load }) => load.error?.code)).toEqual([
    'connection-refused',
    undefined,
  ]);
  expect(record.pages[0]?.load.timeMs).toBe(null);
  expect(record.totals).toMatchObject({ pages: 2, failed: 1 });
});

test('the time of a page that failed is in no sum: what failed soon was no faster', async () => {
  await using server = await startSite(({ path }) =>
    path === '/9' ? response('no', fresh, '404 Not Found') : undefined,
  );
  const record = await walkPages(pagesOf(server, ['/1', '/9']), { prefetch: null });
  const [first, second] = record.pages;
  expect(second?.load).toMatchObject({ error: { code: 'http-status' }, bytes: 2 });
  expect(second?.load.timeMs).toBeGreaterThan(0);
  const { timeMs, networkMs } = first?.load ?? {};
  expect(record.totals).toMatchObject({ timeMs, networkMs, failed: 1, trafficBytes: 7 });
  expectSums(record);
});

test('it ends after as many pages as it may, and says so', async () => {
  await using server = await startSite();
  const few = await walkPages(pagesOf(server, ['/1', '/2', '/3']), { prefetch: null, maxPages: 2 });
  expect([few.pages.map(pathOf), few.endedBy]).toEqual([['/1', '/2'], 'maxPages']);
});

test.each<[string, paths: string[], doing: string, index: number]>([
  ['while a visitor stays', ['/1', '/9'], 'staying', 0],
  ['while a page loads', ['/1', '/9'], 'loading', 1],
  ['on its last page', ['/1'], 'staying', 0],
])('aborted %s it rejects with the reason, and its connections end', async (...given) => {
  const [, paths, doing, index] = given;
  await using server = await startSite((request) =>
    request.path === '/9' || isPrefetch(request) ? null : undefined,
  );
  const abort = new AbortController();
  const walking = walkPages(pagesOf(server, paths, doing === 'staying' ? 60_000 : 0), {
    signal: abort.signal,
    loader,
    onStep(step) {
      const isIt = step.doing === doing && step.index === index;
      if (isIt) setImmediate(() => abort.abort(new Error('told')));
    },
  });
  await expect(walking).rejects.toThrow('told');
  for (const { closed } of server.connections) await closed;
});

test.each<[string, unknown, object, string]>([
  ['no URL', [{ url: 'here', thinkMs: 0 }], {}, 'page 1: "here" is not an http or https URL'],
  ['no stay', [{ url: 'http://a.example/', thinkMs: -1 }], {}, 'pages[0].thinkMs must be'],
  ['no pages', 'http://a.example/', {}, 'pages must be an array'],
  ['a name', [], { maxPage: 3 }, 'option maxPage is unknown; did you mean maxPages?'],
  ['loader', [], { loader: { protocol: 'x' } }, 'loader.protocol must be auto'],
  ['maxPages', [], { maxPages: 0 }, 'maxPages must be a whole number of at least 1'],
  ['prefetch', [], { prefetch: { threshold: 2 } }, 'prefetch.threshold must be'],
])('misuse is refused before anything is sent: %s', async (_, pages, options, message) => {
  await expect(walkPages(pages as [], options)).rejects.toThrow(message);
});
