// Header fields are strangers' bytes: whatever they are, no rule throws, no time is negative, and none takes
// longer than its length.

import { describe, expect, it } from 'vitest';
import { createHttpCache } from '../../../loader/cache/cache.ts';
import type { CacheRequest, CacheResponse } from '../../../loader/cache/entry.ts';
import { cacheModes } from '../../../loader/cache/http-cache.ts';
import { createMemoryStore } from '../../../loader/cache/memory-cache-store.ts';
import {
  currentAgeMs,
  currentAgeSeconds,
  lifetimeMs,
} from '../../../loader/cache/policy/freshness.ts';
import type { HeaderPair } from '../../../loader/page-load.ts';
import fc from '../../support/property.ts';
import { date, startMs, url } from './cases/case.ts';

const responseNames = [
  ...['Age', 'Cache-Control', 'Connection', 'Content-Length', 'Content-Location', 'Content-Range'],
  ...['Date', 'ETag', 'Expires', 'Last-Modified', 'Location', 'Pragma', 'Vary'],
];
const requestNames = [
  ...['accept-encoding', 'accept-language', 'authorization', 'cache-control', 'content-length'],
  ...['foo', 'if-modified-since', 'if-none-match', 'if-range', 'pragma', 'range'],
];
/** Pieces that mean something to some field, glued together anyhow. */
const pieces = [
  ...['max-age', 's-maxage', 'no-cache', 'private', 'public', 'stale-if-error', 'max-stale', '*'],
  ...['=', ',', ';', '"', '\\', ' ', '\t', '-', '/', 'W/', 'bytes', '0', '5', '60', '4294967296'],
  ...['foo', 'accept-language', 'bytes 0-4/10', 'bytes=0-4', '"a"', date(0), date(60), date(-900)],
];
const value = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const fieldsOf = (names: string[]) =>
  fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 6 });
const status = fc.oneof(fc.constantFrom(200, 206, 304, 404), fc.integer({ min: 100, max: 999 }));
const method = fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'DELETE');
const time = fc.oneof(fc.integer({ min: -100, max: 100_000 }), fc.double({ noNaN: true }));

const exchange = fc.record({
  method,
  asked: fieldsOf(requestNames),
  status,
  headers: fieldsOf(responseNames),
  mode: fc.constantFrom(...cacheModes),
  atMs: fc.integer({ min: 0, max: 100_000 }),
});

const responseOf = (headers: HeaderPair[], code: number, atMs = 0): CacheResponse => ({
  status: code,
  statusText: '',
  headers,
  requestedAtMs: startMs + atMs,
  receivedAtMs: startMs + atMs,
});

describe('junk in header fields', () => {
  it('never throws, and a hit is whole', () => {
    fc.assert(
      fc.property(fc.array(exchange, { maxLength: 6 }), (exchanges) => {
        let nowMs = startMs;
        const cache = createHttpCache(createMemoryStore(), { now: () => nowMs });
        for (const { method, asked, status, headers, mode, atMs } of exchanges) {
          nowMs = startMs + atMs;
          const request: CacheRequest = { method, url, headers: asked };
          const response = responseOf(headers, status, atMs);
          const found = cache.lookup(request, mode);
          if (found.kind === 'hit') {
            expect(found.response.status).not.toBe(0);
            expect(Buffer.isBuffer(found.response.body)).toBe(true);
            continue;
          }
          if (found.kind === 'validate') {
            cache.validated(request, found.validation, response);
            cache.freshen(request, found.validation, response);
          }
          cache.partial(request);
          cache.mayStore(request, response, mode);
          cache.observe(request, response);
          cache.store([{ request, response, body: Buffer.from('01234'), mode }]);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('never makes an age or a lifetime negative', () => {
    fc.assert(
      fc.property(fieldsOf(responseNames), status, time, (headers, code, at) => {
        const response = responseOf(headers, code);
        for (const number of [
          currentAgeMs(response, startMs + at),
          currentAgeSeconds(response, startMs + at),
          lifetimeMs(response),
        ]) {
          expect(number).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('64 KB of', () => {
  const hostile: [string, string][] = [
    ['commas', ','],
    ['quotes', '"'],
    ['backslashes', '\\'],
    ['quotes and backslashes', '"\\'],
    ['empty strings', '"",'],
    ['open strings', ',"a'],
    ['blanks', ' '],
    ['tabs and commas', '\t,'],
    ['equals signs', '='],
    ['directives', 'no-cache="a",'],
    ['numbers', '9'],
    ['weak flags', 'W/'],
    ['names', 'a,'],
    ['nearly no-cache', ' no-cach'],
  ];

  it.each(hostile)('%s in every field takes no longer than its length', (_, unit) => {
    const spent = (bytes: number): number => {
      const text = unit.repeat(Math.ceil(bytes / unit.length));
      const began = process.cpuUsage();
      everyRule(text);
      const { user, system } = process.cpuUsage(began);
      return (user + system) / 1000;
    };
    spent(1024);
    // Quadratic, 64 KB would be 4,096 times the work of 1 KB: minutes. Linear it is milliseconds.
    expect(spent(65_536)).toBeLessThan(2000);
  });

  function everyRule(text: string): void {
    const cache = createHttpCache(createMemoryStore(), { now: () => startMs });
    const whole = { 'Cache-Control': 'max-age=5', ETag: '"a"' };
    for (const [index, name] of [...responseNames, 'foo'].entries()) {
      const asked = requestNames[index % requestNames.length] ?? 'foo';
      const headers = Object.entries({ ...whole, Vary: asked, [name]: text });
      const request: CacheRequest = { method: 'GET', url, headers: [[asked, text]] };
      cache.store([{ request, response: responseOf(headers, 200), body: Buffer.from('01234') }]);
      const found = cache.lookup(request, 'no-cache');
      if (found.kind === 'validate') {
        cache.validated(request, found.validation, responseOf([[name, text]], 304));
        cache.freshen(request, found.validation, responseOf([[name, text]], 304));
      }
      cache.observe({ method: 'POST', url, headers: [] }, responseOf([[name, text]], 200));
    }
  }
});
