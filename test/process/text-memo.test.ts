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

test('when full it starts anew, as after clear; what is too long is worked out each time', () => {
  let computed = 0;
  const memo = new TextMemo((key) => ++computed && `${key}!`, 10);
  for (let n = 0; n < 100; n++) expect(memo.get(`k${n % 20}`)).toBe(`k${n % 20}!`);
  expect(computed).toBeGreaterThan(20);
  expect(computed).toBeLessThanOrEqual(100);
  memo.clear();
  computed = 0;
  for (const key of ['k19', 'k19', 'x'.repeat(3000), 'x'.repeat(3000)]) memo.get(key);
  expect(computed).toBe(3);
});
