// Speculation rules name more pages than other hints: what the pointer rests on is fetched, and nothing else.

import { expect, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { createPrefetchd, type PrefetchdOptions } from '../../../prefetchd/index.ts';
import { knownSalt } from '../../support/known-salt.ts';

const t0 = Date.UTC(2026, 0, 1);

/** Of 20 visitors of / 10 go on to /a, and 2 each to /b, /c, /d, /e, /f. */
function made(options: PrefetchdOptions = {}) {
  const prefetchd = createPrefetchd({
    ...withConstants({ newSalt: knownSalt, minPageClients: 2 }),
    ...{ now: () => t0, load: () => 0, ...options },
  });
  const ways = [...Array(10).fill('/a'), ...'bcdef'.split('').flatMap((c) => [`/${c}`, `/${c}`])];
  for (const [visitor, to] of ways.entries()) {
    for (const url of ['/', to]) {
      const visit = { client: `192.0.2.${visitor} x`, url, timeMs: t0, kind: 'document' } as const;
      prefetchd.observe({ ...visit, status: 200, bytes: 50_000, prefetch: false });
    }
  }
  return prefetchd;
}

const question = { url: '/', kind: 'document', forRules: true } as const;

test('pages below p, beyond i and of any size, for rules alone', () => {
  const prefetchd = made();
  expect(prefetchd.hints({ url: '/' })).toMatchObject([{ url: '/a', probability: 0.5 }]);
  const hints = prefetchd.hints(question);
  expect(
    hints
      .slice(1)
      .map(({ url }) => url)
      .sort(),
  ).toEqual(['/b', '/c', '/d', '/e', '/f']);
  expect(hints.map(({ byRulesOnly = false }) => byRulesOnly)).toEqual([
    false,
    ...Array(5).fill(true),
  ]);
});

test('they count as no hints', () => {
  const prefetchd = made();
  const client = '198.51.100.1 x';
  expect(prefetchd.hints({ ...question, client }).length).toBeGreaterThan(1);
  expect(prefetchd.stats().hints.given).toBe(1);
});

test.each([
  ['an image that it embeds', { url: '/b.png', kind: 'object', page: '/b' }],
  ['the next page', { url: '/c', kind: 'document', page: '/b' }],
  ['its rules were asked for', null],
] as const)(
  'a page without a lifetime is named again after it was opened, and after %s',
  (_, next) => {
    const prefetchd = made();
    const client = '198.51.100.1 x';
    const sent = { client, timeMs: t0, status: 200, bytes: 0, prefetch: false } as const;
    prefetchd.observe({ ...sent, url: '/b', kind: 'document', freshMs: 0 });
    if (next !== null) prefetchd.observe({ ...sent, ...next });
    else prefetchd.hints({ ...question, url: '/b', client, isShown: true });
    prefetchd.observe({ ...sent, url: '/', kind: 'document', freshMs: 0 });
    expect(prefetchd.hints({ ...question, client }).map(({ url }) => url)).toContain('/b');
  },
);

test('of a page that is left to few visitors nothing is named', () => {
  expect(
    made({ minClients: 3 })
      .hints(question)
      .map(({ url }) => url),
  ).toEqual(['/a']);
});
