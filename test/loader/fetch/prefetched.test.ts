// A fetch and a loader with one cache: what the loader is prefetching the fetch waits for, and asks nobody again.

import { expect, onTestFinished, test } from 'vitest';
import {
  createFetch,
  createHttpCache,
  createMemoryStore,
  type Fetch,
  type FetchOptions,
  type Loader,
} from '../../../loader/index.ts';
import {
  type RawConnection,
  type RawServer,
  response,
  type SeenRequest,
} from '../../support/raw-server.ts';
import { asked as askedParts, partOf, picture, rangeOf } from '../prefetch/range-site.ts';
import { fresh, link, loaderWith, startSite, untilAsked } from '../prefetch/site.ts';

/** A site whose `/next` waits to be answered, and both clients on one cache; the loader is prefetching it. */
async function underWay(
  answer: (request: SeenRequest) => Buffer | string = () => response('<p>next', fresh),
  options: FetchOptions = {},
): Promise<{ server: RawServer; fetch: Fetch; loader: Loader; answerOne: () => void }> {
  const waiting: [SeenRequest, RawConnection][] = [];
  const server = await startSite(link('/next'), (request, connection) => {
    if (request.path !== '/next') return undefined;
    waiting.push([request, connection]);
    return null;
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const cache = createHttpCache(createMemoryStore());
  const loader = loaderWith({}, {}, { cache });
  const fetch = createFetch({ ...options, cache });
  onTestFinished(() => fetch.close());
  await loader.load(`${server.origin}/`);
  await untilAsked(server, '/next');
  const answerOne = () => {
    const [request, connection] = waiting.shift() ?? [];
    if (request !== undefined) connection?.write(answer(request));
  };
  return { server, fetch, loader, answerOne };
}

const asked = ({ requests }: RawServer) => requests.filter(({ path }) => path === '/next');
const ranges = (server: RawServer) => askedParts(server).map((request) => rangeOf(request));
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Until it has been asked so often. */
async function untilAskedTimes(server: RawServer, times: number): Promise<void> {
  while (asked(server).length < times) await turn();
}

test('it is asked for once, and counts as used', async () => {
  const { server, fetch, loader, answerOne } = await underWay();
  const fetching = fetch(`${server.origin}/next`);
  await turn();
  answerOne();
  const got = await fetching;
  expect(await got.text()).toBe('<p>next');
  expect(got.headers.get('cache-status')).toBe('loadahead; fwd=miss; collapsed');
  expect(asked(server).length).toBe(1);
  expect(loader.stats().prefetch).toMatchObject({ used: 1, dropped: 0 });
  const again = await fetch(`${server.origin}/next`);
  expect(again.headers.get('cache-status')).toBe('loadahead; hit');
});

test('several at once wait for the one', async () => {
  const { server, fetch, loader, answerOne } = await underWay();
  const fetching = Promise.all([1, 2, 3].map(() => fetch(`${server.origin}/next`)));
  await turn();
  answerOne();
  const texts = await Promise.all((await fetching).map((got) => got.text()));
  expect(texts).toEqual(['<p>next', '<p>next', '<p>next']);
  expect(asked(server).length).toBe(1);
  expect(loader.stats().prefetch.used).toBe(1);
});

test.each<[string, (request: SeenRequest) => Buffer]>([
  [
    'is refused',
    ({ headers }) =>
      headers['sec-purpose']
        ? response('', { 'Cache-Control': 'no-store' }, '503 Service Unavailable')
        : response('<p>asked', fresh),
  ],
  [
    'is another for other fields',
    ({ headers }) =>
      response(headers['sec-purpose'] ? '<p>for pages' : '<p>asked', { ...fresh, Vary: 'Accept' }),
  ],
])('a prefetch that %s: the fetch asks for itself', async (_, answer) => {
  const { server, fetch, answerOne } = await underWay(answer);
  const fetching = fetch(`${server.origin}/next`);
  await turn();
  answerOne();
  await untilAskedTimes(server, 2);
  answerOne();
  const got = await fetching;
  expect([got.status, await got.text()]).toEqual([200, '<p>asked']);
  expect(asked(server).map(({ headers }) => headers['sec-purpose'])).toEqual([
    'prefetch',
    undefined,
  ]);
});

test('a page that begins does not end what a fetch waits for', async () => {
  const { server, fetch, loader, answerOne } = await underWay();
  const fetching = fetch(`${server.origin}/next`);
  await turn();
  await loader.load(`${server.origin}/other`);
  answerOne();
  expect(await (await fetching).text()).toBe('<p>next');
  expect(asked(server).length).toBe(1);
});

test('of what comes in parts all the rest is asked for at once, whatever page is loading', async () => {
  let answerFirst = (): void => {};
  let answerPage = (): void => {};
  const home = link('/big.png');
  await using server = await startSite(home, (request, connection) => {
    if (request.path === '/slow') {
      answerPage = () => connection.write(response('<p>slow', fresh));
      return null;
    }
    if (request.path !== '/big.png') return undefined;
    if (!request.headers.range?.startsWith('bytes=0-')) return partOf(request);
    answerFirst = () => connection.write(partOf(request));
    return null;
  });
  const cache = createHttpCache(createMemoryStore());
  const loader = loaderWith({}, {}, { cache });
  await using fetch = createFetch({ cache });
  await loader.load(`${server.origin}/`);
  await untilAsked(server, '/big.png');
  const fetching = fetch(`${server.origin}/big.png`);
  await turn();
  // A page is loading meanwhile.
  const loading = loader.load(`${server.origin}/slow`);
  await untilAsked(server, '/slow');
  answerFirst();
  expect(Buffer.from(await (await fetching).arrayBuffer()).equals(picture)).toBe(true);
  expect(ranges(server).map((range) => range?.last)).toEqual([
    ranges(server)[0]?.last,
    picture.length - 1,
  ]);
  answerPage();
  await loading;
  // Who waits for it is no prefetch any more.
  const purposes = askedParts(server).map(({ headers }) => headers['sec-purpose']);
  expect(purposes).toEqual(['prefetch', undefined]);
  expect(loader.stats().prefetch).toMatchObject({ used: 1, dropped: 0 });
});

test.each<[RequestInit, 'given up' | 'goes on']>([
  [{ cache: 'reload' }, 'given up'],
  [{ cache: 'no-cache' }, 'given up'],
  [{ cache: 'no-store' }, 'goes on'],
  [{ headers: { Range: 'bytes=0-1' } }, 'goes on'],
  [{ method: 'HEAD' }, 'goes on'],
])('%o does not wait: the server is asked, and the prefetch is %s', async (init, fate) => {
  const { server, fetch, loader, answerOne } = await underWay();
  const fetching = fetch(`${server.origin}/next`, init);
  await untilAskedTimes(server, 2);
  answerOne();
  await loader.idle();
  expect(loader.stats().prefetch.kept).toBe(fate === 'goes on' ? 1 : 0);
  await fetch.destroy();
  await expect(fetching).rejects.toThrow('fetch failed');
});

test('aborted while it waits', async () => {
  const { server, fetch } = await underWay();
  const abort = new AbortController();
  const fetching = fetch(`${server.origin}/next`, { signal: abort.signal });
  await turn();
  abort.abort(new Error('enough'));
  await expect(fetching).rejects.toThrow('enough');
  expect(asked(server).length).toBe(1);
});

test('closed while it waits', async () => {
  const { server, fetch } = await underWay();
  const fetching = fetch(`${server.origin}/next`);
  await turn();
  await fetch.destroy();
  await expect(fetching).rejects.toMatchObject({ cause: { code: 'loader-closed' } });
});

test('a loader that is closed ends the waiting: the fetch asks for itself', async () => {
  const { server, fetch, loader, answerOne } = await underWay();
  const fetching = fetch(`${server.origin}/next`);
  await turn();
  await loader.close();
  await untilAskedTimes(server, 2);
  answerOne();
  answerOne();
  expect(await (await fetching).text()).toBe('<p>next');
});

test('no longer than for a response: then the prefetch is given up, and the fetch asks for itself', async () => {
  const { server, fetch, loader, answerOne } = await underWay(undefined, {
    timeouts: { responseMs: 500 },
  });
  const fetching = fetch(`${server.origin}/next`).catch((error: Error) => error);
  await untilAskedTimes(server, 2);
  answerOne();
  answerOne();
  expect(await fetching).toBeInstanceOf(Response);
  await loader.idle();
  expect(loader.stats().prefetch).toMatchObject({ kept: 0, dropped: 1 });
});
