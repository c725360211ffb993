// One reader of Cache-Control (RFC 9111 5.2), for the loader's cache, for eligibility and for shared caches.

import { expect, it } from 'vitest';
import { CacheDirectives, cacheDirectives, longestSeconds } from '../../http/cache-directives.ts';

const names = (field: string, of: string[]) => {
  const directives = new CacheDirectives(field);
  return of.filter((name) => directives.has(name));
};

it('names are in any case, several lines are one list (RFC 9110 5.3)', () => {
  expect(names('a=1, b, A', ['a', 'b', 'A', '1'])).toEqual(['a', 'b']);
  const directives = cacheDirectives([
    ['Cache-Control', 'Max-Age=60'],
    ['cache-control', ' No-Store '],
  ]);
  expect(directives.seconds('max-age')).toBe(60);
  expect(directives.has('no-store')).toBe(true);
});

it('what stands in quotes is an argument, and no directive', () => {
  expect(names('ext="private, no-store", max-age=1', ['private', 'no-store'])).toEqual([]);
  expect(names('ext="say \\"private, no-store"', ['private', 'no-store'])).toEqual([]);
  const directives = new CacheDirectives('private="X-Field, b", no-cache');
  expect(directives.fieldNames('private')).toEqual(['x-field', 'b']);
  expect(directives.isUnqualified('private')).toBe(false);
  expect(directives.isUnqualified('no-cache')).toBe(true);
});

it('seconds: the smallest, 0 for what is no number, at most 2^31 (RFC 9111 1.2.2)', () => {
  const seconds = (field: string) => new CacheDirectives(field).seconds('max-age');
  expect(seconds('max-age=60, max-age="9"')).toBe(9);
  expect(seconds('max-age=1.5')).toBe(0);
  expect(seconds('max-age=99999999999')).toBe(longestSeconds);
  expect(seconds('s-maxage=1')).toBeNull();
});

it.each([
  'ext="private, no-store',
  'ext="closed", a="b", ext="private, no-store',
  'ext="a\\" private; No-Store',
  'no-cache="a, private, no-store',
])('behind a quote that never closes words are directives, and no-cache is one: %s', (field) => {
  const directives = new CacheDirectives(field);
  expect(directives.hasOpenQuote).toBe(true);
  expect(names(field, ['private', 'no-store'])).toEqual(['private', 'no-store']);
  expect(directives.isUnqualified('no-cache')).toBe(true);
});

it('behind a quote that never closes nothing is allowed', () => {
  const field = 'no-store, max-age=60, ext="must-understand, public, immutable, max-age=600';
  expect(names(field, ['no-store', 'must-understand', 'public', 'immutable'])).toEqual([
    'no-store',
  ]);
  expect(new CacheDirectives(field).seconds('max-age')).toBe(0);
  expect(new CacheDirectives('ext="max-stale').seconds('max-stale', Infinity)).toBeNull();
});

it('a long field of quotes is read in linear time', () => {
  for (const field of ['"'.repeat(200_001), '"\\'.repeat(100_000), 'a="b" '.repeat(50_000)]) {
    const startMs = performance.now();
    new CacheDirectives(field);
    expect(performance.now() - startMs).toBeLessThan(5000); // quadratic: minutes
  }
});
