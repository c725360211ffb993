import { MemoryStore } from '../../../prefetchd/store/memory.ts';
import { graphStoreContract } from '../../contracts/graph-store.ts';

const stores = new Map<string, MemoryStore>();

graphStoreContract('memory', (place) => {
  const store = stores.get(place) ?? new MemoryStore();
  stores.set(place, store);
  return store;
});
