// Cache-Status (RFC 9211) on what a fetch with a cache gives: what the cache did, as the last member of the list,
// behind whatever the server and its caches said.

import { describe, expect, it } from 'vitest';
import { createFetch } from '../../../loader/fetch/fetch.ts';
import { response, startRawServer } from '../../support/raw-server.ts';
import { cachedFetch } from './cached-fetch.ts';

const fresh = { 'Cache-Control': 'max-age=60', ETag: '"a"' };

/** Answers 200 with these fields, or 304 when it is asked for "a". */
const site = (fields: Record<string, string> = fresh) =>
  startRawServer({
    onRequest({ headers }, connection) {
      const asked = headers['if-none-match'] === '"a"';
      connection.write(asked ? response('', fields, '304 Not Modified') : response('body', fields));
    },
  });

type Cached = ReturnType<typeof cachedFetch>;

/** What the field says of a call, whose body is read. */
async function statusOf(cached: Cached, url: string, init?: RequestInit): Promise<string | null> {
  const answer = await cached.fetch(url, init);
  await answer.text();
  return answer.headers.get('cache-status');
}

describe('Cache-Status', () => {
  it('is hit where nobody was asked (RFC 9211 2.1)', async () => {
    await using server = await site();
    await using cached = cachedFetch();
    expect(await statusOf(cached, server.origin)).toBe('loadahead; fwd=miss');
    expect(await statusOf(cached, server.origin)).toBe('loadahead; hit');
    expect(await statusOf(cached, server.origin, { method: 'HEAD' })).toBe('loadahead; hit');
    expect(await statusOf(cached, server.origin, { headers: { range: 'bytes=1-2' } })).toBe(
      'loadahead; hit',
    );
    expect(server.requests).toHaveLength(1);
  });

  it('tells a stored response that was validated from a new one (RFC 9211 2.3)', async () => {
    await using server = await site();
    await using cached = cachedFetch();
    await statusOf(cached, server.origin);
    cached.pass(120);
    const validated = await cached.fetch(server.origin);
    expect([validated.status, await validated.text()]).toEqual([200, 'body']);
    expect(validated.headers.get('cache-status')).toBe('loadahead; fwd=stale; fwd-status=304');
  });

  it('is fwd=stale when a new response came in place of a stale one', async () => {
    let round = 0;
    await using server = await startRawServer({
      onRequest: (_request, connection) =>
        connection.write(response(`body ${++round}`, { ...fresh, ETag: `"${round}"` })),
    });
    await using cached = cachedFetch();
    await statusOf(cached, server.origin);
    cached.pass(120);
    expect(await statusOf(cached, server.origin)).toBe('loadahead; fwd=stale');
  });

  it.each<[string, RequestInit, string]>([
    ['reload', { cache: 'reload' }, 'loadahead; fwd=request'],
    ['no-cache', { cache: 'no-cache' }, 'loadahead; fwd=request; fwd-status=304'],
    [
      'a Cache-Control of the caller',
      { headers: { 'cache-control': 'max-age=0' } },
      'loadahead; fwd=request; fwd-status=304',
    ],
    ['no-store', { cache: 'no-store' }, 'loadahead; fwd=bypass'],
    ['conditions of the caller', { headers: { 'if-none-match': '"b"' } }, 'loadahead; fwd=bypass'],
    ['POST', { method: 'POST' }, 'loadahead; fwd=method'],
    ['force-cache', { cache: 'force-cache' }, 'loadahead; hit'],
    ['only-if-cached', { cache: 'only-if-cached' }, 'loadahead; hit'],
  ])('says why a fresh response was or was not used: %s', async (_name, init, status) => {
    await using server = await site();
    await using cached = cachedFetch();
    await statusOf(cached, server.origin);
    expect(await statusOf(cached, server.origin, init)).toBe(status);
  });

  it('stale-if-error: what the server answered, or why it did not (RFC 5861 4)', async () => {
    const lifetime = { 'Cache-Control': 'max-age=60, stale-if-error=600', ETag: '"a"' };
    let fails: 'not' | 'with 503' | 'at all' = 'not';
    await using server = await startRawServer({
      onRequest(_request, connection) {
        if (fails === 'not') connection.write(response('body', lifetime));
        else if (fails === 'with 503') connection.write(response('', {}, '503 Down'));
        else connection.reset();
      },
    });
    await using cached = cachedFetch();
    await statusOf(cached, server.origin);
    cached.pass(120);
    fails = 'with 503';
    expect(await statusOf(cached, server.origin)).toBe('loadahead; fwd=stale; fwd-status=503');
    fails = 'at all';
    expect(await statusOf(cached, server.origin)).toBe(
      'loadahead; fwd=stale; detail=connection-lost',
    );
  });

  it('stands behind what the server said, which is stored without ours (RFC 9211 2)', async () => {
    await using server = await site({ ...fresh, 'Cache-Status': 'CDN; hit, loadahead; hit' });
    await using cached = cachedFetch();
    const said = 'CDN; hit, loadahead; hit';
    expect(await statusOf(cached, server.origin)).toBe(`${said}, loadahead; fwd=miss`);
    expect(await statusOf(cached, server.origin)).toBe(`${said}, loadahead; hit`);
    cached.pass(120);
    const validated = `${said}, loadahead; fwd=stale; fwd-status=304`;
    for (let round = 0; round < 2; round++) {
      expect(await statusOf(cached, server.origin)).toBe(validated);
    }
  });

  it('is left as it came where there is no cache', async () => {
    await using server = await site();
    await using cdn = await site({ 'Cache-Status': 'CDN; hit' });
    await using fetch = createFetch();
    expect((await fetch(server.origin)).headers.has('cache-status')).toBe(false);
    expect((await fetch(cdn.origin)).headers.get('cache-status')).toBe('CDN; hit');
  });

  it('is not on the 504 of only-if-cached, which no server gave and no store (RFC 9211 2)', async () => {
    await using cached = cachedFetch();
    const answer = await cached.fetch('http://127.0.0.1:9/', { cache: 'only-if-cached' });
    expect([answer.status, answer.headers.has('cache-status')]).toEqual([504, false]);
  });

  it('after a redirect it is about the last response', async () => {
    await using server = await startRawServer({
      onRequest({ path }, connection) {
        const moved = response('', { Location: '/there', ...fresh }, '301 Moved Permanently');
        connection.write(path === '/' ? moved : response('there', { 'Cache-Control': 'no-store' }));
      },
    });
    await using cached = cachedFetch();
    await statusOf(cached, server.origin);
    expect(await statusOf(cached, server.origin)).toBe('loadahead; fwd=miss');
    expect(server.requests.map(({ path }) => path)).toEqual(['/', '/there', '/there']);
  });
});
