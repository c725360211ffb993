// How long requests wait for the end of the response before them: bytes that are missing when a part of it was read, at
// times in ms, and what is left of a wait of 20 ms.

import { expect, it } from 'vitest';
import { EndWait } from '../../../../loader/transport/connection/batching-socket.ts';

type Read = [missingBytes: number, atMs: number, leftMs: number];

it.each<[string, Read[]]>([
  ['nothing is missing, or nobody knows', [[0, 0, 0]]],
  ['more than ten segments are missing', [[14_601, 0, 0]]],
  ['ten are', [[14_600, 0, 20]]],
  [
    'the wait began with the first part',
    [
      [3000, 100, 20],
      [2000, 105, 15],
    ],
  ],
  [
    'the rest comes too late at this pace',
    [
      [3000, 100, 20],
      [2900, 105, 0],
    ],
  ],
  [
    'just in time',
    [
      [3000, 100, 20],
      [2250, 105, 15],
    ],
  ],
  [
    'the time is over',
    [
      [3000, 100, 20],
      [100, 120, 0],
    ],
  ],
  [
    'nothing came meanwhile',
    [
      [3000, 100, 20],
      [3000, 105, 15],
    ],
  ],
])('%s', (_, reads) => {
  const wait = new EndWait();
  for (const [missingBytes, atMs, leftMs] of reads) {
    expect(wait.leftMs(7, missingBytes, 20, atMs)).toBe(leftMs);
  }
});

it('a time of less than 1 ms is not waited', () => {
  expect(new EndWait().leftMs(0, 1000, 0.9, 0)).toBe(0);
});

it('the next response is waited for anew', () => {
  const wait = new EndWait();
  expect(wait.leftMs(0, 3000, 20, 0)).toBe(20);
  expect(wait.leftMs(1, 2000, 20, 100)).toBe(20);
});
