import { expect, test } from 'vitest';
import { RecentUrls } from '../../prefetchd/recent-urls.ts';

const t0 = Date.UTC(2026, 0, 1);

test('a URL is found under its key alone', () => {
  const urls = new RecentUrls({ maxKeys: 10, urlsPerKey: 4 });
  urls.put('a', 7, 3, t0);
  expect(urls.valueAt(urls.find('a', 7))).toBe(3);
  expect(urls.find('b', 7)).toBe(-1);
  expect(urls.find('a', 8)).toBe(-1);
});

test('a full ring lets its oldest URL go, and says so', () => {
  const left: number[] = [];
  const urls = new RecentUrls({ maxKeys: 10, urlsPerKey: 3, onLeave: (value) => left.push(value) });
  for (const url of [1, 2, 3, 4]) urls.put('a', url, url, t0);
  expect(urls.find('a', 1)).toBe(-1);
  expect([2, 3, 4].every((url) => urls.find('a', url) >= 0)).toBe(true);
  expect(left).toEqual([1]);
});

test('putting a URL again takes no second place', () => {
  const left: number[] = [];
  const urls = new RecentUrls({ maxKeys: 1, urlsPerKey: 2, onLeave: (value) => left.push(value) });
  for (let n = 1; n < 5; n++) urls.put('a', 1, n, t0 + n * 1000);
  expect(urls.valueAt(urls.find('a', 1))).toBe(4);
  expect(urls.ageMs(urls.find('a', 1), t0 + 10_000)).toBe(6000);
  expect(left).toEqual([]);
});

test('a key that was not touched again gives way, and all of its entries leave', () => {
  const left: number[] = [];
  const urls = new RecentUrls({ maxKeys: 2, urlsPerKey: 4, onLeave: (value) => left.push(value) });
  urls.put('a', 1, 11, t0);
  urls.put('b', 1, 12, t0);
  urls.put('a', 2, 13, t0);
  urls.put('c', 1, 14, t0);
  expect(urls.find('b', 1)).toBe(-1);
  expect(urls.find('a', 1)).toBeGreaterThanOrEqual(0);
  expect(urls.find('c', 1)).toBeGreaterThanOrEqual(0);
  expect(left).toEqual([12]);
  expect(urls.size).toBe(2);
});

test('a key that comes back outlives any number of keys that come once', () => {
  const urls = new RecentUrls({ maxKeys: 10, urlsPerKey: 1 });
  for (let key = 0; key < 1000; key++) {
    urls.put('regular', 1, 1, t0);
    urls.put(`k${key}`, 1, 1, t0);
  }
  expect(urls.find('regular', 1)).toBeGreaterThanOrEqual(0);
  expect(urls.find('k999', 1)).toBeGreaterThanOrEqual(0);
  expect(urls.size).toBe(10);
});

test('keys that were all touched again give way all the same', () => {
  const urls = new RecentUrls({ maxKeys: 3, urlsPerKey: 1 });
  for (let n = 0; n < 2; n++) for (const key of ['a', 'b', 'c']) urls.put(key, 1, 1, t0);
  urls.put('d', 1, 1, t0);
  expect(['a', 'b', 'c', 'd'].filter((key) => urls.find(key, 1) >= 0)).toEqual(['b', 'c', 'd']);
});

test('many keys do not disturb each other while the arrays grow', () => {
  const urls = new RecentUrls({ maxKeys: 1000, urlsPerKey: 3 });
  for (let key = 0; key < 1000; key++) urls.put(`k${key}`, key, 1 + (key % 200), t0);
  for (let key = 0; key < 1000; key++) {
    expect(urls.valueAt(urls.find(`k${key}`, key))).toBe(1 + (key % 200));
  }
});

test('sweeping drops what is older, a bounded number at a time, and comes round', () => {
  const left: number[] = [];
  const urls = new RecentUrls({
    maxKeys: 100,
    urlsPerKey: 1,
    onLeave: (value) => left.push(value),
  });
  for (let key = 0; key < 64; key++) urls.put(`k${key}`, 1, 1, t0 + (key < 32 ? 0 : 60_000));
  urls.sweep(t0 + 70_000, 30_000, 10);
  expect(left.length).toBeLessThanOrEqual(10);
  for (let round = 0; round < 20; round++) urls.sweep(t0 + 70_000, 30_000, 10);
  expect(left.length).toBe(32);
});

test('a clock set back by more than a week: entries are as of then', () => {
  const urls = new RecentUrls({ maxKeys: 2, urlsPerKey: 4 });
  urls.put('a', 1, 1, t0);
  urls.put('a', 2, 1, t0 - 9 * 86_400_000);
  expect(urls.ageMs(urls.find('a', 1), t0 - 9 * 86_400_000)).toBe(0);
});
