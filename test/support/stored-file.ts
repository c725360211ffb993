// A graph of 400 pairs in an SQLite file, for tests of what may happen to files.

import type { GraphDelta } from '../../prefetchd/model/delta/graph-delta.ts';
import { SqliteFile } from '../../prefetchd/store/sqlite/graph-file.ts';
import { arriving } from '../../prefetchd/store/sqlite/read-graph.ts';
import { storeDefaults } from '../../prefetchd/store/store-options.ts';
import { type DeltaSketch, deltaOf, Gathered } from './graph-deltas.ts';

export const nowMs = Date.UTC(2024, 1, 29, 12);

export const pairs = (count: number, name = ''): Required<Pick<DeltaSketch, 'graphs'>> => ({
  graphs: [
    Array.from({ length: count }, (_, n) => ({
      from: `/${name}${n}`,
      to: `/next/${name}${n}`,
      count: 1,
    })),
  ],
});

export const fileOptions = { ...storeDefaults, busyTimeoutMs: 0, onNotice: () => {} };

export function storedFile(path: string): string {
  const file = new SqliteFile(path, { ...fileOptions, onDamaged: 'refuse' });
  file.add(deltaOf(pairs(400)), nowMs);
  file.close();
  return path;
}

/** The graph in a file, as its store puts it together. */
export function graphIn(file: SqliteFile, atMs = nowMs): GraphDelta | null {
  const parts = new Gathered();
  return file.load(atMs, arriving(parts, fileOptions.onNotice)) ? parts.graph : null;
}
