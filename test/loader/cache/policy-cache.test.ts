// What the cases cannot say: what is told to a client after a 304, what is not stored for its size, how often
// a stale response is refreshed, what happens when a stored body is gone.

import { describe, expect, it } from 'vitest';
import { createHttpCache } from '../../../loader/cache/cache.ts';
import type { CacheRequest, CacheResponse } from '../../../loader/cache/entry.ts';
import type { HttpCache, Validation } from '../../../loader/cache/http-cache.ts';
import { createMemoryStore } from '../../../loader/cache/memory-cache-store.ts';
import type { CacheStore } from '../../../loader/cache/store.ts';
import { content, type Fields, get, got, startMs, url } from './cases/case.ts';

interface Bench {
  cache: HttpCache;
  store: CacheStore;
  clock: { nowMs: number };
  /** Stores a response that came at the start. */
  keep: (fields: Fields, options?: Parameters<typeof got>[1]) => void;
  /** The validation that a request at `at` seconds asks for. */
  validation: (at: number, fields?: Fields) => { request: CacheRequest; asked: Validation };
}

function bench(options: { maxEntryBytes?: number } = {}): Bench {
  const clock = { nowMs: startMs };
  const store = createMemoryStore();
  const cache = createHttpCache(store, { ...options, now: () => clock.nowMs });
  return {
    cache,
    store,
    clock,
    keep: (fields, exchange) => {
      const { request, response, body } = got(fields, exchange);
      cache.store([{ request, response, body: Buffer.from(body) }]);
    },
    validation: (at, fields = {}) => {
      clock.nowMs = startMs + at * 1000;
      const { request } = get(at, fields);
      const found = cache.lookup(request);
      if (found.kind !== 'validate') throw new Error(`${found.kind} instead of a validation`);
      return { request, asked: found.validation };
    },
  };
}

const notModified = (fields: Fields, at = 10): CacheResponse =>
  got(fields, { at, status: 304 }).response;
const fieldOf = (headers: [string, string][] | undefined, name: string): string | undefined =>
  headers?.find(([key]) => key.toLowerCase() === name)?.[1];

