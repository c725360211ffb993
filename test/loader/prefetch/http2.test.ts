// Prefetching over HTTP/2, where requests are streams of one connection.

import type { ServerHttp2Stream } from 'node:http2';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { startHttp2Site } from '../../support/http2-site.ts';
import { loaderWith } from './site.ts';

const html = { ':status': 200, 'content-type': 'text/html', 'cache-control': 'max-age=600' };

/** @param answer null: it answers by itself. */
async function startSite(answer: (stream: ServerHttp2Stream, path: string) => null | undefined) {
  const seen: Array<[path: string, isPrefetch: boolean, priority?: string]> = [];
  const site = await startHttp2Site((path, stream, { headers }) => {
    seen.push([path, headers['sec-purpose'] === 'prefetch', String(headers.priority)]);
    if (answer(stream, path) === null) return;
    const link = path === '/' ? { link: '</1>; rel=prefetch, </2>; rel=prefetch' } : {};
    stream.respond({ ...html, ...link });
    stream.end(`<p>${path}`);
  });
  onTestFinished(() => site[Symbol.asyncDispose]());
  return Object.assign(site, { seen });
}

test('what is hinted comes on one connection, and the next page out of the cache', async () => {
  const { seen, sessions, origin } = await startSite(() => undefined);
  const loader = loaderWith({ protocol: 'h2' });
  await loader.load(`${origin}/`);
  await loader.idle();
  const next = await loader.load(`${origin}/2`);
  expect(next.resources[0]).toMatchObject({ fromCache: true, prefetched: true, attempts: 0 });
  expect(seen.toSorted()).toEqual([
    ['/', false, 'u=0, i'],
    // The least urgent (RFC 9218 4.1).
    ['/1', true, 'u=7'],
    ['/2', true, 'u=7'],
  ]);
  expect(sessions.length).toBe(2); // one of the page, one of what was prefetched
});

test.each([
  ['/1', { kept: 1, used: 1, dropped: 0 }],
  ['/2', { kept: 0, used: 0, dropped: 1 }],
])('a page that begins takes over its stream, or ends that of another: %s', async (page, stats) => {
  let finish = (): void => {};
  let reset = false;
  const { origin } = await startSite((stream, path) => {
    if (path !== '/1') return undefined;
    stream.respond(html);
    stream.write('<p>half');
    stream.on('aborted', () => (reset = true));
    finish = () => void stream.end(' and half');
    return null;
  });
  const loader = loaderWith({ protocol: 'h2' });
  await loader.load(`${origin}/`);
  await eventually(() => loader.stats().prefetch.bytes === '<p>half'.length);
  const loading = loader.load(`${origin}${page}`);
  if (stats.used > 0) setImmediate(finish);
  else await eventually(() => reset);
  const { resources } = await loading;
  expect(resources[0]).toMatchObject({ error: null, prefetched: stats.used > 0 });
  await loader.idle();
  expect(loader.stats().prefetch).toMatchObject(stats);
});

test('little is on its way of what is prefetched, until a body is large', async () => {
  const windows: Array<[path: string, bytes: number | undefined]> = [];
  const { origin } = await startSite((stream, path) => {
    windows.push([path, stream.session?.remoteSettings.initialWindowSize]);
    if (path !== '/1') return undefined;
    stream.respond(html);
    stream.end(Buffer.alloc(200_000, ' '));
    return null;
  });
  const loader = loaderWith({ prefetch: { maxResourceBytes: 300_000 }, protocol: 'h2' });
  await loader.load(`${origin}/`);
  await loader.idle();
  const usual = 256 * 1024;
  expect(windows).toEqual([
    ['/', usual],
    ['/1', 16 * 1024],
    ['/2', usual],
  ]);
  expect(loader.stats().prefetch).toMatchObject({ kept: 2 });
});
