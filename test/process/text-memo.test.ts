import { expect, test } from 'vitest';
import { TextMemo } from '../../process/text-memo.ts';

test('works out each text once, also where the result is null or empty', () => {
  const asked: string[] = [];
  const memo = new TextMemo((key) => (asked.push(key) % 2 === 0 ? null : key));
  const keys = Array.from({ length: 50 }, (_, n) => 'x'.repeat(n));
  for (let round = 0; round < 3; round++)
    for (const [n, key] of keys.entries()) expect(memo.get(key)).toBe(n % 2 ? null : key);
  expect(asked).toEqual(keys);
});

test('when full it starts anew, and gives the same', () => {
  let computed = 0;
  const memo = new TextMemo((key) => ++computed && `${key}!`, 10);
  for (let n = 0; n < 100; n++) expect(memo.get(`k${n % 20}`)).toBe(`k${n % 20}!`);
  expect(computed).toBeGreaterThan(20);
  expect(computed).toBeLessThanOrEqual(100);
});

test('after clear everything is worked out again', () => {
  const values = [1, 2, 3];
  const memo = new TextMemo(() => values.shift() ?? 0, 10);
  expect([memo.get('a'), memo.get('a')]).toEqual([1, 1]);
  memo.clear();
  expect(memo.get('a')).toBe(2);
});

test('what is too long is worked out each time', () => {
  let computed = 0;
  const memo = new TextMemo(() => ++computed, 10);
  expect(['x'.repeat(3000), 'x'.repeat(3000)].map((long) => memo.get(long))).toEqual([1, 2]);
});
