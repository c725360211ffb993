import { describe, expect, it } from 'vitest';
import { ClientCache } from '../../../prefetchd/simulate/client-cache.ts';
import fc from '../../support/property.ts';

const blockBytes = 8192;

function cacheOf(blocks: number, clients = 1): ClientCache {
  return new ClientCache({ capacityBytes: blocks * blockBytes, blockBytes, clients });
}

describe('client cache: LRU over 8 KB blocks (Padmanabhan 1995, 8)', () => {
  it('counts hits block by block', () => {
    // Four blocks. a1 a2 miss; b1 misses; a1 a2 hit.        least recent: b1 a1 a2
    // c1 c2 miss: one is free, one takes b1's place.          a1 a2 c1 c2
    // b1 misses and takes a1's place.                         a2 c1 c2 b1
    // a1 misses and takes a2's place, just before a2 is read: it misses and takes c1's. c2 b1 a1 a2
    const cache = cacheOf(4);
    const [a, b, c] = [1, 2, 3];
    expect(cache.access(0, a, 2)).toBe(0);
    expect(cache.access(0, b, 1)).toBe(0);
    expect(cache.access(0, a, 2)).toBe(2);
    expect(cache.access(0, c, 2)).toBe(0);
    expect(cache.access(0, b, 1)).toBe(0);
    expect(cache.held(0, a)).toBe(1);
    expect(cache.access(0, a, 2)).toBe(0);
    expect([cache.held(0, a), cache.held(0, b), cache.held(0, c)]).toEqual([2, 1, 1]);
    expect(cache.used(0)).toBe(4);
  });

  it('keeps a file that only partly fits as its last blocks, and never hits in it', () => {
    const cache = cacheOf(4);
    cache.access(0, 1, 1);
    expect(cache.access(0, 2, 6)).toBe(0);
    expect([cache.held(0, 1), cache.held(0, 2), cache.used(0)]).toEqual([0, 4, 4]);
    expect(cache.access(0, 2, 6)).toBe(0);
  });

  it('fetches of a file that grew what is missing', () => {
    const cache = cacheOf(4);
    expect(cache.missingBytes(20_000, 3, 2)).toBe(8192);
    expect(cache.missingBytes(20_000, 3, 0)).toBe(20_000);
    expect(cache.missingBytes(20_000, 3, 3)).toBe(0);
  });

  it('gives a file without bytes a block', () => {
    expect([0, 1, 8192, 8193].map((bytes) => cacheOf(1).blocksOf(bytes))).toEqual([1, 1, 1, 2]);
  });

  it('keeps clients apart, and forgets one alone', () => {
    const cache = cacheOf(4, 2);
    cache.access(0, 1, 2);
    cache.access(1, 1, 3);
    cache.clear(0);
    expect([cache.held(0, 1), cache.used(0), cache.held(1, 1), cache.used(1)]).toEqual([
      0, 0, 3, 3,
    ]);
  });

  it('tells once that what is read was prefetched', () => {
    const cache = cacheOf(4);
    cache.insert(0, 1, 3, 20_000, 77);
    expect(cache.access(0, 1, 3)).toBe(3);
    expect([cache.prefetchedBytes, cache.advisedAtMs]).toEqual([20_000, 77]);
    cache.access(0, 1, 3);
    expect(cache.prefetchedBytes).toBe(0);
  });

  it('does not take for prefetched what was pushed out since', () => {
    const cache = cacheOf(4);
    cache.insert(0, 1, 3, 20_000, 77);
    cache.access(0, 2, 2); // the first of its three blocks goes
    expect(cache.access(0, 1, 3)).toBe(0);
    expect(cache.prefetchedBytes).toBe(0);
  });

  it('equals an LRU list of single blocks, whatever is read', () => {
    const reads = fc.array(
      fc.record({ file: fc.integer({ min: 0, max: 6 }), client: fc.integer({ min: 0, max: 1 }) }),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(reads, fc.integer({ min: 1, max: 12 }), (all, capacity) => {
        const cache = cacheOf(capacity, 2);
        const lists: string[][] = [[], []];
        for (const { client, file } of all) {
          const blocks = file + 1;
          const list = lists[client] as string[];
          expect(cache.access(client, file, blocks)).toBe(readBlocks(list, capacity, file, blocks));
          expect(cache.used(client)).toBe(list.length);
        }
      }),
    );
  });
});

/** Oldest first. @returns hits */
function readBlocks(list: string[], capacity: number, file: number, blocks: number): number {
  let hits = 0;
  for (let block = 0; block < blocks; block++) {
    const name = `${file}:${block}`;
    const at = list.indexOf(name);
    if (at >= 0) {
      hits++;
      list.splice(at, 1);
    } else if (list.length === capacity) {
      list.shift();
    }
    list.push(name);
  }
  return hits;
}
