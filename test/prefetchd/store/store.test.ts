import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseStore } from '../../../prefetchd/store/store.ts';

describe('--store', () => {
  test('is memory or sqlite:FILE', () => {
    expect(parseStore('memory')).toEqual({ type: 'memory' });
    expect(parseStore('sqlite:a b.db')).toEqual({ type: 'sqlite', path: resolve('a b.db') });
  });

  test('names that SQLite would read its own meaning into are files', () => {
    expect(parseStore('sqlite::memory:')).toEqual({ type: 'sqlite', path: resolve(':memory:') });
    expect(parseStore('sqlite:file:x?mode=memory')).toMatchObject({
      path: resolve('file:x?mode=memory'),
    });
  });

  test('redis is not there yet, and nothing else is known', () => {
    expect(() => parseStore('redis://localhost')).toThrow(/redis is not supported yet/);
    for (const text of ['', 'sqlite', 'sqlite:', 'SQLITE:x', 'file.db', '__proto__']) {
      expect(() => parseStore(text)).toThrow(/must be memory or sqlite:FILE/);
    }
  });
});
