import { graphStoreContract } from '../../contracts/graph-store.ts';
import { MemoryContent, MemoryGraphStore } from '../../support/memory-graph-store.ts';

const contents = new Map<string, MemoryContent>();

graphStoreContract('memory', (place, options) => {
  const content = contents.get(place) ?? new MemoryContent();
  contents.set(place, content);
  return new MemoryGraphStore({ ...options, content });
});