describe('after a 304', () => {
  it('a client sees the stored response with the fields of the 304 (RFC 9111 4.3.3)', () => {
    const { cache, keep, validation } = bench();
    keep({ 'cache-control': 'max-age=5', etag: '"a"', age: '3', 'x-a': '1', 'x-b': '1' });
    const { request, asked } = validation(10);
    const seen = cache.validated(request, asked, notModified({ etag: '"a"', 'x-a': '2' }));
    expect(seen).toMatchObject({ status: 200, statusText: 'Status', body: Buffer.from(content) });
    expect(fieldOf(seen?.headers, 'x-a')).toBe('2');
    expect(fieldOf(seen?.headers, 'x-b')).toBe('1');
    // It was validated just now: an Age would say that it was not (RFC 9111 5.1).
    expect(fieldOf(seen?.headers, 'age')).toBeUndefined();
  });

  it('nothing is written before the 304 is known to be its request’s', () => {
    const { cache, store, keep, validation } = bench();
    keep({ 'cache-control': 'max-age=5', etag: '"a"' });
    const before = store.find(url);
    const { request, asked } = validation(10);
    cache.validated(request, asked, notModified({ etag: '"a"', 'cache-control': 'max-age=60' }));
    expect(store.find(url)).toEqual(before);
    cache.freshen(request, asked, notModified({ etag: '"a"', 'cache-control': 'max-age=60' }));
    expect(cache.lookup(request).kind).toBe('hit');
  });

  it('a range and a HEAD are answered as such', () => {
    const { cache, keep, validation } = bench();
    keep({ 'cache-control': 'max-age=5', etag: '"a"' });
    const { request, asked } = validation(10, { range: 'bytes=2-4' });
    const part = cache.validated(request, asked, notModified({ etag: '"a"' }));
    expect(part).toMatchObject({ status: 206, body: Buffer.from('234') });
    const head = { ...get(10).request, method: 'HEAD' };
    const seen = cache.validated(head, asked, notModified({ etag: '"a"' }));
    expect(seen).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  });

  it('with another ETag the stored response is used, and stays stale (RFC 9111 4.3.4)', () => {
    const { cache, keep, validation } = bench();
    keep({ 'cache-control': 'max-age=5', etag: '"a"', 'x-a': '1' });
    const { request, asked } = validation(10);
    const answer = notModified({ etag: '"b"', 'x-a': '2', 'cache-control': 'max-age=60' });
    const seen = cache.validated(request, asked, answer);
    expect(seen?.body.toString()).toBe(content);
    expect(fieldOf(seen?.headers, 'x-a')).toBe('1');
    expect(fieldOf(seen?.headers, 'etag')).toBe('"a"');
    cache.freshen(request, asked, answer);
    expect(cache.lookup(request).kind).toBe('validate');
  });

  it('without conditions, or with another status, there is nothing to see', () => {
    const { cache, keep, validation } = bench();
    keep({ 'cache-control': 'max-age=5, stale-if-error=60' });
    const { request, asked } = validation(10);
    expect(asked.conditions).toEqual([]);
    expect(cache.validated(request, asked, notModified({}))).toBeNull();
    const conditional = { ...asked, conditions: [['if-none-match', '"a"']] as [string, string][] };
    expect(cache.validated(request, conditional, got({}).response)).toBeNull();
  });

  it('a stored response that is gone meanwhile is asked for anew', () => {
    const { cache, store, keep, validation } = bench();
    keep({ 'cache-control': 'max-age=5', etag: '"a"' });
    const { request, asked } = validation(10);
    store.removeUrl(url);
    expect(cache.validated(request, asked, notModified({ etag: '"a"' }))).toBeNull();
    cache.freshen(request, asked, notModified({ etag: '"a"' }));
    expect(store.size().entries).toBe(0);
  });

  it('parts under the same strong ETag are freshened with it (RFC 9111 4.3.4)', () => {
    const { cache, clock, keep, validation } = bench();
    const part = (first: number, last: number) => ({
      'cache-control': 'max-age=5',
      etag: '"a"',
      'content-range': `bytes ${first}-${last}/10`,
    });
    keep(part(0, 2), { status: 206, ask: { range: 'bytes=0-2' }, body: '012' });
    keep(part(6, 8), { status: 206, ask: { range: 'bytes=6-8' }, body: '678' });
    const { request, asked } = validation(10, { range: 'bytes=0-1' });
    cache.freshen(request, asked, notModified({ etag: '"a"', 'cache-control': 'max-age=60' }));
    clock.nowMs = startMs + 20_000;
    const other = cache.lookup(get(20, { range: 'bytes=7-8' }).request);
    expect(other).toMatchObject({ kind: 'hit', response: { body: Buffer.from('78') } });
  });
});

it('stale-while-revalidate asks for one refreshment in ten seconds (RFC 5861 3)', () => {
  const { cache, clock, keep } = bench();
  keep({ 'cache-control': 'max-age=5, stale-while-revalidate=600', etag: '"a"' });
  const { request } = get(0);
  const refreshAt = (seconds: number): boolean => {
    clock.nowMs = startMs + seconds * 1000;
    const found = cache.lookup(request);
    return found.kind === 'hit' && found.refresh !== null;
  };
  expect([10, 10, 19.9, 20, 21].map(refreshAt)).toEqual([true, false, false, true, false]);
});

