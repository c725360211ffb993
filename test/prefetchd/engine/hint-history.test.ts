import { expect, test } from 'vitest';
import { type HintCounts, HintHistory } from '../../../prefetchd/engine/hint-history.ts';
import { Visitors } from '../../../prefetchd/engine/visitors.ts';

const t0 = Date.UTC(2026, 0, 1);
const rememberMs = 60_000;
/** Dropped when the next page is opened; showing it is told. */
const byRules = { freshMs: 0, isAnticipated: false };
const made = () => new HintHistory(new Visitors(100), rememberMs);

type Step = (history: HintHistory) => unknown;
const offered = (ms: number) => (history: HintHistory) => history.offer('a', 1, t0 + ms);
const asked = (ms: number) => (history: HintHistory) => history.demanded('a', 1, t0 + ms);
const prefetched = (history: HintHistory) => history.prefetched('a', 1, t0 + 1000, byRules);
const swept = (ms: number) => (history: HintHistory) => history.sweep(t0 + ms);
const over = rememberMs + 1000;

test.each<[string, Step[], Partial<HintCounts>]>([
  ['it is used by what follows, once', [offered(0), asked(1), asked(2)], { given: 1, used: 1 }],
  ['the same hint given again while it is open is one', [offered(0), offered(9)], { given: 1 }],
  ['a hint is not wasted while its time lasts', [offered(0), swept(rememberMs)], { given: 1 }],
  ['without an access in time it is', [offered(0), swept(over)], { given: 1, wasted: 1 }],
  [
    'a hint that is given anew after its time was wasted the first time',
    [offered(0), offered(over), asked(over + 1000)],
    { given: 2, used: 1, wasted: 1 },
  ],
  ['a prefetch that was hinted is taken', [offered(0), prefetched], { given: 1, taken: 1 }],
  ['and used when seen', [offered(0), prefetched, asked(3000)], { given: 1, taken: 1, used: 1 }],
  [
    'a prefetch that was taken and never shown is wasted',
    [offered(0), prefetched, swept(over + 1000)],
    { given: 1, taken: 1, wasted: 1 },
  ],
  ['a prefetch nobody hinted is no hint', [prefetched, swept(over + 1000)], {}],
])('%s', (_, steps, counts) => {
  const history = made();
  for (const step of steps) step(history);
  const none = { given: 0, taken: 0, used: 0, wasted: 0, unknown: 0 };
  expect(history.counts).toEqual({ ...none, ...counts });
});

test('a client has what it prefetched, hinted or not, and not what is only hinted', () => {
  const history = made();
  history.offer('a', 1, t0);
  expect(history.has('a', 1, t0)).toBe(false);
  for (const url of [1, 2]) history.prefetched('a', url, t0, byRules);
  expect([1, 2].map((url) => history.has('a', url, t0 + 1000))).toEqual([true, true]);
});

test('when pseudonyms change nobody has anything, and open hints are not judged', () => {
  const visitors = new Visitors(100);
  const history = new HintHistory(visitors, rememberMs);
  history.offer('a', 1, t0);
  history.demanded('a', 2, t0);
  visitors.clear();
  expect(history.has('a', 2, t0)).toBe(false);
  expect(history.counts).toEqual({ given: 1, taken: 0, used: 0, wasted: 0, unknown: 0 });
});

test('of too many URLs of a client the first is forgotten, of too many clients the silent one', () => {
  const visitors = new Visitors(2, undefined, (urls) => history.evicted(urls));
  const history = new HintHistory(visitors, rememberMs);
  for (let url = 0; url < 33; url++) history.offer('a', url, t0);
  expect([0, 1, 32].map((url) => history.isHinted('a', url, t0))).toEqual([false, true, true]);
  expect(history.counts.wasted).toBe(1);
  history.offer('b', 1, t0);
  history.demanded('a', 40, t0);
  history.offer('c', 1, t0);
  expect(['a', 'b', 'c'].map((client) => history.isHinted(client, 1, t0))).toEqual([
    ...[false, false, true],
  ]);
  expect(history.counts.wasted).toBe(3);
});

