// Content that reads like a request stays content (RFC 9112 11.2): whatever the method, and however the name of its
// length is spelled, a real server behind the proxy sees the requests that were sent and no other. Each test is
// one thing that somebody gains who gets a second request through.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { createProxy, type ProxyOptions } from '../../../server/index.ts';
import { listening } from '../listening.ts';
import { RawClient } from '../raw-client.ts';
import { eventually, until } from './set-up.ts';

interface Behind extends AsyncDisposable {
  readonly port: number;
  /** Method, target, X-Forwarded-For and content of what the server saw. */
  readonly seen: string[];
  readonly server: Server;
  send(bytes: string): RawClient;
}

type Answer = (req: IncomingMessage, res: ServerResponse, content: string) => void;

async function startBehind(
  options: Partial<ProxyOptions> = {},
  answer: Answer = (req, res) => res.end(`this is ${req.url}`),
): Promise<Behind> {
  const seen: string[] = [];
  const server = createServer(async (req, res) => {
    let content = '';
    for await (const chunk of req) content += chunk;
    seen.push(`${req.method} ${req.url} for ${req.headers['x-forwarded-for']}: ${content}`);
    answer(req, res, content);
  });
  const upstream = `http://127.0.0.1:${await listening(server)}`;
  const proxy = createProxy({ upstream, ...withConstants({ closeTimeoutMs: 500 }), ...options });
  const { port } = await proxy.listen();
  const clients: RawClient[] = [];
  return {
    port,
    seen,
    server,
    send(bytes) {
      const client = new RawClient(port);
      clients.push(client);
      client.send(bytes);
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const { socket } of clients) socket.destroy();
      await proxy.close();
    },
  };
}

const inner = (target: string) =>
  `GET ${target} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.66\r\n\r\n`;
const outer = (method: string, field: string, content: string) =>
  `${method} /outer HTTP/1.1\r\nHost: a\r\n${field}: ${content.length}\r\n\r\n${content}`;
const next = 'GET /next HTTP/1.1\r\nHost: a\r\n\r\n';

const methods = ['DELETE', 'OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'PROPFIND', 'SEARCH'];
const spellings = ['content-length', 'Content-Length', 'CONTENT-LENGTH', 'cOnTeNt-LeNgTh'];

test.each(methods)('%s: the content is its own, however the length is spelled', async (method) => {
  await using site = await startBehind();
  for (const field of spellings) {
    const client = site.send(outer(method, field, inner('/smuggled')) + next);
    await until(client, /this is \/next$/);
  }
  expect(site.seen).toEqual(
    spellings.flatMap(() => [
      `${method} /outer for 127.0.0.1: ${inner('/smuggled')}`,
      'GET /next for 127.0.0.1: ',
    ]),
  );
});

test('nobody forges the address that the site sees', async () => {
  await using site = await startBehind({ trustProxy: false });
  for (const method of ['DELETE', 'OPTIONS']) {
    await until(site.send(outer(method, 'Content-Length', inner('/')) + next), /this is \/next$/);
  }
  expect(site.seen.filter((line) => !line.includes('for 127.0.0.1: '))).toEqual([]);
  expect(site.seen).toHaveLength(4);
});

test('nobody passes a rule of the proxy', async () => {
  await using site = await startBehind({
    handlers: [
      (req, res, go) => {
        if (!req.url?.startsWith('/admin')) return go();
        res.statusCode = 403;
        res.end('not for you');
      },
    ],
  });
  await until(site.send(inner('/admin')), /not for you$/);
  for (const method of ['DELETE', 'OPTIONS']) {
    const client = site.send(outer(method, 'Content-Length', inner('/admin')) + next);
    await until(client, /this is \/next$/);
  }
  const targets = site.seen.map((line) => line.split(' ')[1]);
  expect(targets).toEqual(['/outer', '/next', '/outer', '/next']);
});

test('nobody chooses what the next visitor gets', async () => {
  // One connection to the site, and what was slipped in is answered when the next visitor is waiting.
  let nextIsThere = (): void => {};
  const answer: Answer = (req, res) => {
    if (req.url === '/evil') nextIsThere = () => res.end('evil');
    else res.end(`this is ${req.url}`);
  };
  await using site = await startBehind(withConstants({ maxUpstreamConnections: 1 }), answer);
  await until(site.send(outer('DELETE', 'Content-Length', inner('/evil'))), /this is \/outer$/);
  const visitor = site.send(next);
  await eventually(() => site.seen.some((line) => line.startsWith('GET /next ')));
  nextIsThere();
  expect(await until(visitor, /this is \/next$|evil/)).toMatch(/this is \/next$/);
});
