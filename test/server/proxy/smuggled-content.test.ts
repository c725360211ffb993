// Content that reads like a request stays content (RFC 9112 11.2): whatever the method, and however the name of its
// length is spelled, a real server behind the proxy sees the requests that were sent, each by who sent it, and no other.

import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createProxy } from '../../../server/index.ts';
import { listening } from '../listening.ts';
import { RawClient } from '../raw-client.ts';
import { until } from './set-up.ts';

const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.66\r\n\r\n';
const next = 'GET /next HTTP/1.1\r\nHost: a\r\n\r\n';

const methods = ['DELETE', 'OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'PROPFIND', 'SEARCH'];
const spellings = ['content-length', 'Content-Length', 'CONTENT-LENGTH', 'cOnTeNt-LeNgTh'];

test.each(methods)('%s: the content is its own, however the length is spelled', async (method) => {
  const seen: string[] = [];
  const server = createServer(async (req, res) => {
    const { url, headers } = req;
    seen.push(`${req.method} ${url} for ${headers['x-forwarded-for']}: ${await text(req)}`);
    res.end(`this is ${url}`);
  });
  await using proxy = createProxy({ upstream: `http://127.0.0.1:${await listening(server)}` });
  const { port } = await proxy.listen();
  for (const field of spellings) {
    const client = new RawClient(port);
    const head = `${method} /outer HTTP/1.1\r\nHost: a\r\n${field}: ${smuggled.length}\r\n\r\n`;
    client.send(head + smuggled + next);
    await until(client, /this is \/next$/);
    client.socket.destroy();
  }
  const both = [`${method} /outer for 127.0.0.1: ${smuggled}`, 'GET /next for 127.0.0.1: '];
  expect(seen).toEqual(spellings.flatMap(() => both));
});
