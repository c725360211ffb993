// Load a page and print what it cost.
import { loadPage } from 'loadahead';
import { createOrigin } from 'loadahead/server';

const origin = createOrigin('fixtures/microscape');
const { url } = await origin.listen();

const page = await loadPage(`${url}/`, { protocol: 'pipelined' });
const { requests, connections, batches, transferBytes } = page.totals;
console.log(`${requests} requests in ${batches} writes on ${connections} connection`);
console.log(`${transferBytes} bytes, complete after ${page.timing.completeMs?.toFixed(0)} ms`);

await origin.close();
