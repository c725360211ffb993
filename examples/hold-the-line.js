// Hold-Line of 1994: one request a connection, unless the server grants that the line is held.
import { createServer } from 'node:http';
import { loadPage } from 'loadahead';
import { holdLine, staticFiles } from 'loadahead/server';

const hold = holdLine();
const files = staticFiles('fixtures/hauck/document1');
const server = createServer((req, res) => hold(req, res, () => files(req, res, () => res.end())));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}/`;

for (const seconds of [false, 5]) {
  const options = { protocol: 'http1.0', connections: 1, holdLine: seconds };
  const { totals } = await loadPage(url, options);
  console.log(`holdLine ${seconds}: ${totals.connections} connections`);
}
const { granted, reused } = hold.stats();
console.log(`${granted} granted, ${reused} requests on held lines`);
server.close();
