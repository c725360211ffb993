// When an upstream begins to fail and when it answers again: told once each, however many requests there are.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { createProxy } from '../../../server/index.ts';
import { type UpstreamChange, UpstreamState } from '../../../server/proxy/upstream-state.ts';
import { closedPort, response } from '../../support/raw-server.ts';
import { eventually, startSite, until } from './set-up.ts';

const get = (target = '/') => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;

function watched() {
  const told: UpstreamChange[] = [];
  let nowMs = 0;
  const state = new UpstreamState(
    (change) => told.push(change),
    () => nowMs,
  );
  return {
    told,
    failed: () => state.failed('broken'),
    answered: () => state.answered(),
    wait: (ms: number) => {
      nowMs += ms;
    },
  };
}

it('tells the first failure and the first answer behind it, with how many and how long', () => {
  const { told, failed, answered, wait } = watched();
  answered();
  failed();
  wait(400);
  failed();
  wait(600);
  answered();
  answered();
  expect(told).toEqual([
    { isAnswering: false, error: 'broken' },
    { isAnswering: true, failedForMs: 1000, failedRequests: 2 },
  ]);
});

it('of a site that fails one request of ten for an hour it tells a handful of times', () => {
  const { told, failed, answered, wait } = watched();
  for (let request = 0; request < 36_000; request++) {
    wait(100);
    if (request % 10 === 0) failed();
    else answered();
  }
  // Returns after 1, 2, 4 and 8 answers, and none after 16.
  expect(told.map(({ isAnswering }) => isAnswering)).toEqual([
    false,
    true,
    false,
    true,
    false,
    true,
    false,
    true,
    false,
  ]);
});

it('after a minute without a failure one answer shows a return again', () => {
  const { told, failed, answered, wait } = watched();
  for (let times = 0; times < 3; times++) {
    failed();
    answered();
    wait(60_000);
  }
  expect(told).toHaveLength(6);
});

it('a proxy tells its site once that it is away and once that it is back, and counts what it answered', async () => {
  const port = await closedPort();
  const told: UpstreamChange[] = [];
  await using proxy = createProxy({
    upstream: `http://127.0.0.1:${port}`,
    onUpstreamChange: (change) => told.push(change),
  });
  const { url } = await proxy.listen();
  for (let request = 0; request < 3; request++) expect((await fetch(url)).status).toBe(502);
  expect(told).toEqual([
    { isAnswering: false, error: expect.objectContaining({ code: 'ECONNREFUSED' }) },
  ]);
  await using _site = createServer((request, answer) => {
    answer.writeHead(request.url === '/' ? 200 : 500).end('x');
  });
  await once(_site.listen(port, '127.0.0.1'), 'listening');
  for (const path of ['/', '/broken', '/']) await (await fetch(`${url}${path}`)).text();
  expect(told.slice(1)).toEqual([
    { isAnswering: true, failedForMs: expect.any(Number), failedRequests: 3 },
  ]);
  expect(proxy.stats()).toMatchObject({
    requests: 6,
    upstreamFailures: 3,
    responses: { '2xx': 2, '5xx': 4, none: 0 },
  });
});

it('each request is counted in one class of status, or as left by its client', async () => {
  await using site = await startSite({
    onRequest: ({ path }, connection) => {
      if (path === '/silent') return;
      connection.write(response('', {}, path === '/moved' ? '301 Moved' : '404 Not Found'));
    },
  });
  await until(site.send(get('/moved')), /\r\n\r\n$/);
  await until(site.send(get('/gone')), /\r\n\r\n$/);
  await until(site.send('GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'), /\.\n$/);
  const leaving = site.send(get('/silent'));
  await eventually(() => site.upstream.requests.length === 3);
  leaving.socket.resetAndDestroy();
  await eventually(() => site.proxy.stats().responses.none === 1);
  expect(site.proxy.stats().responses).toEqual({
    '1xx': 0,
    '2xx': 0,
    '3xx': 1,
    '4xx': 2,
    '5xx': 0,
    none: 1,
  });
});

it('a websocket that opens is one 101', async () => {
  await using site = await startSite({
    onRequest: (_request, connection) =>
      connection.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      ),
  });
  const handshake = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
  const client = site.send(`GET / HTTP/1.1\r\nHost: a\r\n${handshake}\r\n`);
  await until(client, / 101 [\s\S]*\r\n\r\n$/);
  client.socket.destroy();
  await eventually(() => site.proxy.stats().openTunnels === 0);
  expect(site.proxy.stats().responses).toMatchObject({ '1xx': 1, none: 0 });
});