describe('bodies that are too large', () => {
  const year = { 'cache-control': 'max-age=31536000' };

  it('are known by their Content-Length', () => {
    const { cache } = bench({ maxEntryBytes: 10 });
    const of = (length: string) => got({ ...year, 'content-length': length });
    const mayStore = (length: string) => cache.mayStore(of(length).request, of(length).response);
    expect([mayStore('10'), mayStore('11'), mayStore('junk')]).toEqual([true, false, true]);
  });

  it.each([-1, 0.5, Number.NaN, '5'])('%s is no length', (maxEntryBytes) => {
    expect(() => createHttpCache(createMemoryStore(), { maxEntryBytes } as object)).toThrow(
      expect.objectContaining({ code: 'invalid-option' }),
    );
  });

  it('or by themselves', () => {
    const { store, keep } = bench({ maxEntryBytes: 10 });
    keep(year, { body: '0123456789a' });
    expect(store.size().entries).toBe(0);
    keep(year);
    expect(store.size().entries).toBe(1);
  });

  it('parts are not put together beyond it', () => {
    const { store, keep } = bench({ maxEntryBytes: 6 });
    const part = (first: number, last: number, body: string) =>
      keep(
        { ...year, etag: '"a"', 'content-range': `bytes ${first}-${last}/10` },
        { status: 206, ask: { range: `bytes=${first}-${last}` }, body },
      );
    part(0, 4, '01234');
    part(5, 9, '56789');
    expect(store.find(url).map(({ range }) => range)).toHaveLength(2);
  });
});

describe('a part that can be completed (RFC 9111 3.4)', () => {
  const part = { 'cache-control': 'max-age=5', etag: '"a"', 'content-range': 'bytes 0-4/10' };
  const asRange = { status: 206, ask: { range: 'bytes=0-4' }, body: '01234' };

  it.each<[string, Fields, Parameters<typeof got>[1], Parameters<typeof get>]>([
    ['not with a weak ETag', { ...part, etag: 'W/"a"' }, asRange, [0]],
    [
      'not when it begins later',
      { ...part, 'content-range': 'bytes 1-5/10' },
      { ...asRange, ask: { range: 'bytes=1-5' } },
      [0],
    ],
    ['not when all is stored', { 'cache-control': 'max-age=5', etag: '"a"' }, {}, [0]],
    ['not for a range', part, asRange, [0, { range: 'bytes=0-9' }]],
    ['not for a conditional request', part, asRange, [0, { 'if-none-match': '"a"' }]],
    ['not with no-store', part, asRange, [0, { 'cache-control': 'no-store' }]],
    ['not for HEAD', part, asRange, [0, {}, { method: 'HEAD' }]],
    ['not for another variant', { ...part, vary: 'foo' }, asRange, [0, { foo: '1' }]],
  ])('%s', (_, fields, exchange, asked) => {
    const { cache, keep } = bench();
    keep(fields, exchange);
    expect(cache.partial(get(...asked).request)).toBeNull();
  });
});

describe('the store', () => {
  it('a body that is gone is a miss', () => {
    const kept = createMemoryStore();
    const store: CacheStore = Object.assign(Object.create(kept), {
      find: (address: string) => kept.find(address),
      put: (entries: Parameters<CacheStore['put']>[0]) => kept.put(entries),
      remove: () => {},
      body: () => null,
    });
    const cache = createHttpCache(store, { now: () => startMs });
    const { request, response } = got({ 'cache-control': 'max-age=60' });
    cache.store([{ request, response, body: Buffer.from(content) }]);
    expect(cache.lookup(request)).toEqual({ kind: 'miss' });
    expect(cache.lookup(request, 'only-if-cached')).toEqual({ kind: 'unavailable' });
  });

  it.each(['authorization', 'cookie'])('of %s a digest is kept only', (name) => {
    const { store, keep } = bench();
    keep({ 'cache-control': 'max-age=60', vary: name }, { ask: { [name]: 'secret' } });
    const [entry] = store.find(url);
    expect(entry?.vary).toEqual([[name, expect.stringMatching(/^[\w-]{43}$/)]]);
    expect(JSON.stringify(entry)).not.toContain('secret');
  });

  it('is closed with the cache', () => {
    const { cache } = bench();
    cache.close();
    expect(() => cache.lookup(get(0).request)).toThrow(
      expect.objectContaining({ code: 'loader-closed' }),
    );
  });
});
