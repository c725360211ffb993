// The same page over four protocols. On loopback the round trips cost nothing; see docs/benchmarks.md
// for links where they do.
import { loadPage } from 'loadahead';
import { createOrigin } from 'loadahead/server';

const origin = createOrigin('fixtures/microscape');
const { url } = await origin.listen();

for (const protocol of ['http1.0', 'persistent', 'pipelined', 'h2']) {
  await loadPage(`${url}/`, { protocol }); // the first load pays for compiling
  const { totals, timing } = await loadPage(`${url}/`, { protocol });
  const connections =
    totals.connections === 1 ? '1 connection' : `${totals.connections} connections`;
  const batches = totals.batches === 1 ? '1 batch' : `${totals.batches} batches`;
  const cost = `${connections}, ${batches}`;
  console.log(`${protocol.padEnd(10)} ${timing.completeMs?.toFixed(1).padStart(6)} ms  ${cost}`);
}

await origin.close();
