// What gets into the cache: whole bodies of known length that belong to their request for sure. Nothing
// under a wrong URL, whatever a server does.

import { describe, expect, test } from 'vitest';
import type { Protocol } from '../../../loader/page-load.ts';
import { quick } from '../../support/quick-load.ts';
import { response } from '../../support/raw-server.ts';
import { chunked } from '../faults/one-fault.ts';
import { startSite, storedPaths, wrongBodies } from './site.ts';

const fresh = { 'Cache-Control': 'max-age=600' };
const all = ['/', ...Array.from({ length: 6 }, (_, index) => `/image-${index}.gif`)];

describe.each<Protocol>(['pipelined', 'persistent', 'auto'])('%s', (protocol) => {
  test('all that came is stored, each under its URL', async () => {
    await using site = await startSite({ headers: fresh });
    await site.load({ ...quick, protocol });
    expect(storedPaths(site)).toEqual(expect.arrayContaining(all));
    expect(wrongBodies(site)).toEqual([]);
  });

  test('a body of unknown length, ended by its connection, is not stored', async () => {
    await using site = await startSite({
      headers: fresh,
      answer(request, self, connection) {
        if (request.path !== '/image-3.gif') return undefined;
        const body = self.bodies.get(request.path) as Buffer;
        const head =
          'HTTP/1.1 200 OK\r\nContent-Type: image/gif\r\nCache-Control: max-age=600\r\n\r\n';
        connection.end(Buffer.concat([Buffer.from(head), body]));
        return null;
      },
    });
    const load = await site.load({ ...quick, protocol });
    const row = load.resources.find(({ url }) => url.endsWith('/image-3.gif'));
    expect(row).toMatchObject({ status: 200, error: null });
    expect(storedPaths(site)).not.toContain('/image-3.gif');
  });
});

// One without its last chunk is in ../faults/truncated.test.ts.
test('a chunked body is stored', async () => {
  await using site = await startSite({
    headers: fresh,
    answer({ path }, self) {
      const body = self.bodies.get(path);
      if (path !== '/image-1.gif' || body === undefined) return undefined;
      const about = { ...fresh, 'Content-Type': 'image/gif', 'Transfer-Encoding': 'chunked' };
      return response(chunked(body), about);
    },
  });
  await site.load({ ...quick, protocol: 'persistent' });
  expect(storedPaths(site)).toContain('/image-1.gif');
});

test('what varies by a field is found under that field only', async () => {
  await using site = await startSite({ headers: { ...fresh, Vary: 'User-Agent' } });
  const load = (userAgent: string) => site.load({ extraHeaders: { 'User-Agent': userAgent } });
  await load('one');
  expect((await load('one')).totals.requests).toBe(0);
  expect((await load('two')).totals.requests).toBe(7);
  expect((await load('one')).totals.requests).toBe(0);
});

test('a stored redirect leads on without a request', async () => {
  await using site = await startSite({
    headers: fresh,
    answer: ({ path }) =>
      path === '/old'
        ? response('', { Location: '/', 'Cache-Control': 'max-age=600' }, '301 Moved Permanently')
        : undefined,
  });
  await site.load({}, '/old');
  const second = await site.load({}, '/old');
  expect(second.totals).toMatchObject({ requests: 0, fromCache: 8, errors: 0 });
  expect(second.resources[0]).toMatchObject({ status: 301, redirectUrl: `${site.server.origin}/` });
});

test('an answer that is not to be stored takes the older one along', async () => {
  const headers: Record<string, string> = { 'Cache-Control': 'max-age=60' };
  await using site = await startSite({ headers });
  await site.load({ protocol: 'auto' });
  expect(storedPaths(site).length).toBe(7);
  headers['Cache-Control'] = 'no-store';
  await site.load({ protocol: 'auto', cacheMode: 'reload' });
  expect(storedPaths(site)).toEqual([]);
});

test('an error page that says how long it holds is stored, and stays an error', async () => {
  await using site = await startSite({
    headers: fresh,
    answer: ({ path }) =>
      path === '/image-2.gif' ? response('none', fresh, '404 Not Found') : undefined,
  });
  for (const fromCache of [false, true]) {
    const load = await site.load({ protocol: 'auto' });
    const row = load.resources.find(({ url }) => url.endsWith('/image-2.gif'));
    expect(row).toMatchObject({ status: 404, fromCache, error: { code: 'http-status' } });
  }
});

test('a body that cannot be decoded is not stored', async () => {
  await using site = await startSite({
    headers: fresh,
    answer: ({ path }) =>
      path === '/image-2.gif'
        ? response('no gzip at all', { ...fresh, 'Content-Encoding': 'gzip' })
        : undefined,
  });
  const load = await site.load({ protocol: 'auto' });
  expect(load.totals.errors).toBe(1);
  expect(storedPaths(site)).not.toContain('/image-2.gif');
});
