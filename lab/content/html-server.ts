// A server of one document for codec-cost.ts: `node html-server.ts FILE`. It prints its port. `/plain` is the document,
// `/stored` was deflated before, `/6` is deflated for each request with that level, and `/cpu` is the processor time of
// this process in microseconds.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateSync } from 'node:zlib';

const document = readFileSync(process.argv[2] as string);
const stored = deflateSync(document);

function bodyOf(path: string): Buffer {
  if (path === '/plain') return document;
  if (path === '/stored') return stored;
  if (path !== '/cpu') return deflateSync(document, { level: Number(path.slice(1)) });
  const { user, system } = process.cpuUsage();
  return Buffer.from(String(user + system));
}

const server = createServer(({ url = '/' }, response) => {
  const body = bodyOf(url);
  response.writeHead(200, { 'content-type': 'text/html', 'content-length': body.length });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
