// An SQLite store merges additions by SQL, the store of tests with plain objects. Whatever is added, both keep the same.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SqliteFile } from '../../../../prefetchd/store/sqlite/graph-file.ts';
import { checkStoreOptions, type StoreOptions } from '../../../../prefetchd/store/store-options.ts';
import { folderOfTests } from '../../../support/folder-of-tests.ts';
import { contentOf, deltaOf, loaded } from '../../../support/graph-deltas.ts';
import { MemoryGraphStore } from '../../../support/memory-graph-store.ts';
import fc from '../../../support/property.ts';
import { fileOptions, graphIn } from '../../../support/stored-file.ts';

const folder = folderOfTests();
let files = 0;

const nowMs = Date.UTC(2026, 0, 1);
const hourMs = 60 * 60 * 1000;
const urls = ['/', '/a', '/b', '/c', '/d', '/x.gif', '/é', '/\ud800'];
const anyUrl = fc.constantFrom(...urls);
const anyCount = fc.constantFrom(0, 0.5, 1, 1, 2, 3);
const anyPrints = fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 6 });
const anyArc = fc.record({
  ...{ from: anyUrl, to: anyUrl, count: anyCount, clients: anyPrints },
  seen: fc.constantFrom(0, 0, 0, 1, 4, 6),
});
const anyDelta = fc
  .record({
    era: fc.constantFrom(0, 1, 1, 2),
    accesses: fc.dictionary(anyUrl, anyCount, { maxKeys: 5 }),
    graphs: fc.tuple(fc.array(anyArc, { maxLength: 12 }), fc.array(anyArc, { maxLength: 3 })),
  })
  .map(({ era, accesses, graphs }) => {
    const named = [
      ...Object.keys(accesses),
      ...graphs.flat().flatMap(({ from, to }) => [from, to]),
    ];
    const nodes = named.map((url) => {
      const kind = url.endsWith('.gif') ? ('object' as const) : ('document' as const);
      return [url, { kind, accesses: accesses[url] ?? 0 }];
    });
    return deltaOf({ era, nodes: Object.fromEntries(nodes), graphs });
  });

async function expectSame(deltas: ReturnType<typeof deltaOf>[], options: StoreOptions) {
  const plain = new MemoryGraphStore(options);
  const own = { ...fileOptions, ...checkStoreOptions(options), onDamaged: 'refuse' as const };
  const file = new SqliteFile(join(folder, `${++files}.db`), own);
  let era = 0;
  for (const [n, given] of deltas.entries()) {
    // No era comes again.
    era = Math.max(era, given.era);
    const delta = { ...given, era: given.era && era };
    await plain.add(delta, nowMs + n * hourMs);
    file.add(delta, nowMs + n * hourMs);
    const atMs = nowMs + n * hourMs;
    const [expected, found] = [await loaded(plain, atMs), graphIn(file, atMs)];
    expect(found?.era).toBe(expected?.era);
    // An unpaired surrogate is no UTF-8: it is kept as the mark in its place.
    const content = contentOf(expected);
    const text = JSON.stringify([[...content.nodes], content.graphs.map((rows) => [...rows])]);
    const { nodes, graphs } = contentOf(found);
    const own = JSON.stringify([[...nodes], graphs.map((rows) => [...rows])]);
    expect(own).toBe(text.replaceAll('\\ud800', '\ufffd'));
  }
  file.close();
}

test('additions are merged, with all clients, eras and orders', async () => {
  const anyOptions = fc.record({ maxArcsPerUrl: fc.constantFrom(2, 4, 128) });
  await fc.assert(fc.asyncProperty(fc.array(anyDelta, { maxLength: 6 }), anyOptions, expectSame), {
    numRuns: 60,
  });
});
