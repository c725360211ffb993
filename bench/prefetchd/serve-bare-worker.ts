// A server that does nothing but HTTP: it reads a request and answers what it always answers. What is
// measured against it, is measured against node:http and against the load generator itself.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const body = JSON.stringify({ hints: [{ url: '/a.html', probability: 0.5, kind: 'document' }] });
const server = createServer((request, response) => {
  request.on('data', () => {});
  request.on('end', () => {
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
    });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