test('what a client has, or has on the way, is not offered to it', () => {
  const history = made();
  expect(history.offer('a', 1, t0)).toBe(true);
  expect(history.offer('a', 1, t0)).toBe(true);
  history.prefetched('a', 1, t0, byRules);
  expect(history.offer('a', 1, t0)).toBe(false);
  history.demanded('a', 2, t0);
  expect(history.offer('a', 2, t0 + rememberMs)).toBe(false);
  expect(history.offer('a', 2, t0 + rememberMs + 1000)).toBe(true);
  expect(history.offer('b', 2, t0)).toBe(true);
});

test('a clock set back a day: what the client has is offered again rather than not', () => {
  const history = made();
  history.demanded('a', 1, t0);
  expect(history.has('a', 1, t0 - 86_400_000)).toBe(false);
  expect(history.offer('a', 1, t0 - 86_400_000)).toBe(true);
});

test('a prefetch that may have been shown without a sign is unknown, not wasted', () => {
  const history = made();
  history.offer('a', 1, t0);
  history.prefetched('a', 1, t0, { freshMs: 0, isAnticipated: true });
  history.opened('a', 2, t0, () => true);
  expect(history.counts).toEqual({ given: 1, taken: 1, used: 0, wasted: 0, unknown: 1 });
});

test('what was prefetched goes when the next page is opened, unless it stays fresh', () => {
  const history = made();
  const fresh = { freshMs: 10_000, isAnticipated: true };
  history.prefetched('a', 1, t0, byRules);
  history.prefetched('a', 2, t0, fresh);
  history.prefetched('a', 3, t0, byRules);
  const unused: number[] = [];
  history.opened('a', 3, t0, (url) => unused.push(url) > 0);
  expect([1, 2, 3].map((url) => history.has('a', url, t0))).toEqual([false, true, true]);
  expect(unused).toEqual([2]);
  history.opened('a', 4, t0, (url) => unused.push(url) > 0);
  expect(unused).toEqual([2]); // said once
  expect(history.has('a', 2, t0 + 10_000)).toBe(true);
  expect(history.has('a', 2, t0 + 12_000)).toBe(false);
});

test('a page is had for the lifetime of its response, or for a while where that is not known', () => {
  const history = made();
  history.demanded('a', 1, t0);
  history.demanded('a', 2, t0, 0);
  history.demanded('b', 3, t0, 10_000);
  history.demanded('b', 4, t0, rememberMs * 2);
  const has = (timeMs: number) => [
    ...[1, 2].map((url) => history.has('a', url, timeMs)),
    ...[3, 4].map((url) => history.has('b', url, timeMs)),
  ];
  expect(has(t0 + 1000)).toEqual([true, false, true, true]);
  expect(has(t0 + 12_000)).toEqual([true, false, false, true]);
  expect(has(t0 + rememberMs)).toEqual([true, false, false, true]);
  expect(has(t0 + rememberMs + 1000)).toEqual([false, false, false, false]);
});

test('a page that was shown from a prefetch without a lifetime is not kept', () => {
  const history = made();
  history.prefetched('a', 1, t0, byRules);
  history.prefetched('a', 2, t0, { freshMs: rememberMs, isAnticipated: false });
  for (const url of [1, 2]) history.demanded('a', url, t0 + 1000);
  expect([1, 2].map((url) => history.has('a', url, t0 + 3000))).toEqual([false, true]);
});

test('a page that was prefetched for another site is marked as that, and as nothing else', () => {
  const history = made();
  const urls = [1, 2, 3, 4, 5, 6, 7, 8];
  const isEntry = (url: number) => url > 4;
  for (const url of urls) history.prefetched('a', url, t0, { ...byRules, isEntry: isEntry(url) });
  for (const url of urls) {
    expect(history.isEntry('a', url, t0)).toBe(isEntry(url));
    expect(history.isAnticipated('a', url, t0)).toBe(false);
    expect(history.outcome('a', url, t0)).toBe('prefetched');
  }
});
