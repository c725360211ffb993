// The operator sees which URLs were left out and why, and never what is private in them.

import { expect, test } from 'vitest';
import type { Access } from '../../../prefetchd/access.ts';
import { maskedUrl } from '../../../prefetchd/engine/left-out.ts';
import { started } from './visits.ts';

const timeMs = Date.UTC(2026, 0, 1, 12);

const made = () => started({ now: () => timeMs });

function access(url: string, client = 1): Access {
  const page = { kind: 'document', status: 200, bytes: 1000, prefetch: false } as const;
  return { client: `192.0.2.${client} Browser`, url, timeMs, ...page };
}

const of = (url: string) => ({ url, kind: 'document' }) as const;

test('each with its reason, masked and counted together, most accesses first, then the latest', () => {
  const engine = made();
  for (const id of [17, 18, 19]) engine.observe(access(`/order/${id}`));
  for (const url of ['/magic-link/a8Kd', '/magic-link/Zx9Q']) engine.observe(access(url));
  engine.observe(access('/logout'));
  expect(engine.leftOut()).toEqual([
    { reason: 'denied', because: 'personal', url: '/order/…', kind: 'document', count: 3 },
    { reason: 'denied', because: 'one-time', url: '/magic-link/…', kind: 'document', count: 2 },
    { reason: 'denied', because: 'word', url: '/logout', kind: 'document', count: 1 },
  ]);
});

test('what was dropped before it reached the engine, if its URL or response is why', () => {
  const engine = made();
  engine.dropped('private', of('/family/plan-7'));
  engine.dropped('noindex', of('/thanks'));
  engine.dropped('bot', of('/a'));
  engine.dropped('query', of('/find?q=jane'));
  expect(engine.leftOut().map(({ reason, url }) => `${reason} ${url}`)).toEqual([
    'query /find?…',
    'noindex /thanks',
    'private /family/…',
  ]);
});

test('a page above the cap, with its reason, until it is smaller', () => {
  const engine = made();
  const open = (client: number, bytes: number) => engine.observe({ ...access('/', client), bytes });
  for (const client of [1, 2, 3, 4]) open(client, 120_000);
  const large = { reason: 'too large', url: '/', kind: 'document', count: 4 };
  expect(engine.leftOut()).toEqual([large]);
  for (const client of [5, 6, 7]) open(client, 20_000);
  expect(engine.leftOut()).toEqual([]);
});

test('pages that too few clients visited, until enough did', () => {
  const engine = made();
  for (const client of [1, 2]) engine.observe(access('/imprint', client));
  const few = { reason: 'few clients', url: '/imprint', kind: 'document', count: 2 };
  expect(engine.leftOut()).toEqual([few]);
  engine.observe(access('/imprint', 3));
  expect(engine.leftOut()).toEqual([]);
});

test('no more than 200 are kept, the last ones', () => {
  const engine = made();
  const nameOf = (n: number) => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
  for (let n = 0; n < 300; n++) engine.dropped('noindex', of(`/page/${nameOf(n)}`));
  const urls = engine.leftOut().map(({ url }) => url);
  expect(urls.length).toBe(200);
  expect(urls).not.toContain(`/page/${nameOf(99)}`);
  expect(urls).toContain(`/page/${nameOf(100)}`);
});

test.each([
  ['/a/b', '/a/b'],
  ['/u/jane@example.org/posts', '/u/…'],
  ['/u/jane%2540example.org', '/u/…'],
  ['/order/17/jane@example.org', '/order/…'],
  ['/files/550e8400-e29b-41d4-a716-446655440000', '/files/…'],
  ['/watch/dQw4w9WgXcQ/dQw4w9WgXcR', '/watch/…'],
  ['/reset/abc', '/reset/…'],
  ['/invite/jane', '/invite/…'],
  ['/order-8127', '/…'],
  ['/search?q=jane', '/search?…'],
  ['/a#jane', '/a?…'],
  ['https://site.example/otp/1', 'https://site.example/otp/…'],
  ['https://jane:secret@site.example/a', 'https://site.example/a'],
  ['/', '/'],
])('%s is shown as %s', (url, shown) => {
  expect(maskedUrl(url, false)).toBe(shown);
});
