// A cache in memory, which is closed with the test.

import { onTestFinished } from 'vitest';
import { createHttpCache, createMemoryStore, type HttpCache } from '../../loader/index.ts';

export function memoryCache(): HttpCache {
  const cache = createHttpCache(createMemoryStore());
  onTestFinished(() => cache.close());
  return cache;
}
