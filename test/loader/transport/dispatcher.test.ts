// A user's own undici Dispatcher: mocks, proxies and agents as undici has them, in place of our connections.

import { createServer, type IncomingMessage, request as sendRequest } from 'node:http';
import { Agent, MockAgent, ProxyAgent } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { createFetch, loadPage } from '../../../loader/index.ts';
import { listening } from '../../server/listening.ts';
import { memoryCache } from '../../support/memory-cache.ts';
import { answering, response } from '../../support/raw-server.ts';

const html = '<!doctype html><img src="/a.gif"><img src="/b.gif">';

function mocked(): MockAgent {
  const agent = new MockAgent();
  onTestFinished(() => agent.close());
  agent.disableNetConnect();
  const site = agent.get('http://site.example');
  const headers = { 'content-type': 'text/html', 'content-length': String(html.length) };
  site.intercept({ path: '/' }).reply(200, html, { headers });
  for (const path of ['/a.gif', '/b.gif']) {
    const fields = { 'content-type': 'image/gif', 'cache-control': 'max-age=60' };
    site.intercept({ path }).reply(200, path, { headers: { ...fields, 'content-length': '6' } });
  }
  return agent;
}

function agent(): Agent {
  const made = new Agent();
  onTestFinished(() => made.destroy());
  return made;
}

test('a page out of a MockAgent, images into the cache', async () => {
  const dispatcher = mocked();
  const cache = memoryCache();
  const load = await loadPage('http://site.example/', { dispatcher, cache });
  expect(
    load.resources.map(({ url, status, bodyBytes, error }) => [url, status, bodyBytes, error]),
  ).toEqual([
    ['http://site.example/', 200, html.length, null],
    ['http://site.example/a.gif', 200, 6, null],
    ['http://site.example/b.gif', 200, 6, null],
  ]);
  dispatcher.assertNoPendingInterceptors();
  // Each is answered once by the mock: what comes again comes out of the cache.
  const fetch = createFetch({ dispatcher, cache });
  expect(await (await fetch('http://site.example/a.gif')).text()).toBe('/a.gif');
});

test('what the mock has no answer for fails with what it says', async () => {
  const load = await loadPage('http://site.example/other', { dispatcher: mocked() });
  const [{ error }] = load.resources as [(typeof load.resources)[0]];
  expect(error?.code).toBe('connection-failed');
  expect(error?.message).toMatch(/dispatcher did not send it: .*\/other/);
});

/** A forward proxy, asked with absolute targets (RFC 9112 3.2.2), and the hosts it was asked for. */
async function forwardProxy() {
  const hosts: string[] = [];
  const server = createServer((from: IncomingMessage, to) => {
    hosts.push(from.headers.host ?? '');
    const { method, headers } = from;
    const upstream = sendRequest(from.url ?? '', { method, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
    });
    from.pipe(upstream);
  });
  return { hosts, url: `http://127.0.0.1:${await listening(server)}` };
}

test('a page through a ProxyAgent', async () => {
  await using server = await answering(({ path }, connection) =>
    connection.write(
      path === '/' ? response(html, { 'Content-Type': 'text/html' }) : response('GIF89a'),
    ),
  );
  const proxy = await forwardProxy();
  const dispatcher = new ProxyAgent(proxy.url);
  onTestFinished(() => dispatcher.close());
  const load = await loadPage(server.origin, { dispatcher });
  expect(load.resources.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(new Set(proxy.hosts)).toEqual(new Set([new URL(server.origin).host]));
});

test('a body larger than any buffer, read slowly, comes whole', async () => {
  const body = Buffer.alloc(3_000_000, 'many bytes');
  await using server = await answering((_request, connection) => connection.write(response(body)));
  const dispatcher = agent();
  const fetch = createFetch({ dispatcher });
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await fetch(server.origin)).body ?? []) {
    chunks.push(chunk);
    await new Promise(setImmediate);
  }
  expect(Buffer.concat(chunks).equals(body)).toBe(true);
  await fetch.close();
});

test.each([
  ['nothing listens', null, 'connection-refused'],
  ['a body is cut', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort', 'length-mismatch'],
  ['no HTTP comes', 'SSH-2.0-OpenSSH_9.9\r\n', 'malformed-response'],
  ['the server hangs up', '', 'connection-lost'],
])('%s: told as with our own connections', async (_name, answer, code) => {
  await using server = await answering((_request, connection) => {
    connection.write(answer ?? '');
    connection.end();
  });
  const { origin } = server;
  if (answer === null) await server[Symbol.asyncDispose]();
  const dispatcher = agent();
  const { resources } = await loadPage(origin, { dispatcher });
  expect(resources[0]?.error?.code).toBe(code);
});

test('a signal and a deadline end what is under way', async () => {
  await using server = await answering(() => {});
  const dispatcher = agent();
  const { resources } = await loadPage(server.origin, { dispatcher, timeouts: { responseMs: 50 } });
  expect(resources[0]?.error?.code).toBe('response-timeout');
  const controller = new AbortController();
  const loading = loadPage(server.origin, { dispatcher, signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(loading).rejects.toThrow('enough');
});

test('an option that says nothing to a dispatcher is refused', async () => {
  const dispatcher = mocked();
  for (const options of [
    { protocol: 'h2' },
    { connections: 2 },
    { refusePrivateAddresses: true },
  ] as const) {
    const [name] = Object.keys(options);
    await expect(
      loadPage('http://site.example/', { dispatcher, ...options }),
    ).rejects.toMatchObject({
      code: 'invalid-option',
      message: expect.stringMatching(`${name} must be left out with a dispatcher`),
    });
  }
  await expect(loadPage('http://site.example/', { dispatcher: {} as never })).rejects.toThrow(
    'dispatcher must be an undici Dispatcher',
  );
});
