// How much of a body is asked for at a time: so much as the line brings in a moment, however fast it is.

import { expect, test } from 'vitest';
import { PartSize } from '../../../loader/prefetch/parts.ts';

/** What is asked for on a line that brings so much, when parts of so many bytes took so long. */
function settled(bytesPerMs: number): number {
  const size = new PartSize();
  for (let part = 0; part < 20; part++) {
    const bytes = size.behind(1);
    // The first segment comes at once.
    size.learn(bytes, Math.max(0, bytes - 1_460) / bytesPerMs);
  }
  return size.behind(1);
}

test.each([
  ['a modem', 3.6, 4 * 1024],
  ['a T1 line', 193, 1_460 + 25 * 193],
  ['10 Mbit/s', 1_250, 1_460 + 25 * 1_250],
  ['a line without bounds', Number.POSITIVE_INFINITY, 256 * 1024],
])('%s: what takes it for 25 ms, from 4 KiB to 256 KiB', (_, bytesPerMs, bytes) => {
  expect(Math.abs(settled(bytesPerMs) / bytes - 1)).toBeLessThan(0.05);
});

test('the first part of a body is always what a server sends at once on a new connection', () => {
  const size = new PartSize();
  size.learn(14_000, 1_000);
  expect(size.behind(0)).toBe(14_000);
  expect(size.behind(14_000)).toBe(4 * 1024);
});
