// Stale copies that may be used: while they are renewed, and when the server fails (RFC 5861).

import { expect, onTestFinished, test } from 'vitest';
import { quick } from '../../support/quick-load.ts';
import { response } from '../../support/raw-server.ts';
import { type SiteOptions, startSite, usual } from './site.ts';

/** A site that was loaded a minute ago, when its responses had this Cache-Control. */
async function loadedBefore(cacheControl: string, options: SiteOptions = {}) {
  const site = await startSite({ headers: { 'Cache-Control': cacheControl }, ...options });
  onTestFinished(() => site[Symbol.asyncDispose]());
  await site.load();
  site.kept.clock.now += 60_000;
  return site;
}
const whileRevalidated = 'max-age=10, stale-while-revalidate=100';
const onError = 'max-age=10, stale-if-error=600';

test('stale-while-revalidate: used at once, renewed in rows of their own', async () => {
  const site = await loadedBefore(whileRevalidated);
  const second = await site.load();
  const used = second.resources.filter(({ purpose }) => purpose === 'use');
  const renewed = second.resources.filter(({ purpose }) => purpose === 'refresh');
  expect(used.map(({ fromCache, attempts }) => [fromCache, attempts])).toEqual(
    used.map(() => [true, 0]),
  );
  expect([used.length, renewed.length]).toEqual([7, 7]);
  expect(renewed.every(({ status }) => status === 304)).toBe(true);
  const third = await site.load();
  expect(third.totals.requests).toBe(0);
});

test('a page renewed behind the scenes is not read as the page', async () => {
  const site = await loadedBefore(whileRevalidated);
  site.bodies.set('/', Buffer.from('<img src="/image-9.gif">'));
  const second = await site.load();
  expect(second.resources.some(({ url }) => url.endsWith('/image-9.gif'))).toBe(false);
  const third = await site.load();
  expect(third.resources.some(({ url }) => url.endsWith('/image-9.gif'))).toBe(true);
});

test('stale-if-error: a server that is gone, or fails, leaves the page as it was', async () => {
  let fails = '';
  const site = await loadedBefore(onError, {
    options: quick,
    answer: () => (fails ? response('<img src="/sorry.gif">', {}, fails) : undefined),
  });
  fails = '503 Service Unavailable';
  const failing = await site.load();
  expect(failing.totals).toMatchObject({ errors: 0, fromCache: 7 });
  expect(failing.resources.some(({ url }) => url.endsWith('/sorry.gif'))).toBe(false);
  await site.server[Symbol.asyncDispose]();
  const gone = await site.load();
  expect(gone.totals).toMatchObject({ errors: 0, fromCache: 7 });
  expect(gone.resources[0]).toMatchObject({ fromCache: true, status: null, error: null });
});

test('stale-if-error: 404 is an answer, not a failure (RFC 5861 4)', async () => {
  const site = await loadedBefore(onError);
  site.bodies.delete('/');
  expect((await site.load()).resources[0]).toMatchObject({ status: 404, fromCache: false });
});

test('must-revalidate: a server that is gone is an error', async () => {
  const site = await loadedBefore('max-age=10, must-revalidate', { options: quick });
  await site.server[Symbol.asyncDispose]();
  const gone = await site.load();
  expect(gone.resources[0]).toMatchObject({ fromCache: false });
  expect(gone.resources[0]?.error).not.toBeNull();
});

test('what we give up ourselves is no failure of the server: nothing stale is used for it', async () => {
  let silent = false;
  const site = await loadedBefore(onError, {
    options: { ...quick, timeouts: { ...quick.timeouts, pageMs: 200 } },
    answer: (request, self) => (silent ? null : usual(self, request)),
  });
  silent = true;
  const given = await site.load();
  expect(given.resources[0]?.error?.code).toBe('page-timeout');
});

test('what is renewed behind the scenes goes last', async () => {
  const site = await loadedBefore('max-age=1, stale-while-revalidate=600', {
    images: 3,
    answer: ({ path }, self) =>
      path === '/image-0.gif'
        ? undefined
        : response(self.bodies.get(path) ?? '', {
            'Content-Type': path === '/' ? 'text/html' : 'image/gif',
            'Cache-Control': 'no-store',
          }),
    options: { protocol: 'persistent', connections: 1 },
  });
  site.news();
  await site.load();
  const asked = site.news().map(({ path }) => path);
  expect(asked).toEqual(['/', '/image-1.gif', '/image-2.gif', '/image-0.gif']);
});
