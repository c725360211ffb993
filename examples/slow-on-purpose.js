// Faults of early servers, switched on for study: each response in two writes, with Nagle's algorithm, costs a delayed ACK.
import { loadPage } from 'loadahead';
import { createOrigin } from 'loadahead/server';

// What is measured first would pay for compiling.
const plain = createOrigin('fixtures/hauck/document2');
await loadPage((await plain.listen()).url);
await plain.close();

for (const study of [[], ['split-headers', 'nagle'], ['requests-per-connection=5']]) {
  const origin = createOrigin('fixtures/hauck/document2', { study });
  const { url } = await origin.listen();
  const { totals, timing } = await loadPage(url, { protocol: 'persistent', connections: 1 });
  const { responses, connections } = totals;
  const name = study.join(' and ') || 'no fault';
  const ms = Math.round(timing.completeMs);
  console.log(`${name}: ${responses} responses, ${connections} connections, ${ms} ms`);
  await origin.close();
}
