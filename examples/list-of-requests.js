// GETLIST of 1995: what the cache does not have, asked for in one batch; on a revisit with the page itself, not after it.
import { createHttpCache, createLoader, createMemoryStore } from 'loadahead';
import { createOrigin } from 'loadahead/server';

const origin = createOrigin('fixtures/microscape');
const { url } = await origin.listen();
const cache = createHttpCache(createMemoryStore());
const loader = createLoader({ cache, protocol: 'pipelined', getAll: false });
for (const visit of ['first', 'again']) {
  const cacheMode = visit === 'first' ? 'default' : 'no-cache'; // ask whether it is still good
  const { totals } = await loader.load(url, { cacheMode });
  const { requests, batches, notModified } = totals;
  console.log(`${visit}: ${requests} requests in ${batches} batches, ${notModified} not modified`);
}
await loader.close();
await origin.close();
