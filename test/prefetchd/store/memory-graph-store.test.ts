import { expect, test } from 'vitest';
import { graphStoreContract } from '../../contracts/graph-store.ts';
import { MemoryContent, MemoryGraphStore } from '../../support/memory-graph-store.ts';

const contents = new Map<string, MemoryContent>();

graphStoreContract('memory', (place, options) => {
  const content = contents.get(place) ?? new MemoryContent();
  contents.set(place, content);
  return new MemoryGraphStore({ ...options, content });
});

test('a store of its own shares nothing', async () => {
  const [one, other] = [new MemoryGraphStore(), new MemoryGraphStore()];
  const salt = await one.salt(0, 1000);
  expect(await other.salt(0, 1000)).not.toEqual(salt);
});
