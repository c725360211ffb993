// What is read of an input, after checking that no chunking changes it.

import { expect } from 'vitest';
import { chunkings, type Sliceable } from './chunkings.ts';

export function inEveryChunking<T extends Sliceable<T>, Result>(
  input: T,
  read: (chunks: T[]) => Result,
): Result {
  const whole = read([input]);
  for (const { name, chunks } of chunkings(input)) expect(read(chunks), name).toEqual(whole);
  return whole;
}
