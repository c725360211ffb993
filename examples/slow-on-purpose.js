// A layer of one's own around each connection: header and content in two writes, with Nagle's algorithm, cost a delayed ACK.
import { loadPage } from 'loadahead';
import { createOrigin } from 'loadahead/server';

// What is measured first would pay for compiling.
const plain = createOrigin('fixtures/hauck/document2');
await loadPage((await plain.listen()).url);
await plain.close();

/** A handler with `onConnection` is a layer. */
const slow = (_request, _response, next) => next();
slow.onConnection = (socket) => {
  socket.raw.setNoDelay(false);
  const write = ([piece, ...rest], done) =>
    piece === undefined ? done() : socket.direct.write([piece], () => write(rest, done));
  socket.output = { write, flush() {} };
};

const ways = {
  'as it is': {},
  'each piece in a write of its own': { handlers: [slow] },
  '5 requests per connection': { maxRequestsPerConnection: 5 },
};
for (const [name, options] of Object.entries(ways)) {
  const origin = createOrigin('fixtures/hauck/document2', options);
  const { url } = await origin.listen();
  const { totals, timing } = await loadPage(url, { protocol: 'persistent', connections: 1 });
  console.log(`${name}: ${totals.connections} connections, ${Math.round(timing.completeMs)} ms`);
  await origin.close();
}
