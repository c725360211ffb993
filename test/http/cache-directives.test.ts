// One reader of Cache-Control (RFC 9111 5.2), for the loader's cache, for eligibility and for shared caches. How it reads
// what is well-formed, and in what time, test/loader/cache/ holds.

import { expect, it } from 'vitest';
import { CacheDirectives, longestSeconds } from '../../http/cache-directives.ts';

const names = (field: string, of: string[]) => {
  const directives = new CacheDirectives(field);
  return of.filter((name) => directives.has(name));
};

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

it('seconds are at most 2^31 (RFC 9111 1.2.2)', () => {
  expect(new CacheDirectives('max-age=99999999999').seconds('max-age')).toBe(longestSeconds);
});
