import { describe, expect, it } from 'vitest';
import { ClientCache } from '../../../prefetchd/simulate/client-cache.ts';
import fc from '../../support/property.ts';

const files = Array.from({ length: 7 }, (_, at) => {
  return { url: `/${at}`, isDocument: true, isPage: true };
});
const [a, b] = files as [(typeof files)[0], (typeof files)[0]];

describe('client cache: LRU over blocks (Padmanabhan 1995, 8)', () => {
  it('tells once that what is read was prefetched', () => {
    const cache = new ClientCache(4);
    const prefetched = { bytes: 20_000, advisedAtMs: 77 };
    cache.insert(a, 3, prefetched);
    expect(cache.read(a, 3)).toEqual({ held: 3, prefetched });
    expect(cache.read(a, 3)).toEqual({ held: 3, prefetched: null });
  });

  it('does not take for prefetched what was pushed out since', () => {
    const cache = new ClientCache(4);
    cache.insert(a, 3, { bytes: 20_000, advisedAtMs: 77 });
    cache.read(b, 2); // the first of its three blocks goes
    expect(cache.read(a, 3)).toEqual({ held: 0, prefetched: null });
  });

  it('equals an LRU list of single blocks, whatever is read', () => {
    const reads = fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 200 });
    fc.assert(
      fc.property(reads, fc.integer({ min: 1, max: 12 }), (all, capacity) => {
        const cache = new ClientCache(capacity);
        const list: string[] = [];
        for (const file of all) {
          const hits = readBlocks(list, capacity, file, file + 1);
          expect(cache.read(files[file] as typeof a, file + 1).held).toBe(hits);
          expect(cache.used).toBe(list.length);
          const held = list.filter((name) => name.startsWith(`${file}:`)).length;
          expect(cache.held(files[file] as typeof a)).toBe(held);
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
