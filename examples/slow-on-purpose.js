// Faults of early servers, switched on for study: each response in two writes, with Nagle's algorithm, costs a delayed ACK.
import { loadPage } from 'loadahead';
import { createOrigin, studyFaults } from 'loadahead/server';

// What is measured first would pay for compiling.
const plain = createOrigin('fixtures/hauck/document2');
await loadPage((await plain.listen()).url);
await plain.close();

const ways = {
  'no fault': {},
  'split-headers and nagle': { handlers: [studyFaults(['split-headers', 'nagle'])] },
  '5 requests per connection': { maxRequestsPerConnection: 5 },
};
for (const [name, options] of Object.entries(ways)) {
  const origin = createOrigin('fixtures/hauck/document2', options);
  const { url } = await origin.listen();
  const { totals, timing } = await loadPage(url, { protocol: 'persistent', connections: 1 });
  const { responses, connections } = totals;
  const ms = Math.round(timing.completeMs);
  console.log(`${name}: ${responses} responses, ${connections} connections, ${ms} ms`);
  await origin.close();
}
