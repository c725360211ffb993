// The kept texts give what prefetchd/wire gives without them, whatever came before.

import { expect, test } from 'vitest';
import { appendLinkHints, type Hint } from '../../../prefetchd/wire/index.ts';
import { HintLinks, mostKnown } from '../../../server/hints/links.ts';
import fc from '../../support/property.ts';

const origin = 'https://site.example';
const written = (hints: readonly Hint[], of: string | null = null) =>
  appendLinkHints(undefined, '', hints, { origin: of });

// Few paths, so that they come again with another probability or kind, and in several spellings.
const path = fc.oneof(
  fc.constantFrom('/a', '/./a', '/a#x', '/b?c=1', '/i.png', '/s.css?v=2', '/m.mjs', '/v.mp4', '/ä'),
  fc.constantFrom('//evil.example/', '/\\evil', 'x', '', '/<>', '/%', `/${'long'.repeat(300)}`),
  fc.constantFrom(`${origin}/a`, `${origin}:443/b`, 'https://other.example/', 'javascript:1'),
  fc.integer({ min: 0, max: 20 }).map((n) => `/page-${n}`),
  fc.webPath().map((rest) => `/${rest}`),
);
const probability = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.integer({ min: 0, max: 1000 }).map((n) => n / 1000),
  fc.integer({ min: 0, max: 200 }).map((n) => n / 200 + Number.EPSILON / 4),
  fc.constantFrom(0, -0, 1, 0.145, 0.285, 0.575, 1.005, -1, 2, Number.NaN),
);
const hint = fc.record(
  {
    url: path,
    probability,
    kind: fc.constantFrom<Hint['kind']>('document', 'object'),
    navigation: fc.constantFrom('current' as const, 'next' as const),
    isLate: fc.boolean(),
  },
  { requiredKeys: ['url', 'probability', 'kind'] },
);
const anyOrder = fc.array(hint, { maxLength: 12, size: 'max' });
const bestFirst = anyOrder.map((hints) => hints.sort((a, b) => b.probability - a.probability));

test('the value is that of prefetchd/wire, whatever was hinted before', () => {
  const [links, ofSite] = [new HintLinks(null), new HintLinks(origin)];
  fc.assert(
    fc.property(fc.oneof(bestFirst, anyOrder), (hints) => {
      expect(links.valueOf(hints)).toBe(written(hints));
      expect(ofSite.valueOf(hints)).toBe(written(hints, origin));
    }),
    { numRuns: 3000 },
  );
});

test('every probability is written as wire writes it, also near the middle of two hundredths', () => {
  const links = new HintLinks(null);
  for (let n = 0; n <= 20_000; n++) {
    const one: Hint[] = [{ url: '/a', kind: 'document', probability: n / 20_000 }];
    expect(links.valueOf(one)).toBe(written(one));
  }
});

test('a list that comes again is written anew when a hint of it changed', () => {
  const links = new HintLinks(null);
  const list = (change: Partial<Hint> = {}): Hint[] => [
    { url: '/a', kind: 'document', probability: 0.9 },
    { url: '/i.png', kind: 'object', probability: 0.501, ...change },
    { url: '/c', kind: 'document', probability: 0.5 },
  ];
  for (const next of [
    list(),
    list({ probability: 0.5012 }),
    list({ probability: 0.51 }),
    list({ probability: 0.4999 }),
    list(),
    list({ kind: 'document' }),
    list({ navigation: 'next' }),
    list({ navigation: 'current' }),
    list({ url: '/d' }),
    list().slice(0, 2),
    list(),
  ]) {
    expect(links.valueOf(next)).toBe(written(next));
  }
});

test('a bounded number is kept, and what was let go comes again', () => {
  const links = new HintLinks(null);
  const of = (n: number): Hint[] => [{ url: `/p${n}`, kind: 'document', probability: 0.5 }];
  for (let n = 0; n < 2 * mostKnown + 100; n++) links.valueOf(of(n));
  expect(links.size).toBeLessThanOrEqual(mostKnown);
  expect(links.valueOf(of(0))).toBe('</p0>; rel=prefetch; probability=0.5');
});
