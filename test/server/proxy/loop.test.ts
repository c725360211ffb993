// A proxy that leads back to itself: refused when it would listen, where that can be seen; otherwise the first request
// that comes back is answered 508.

import { expect, it } from 'vitest';
import { createProxy } from '../../../server/index.ts';
import { leadsBack } from '../../../server/proxy/loop.ts';
import { closedPort, response } from '../../support/raw-server.ts';
import { answerOk, startSite, until } from './set-up.ts';

const get = (lines = '') => `GET / HTTP/1.1\r\nHost: a\r\n${lines}\r\n`;
const site = { host: '127.0.0.1', port: 80 };

it.each([
  ['127.0.0.1', '127.0.0.1'],
  ['localhost', '127.0.0.1'],
  ['LOCALHOST.', '127.0.0.1'],
  ['app.localhost', '::1'],
  ['127.0.0.1', 'localhost'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', 'localhost'],
  ['127.0.0.1', '0.0.0.0'],
  ['127.0.0.9', '::'],
  ['::1', '::'],
  ['localhost', '0.0.0.0'],
  ['0:0:0:0:0:0:0:1', '::1'],
  ['::ffff:127.0.0.1', '127.0.0.1'],
  ['example.org', 'EXAMPLE.org'],
])('an upstream %s leads back to who listens on %s, on the same port alone', (upstream, own) => {
  expect(leadsBack({ host: upstream, port: 80 }, { host: own, port: 80 })).toBe(true);
  expect(leadsBack({ host: upstream, port: 81 }, { host: own, port: 80 })).toBe(false);
});

it.each([
  ['127.0.0.2', '127.0.0.1'],
  ['::1', '127.0.0.1'],
  ['192.0.2.1', '0.0.0.0'],
  ['example.org', '0.0.0.0'],
  ['example.org', '127.0.0.1'],
])('an upstream %s is another place than %s', (upstream, own) => {
  expect(leadsBack({ host: upstream, port: 80 }, { host: own, port: 80 })).toBe(false);
  expect(leadsBack(site, { host: '127.0.0.1', port: 0 })).toBe(false);
});

it('listen refuses the address of the upstream, a port or a Unix socket, and says what to do', async () => {
  const port = await closedPort();
  await using proxy = createProxy({ upstream: `http://localhost:${port}` });
  expect(() => proxy.listen({ port })).toThrow(
    expect.objectContaining({
      code: 'invalid-option',
      message: expect.stringMatching(/^option upstream leads back to the proxy itself.*address of/),
    }),
  );
  await using onSocket = createProxy({ upstream: 'unix:/tmp/loop.sock' });
  expect(() => onSocket.listen({ path: '/tmp/loop.sock' })).toThrow(/leads back/);
});

it('a request that comes back is answered 508, and the loop ends with its second round (RFC 8586)', async () => {
  const port = await closedPort();
  await using second = createProxy({ upstream: `http://127.0.0.1:${port}` });
  const { port: secondPort } = await second.listen();
  await using first = createProxy({ upstream: `http://127.0.0.1:${secondPort}` });
  await first.listen({ port });
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  expect([answer.status, await answer.text()]).toEqual([
    508,
    '508 Loop Detected\nThis proxy has forwarded the request already: its upstream leads back to it.\n',
  ]);
  expect(first.stats()).toMatchObject({ requests: 2, upstreamFailures: 0 });
  expect(second.stats().requests).toBe(1);
});

it('a websocket handshake that comes back is answered 508, too', async () => {
  const port = await closedPort();
  await using second = createProxy({ upstream: `http://127.0.0.1:${port}` });
  const { port: secondPort } = await second.listen();
  await using first = createProxy({ upstream: `http://127.0.0.1:${secondPort}` });
  await first.listen({ port });
  await using bystander = await startSite(answerOk, { upstream: `http://127.0.0.1:${port}` });
  const handshake = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
  expect(await until(bystander.send(get(handshake)), /back to it\.\n$/)).toMatch(
    /^HTTP\/1\.1 508 Loop Detected\r\n/,
  );
});

it('marks of others go on in front of its own, whatever Connection says of them (RFC 8586 2, 3)', async () => {
  await using fine = await startSite();
  const others =
    'CDN-Loop: foo123.example\r\ncdn-loop: barcdn; trace="abc"\r\nConnection: CDN-Loop\r\n';
  expect(await until(fine.send(get(others)), /ok$/)).toMatch(/^HTTP\/1\.1 200 /);
  expect(fine.received()).toMatch(
    /\r\nCDN-Loop: foo123\.example\r\nCDN-Loop: barcdn; trace="abc"\r\nCDN-Loop: loadahead-[0-9a-f]{16}\r\n/,
  );
});

it('a mark is of one proxy: two in a row are no loop, over HTTP/1.0 either', async () => {
  await using behind = await startSite();
  await using front = createProxy({ upstream: `http://127.0.0.1:${behind.port}` });
  const { url } = await front.listen();
  expect(await (await fetch(url)).text()).toBe('ok');
  const marks = /CDN-Loop: (\S+)\r\nCDN-Loop: (\S+)\r\n/.exec(behind.received());
  expect(new Set(marks?.slice(1)).size).toBe(2);
  await until(behind.send('GET / HTTP/1.0\r\n\r\n'), /ok$/);
});

it('nobody but its holder knows the mark: an invented one passes', async () => {
  await using fine = await startSite({
    onRequest: (_request, connection) => connection.write(response('ok')),
  });
  const invented = `CDN-Loop: loadahead-${'0'.repeat(16)}\r\n`;
  expect(await until(fine.send(get(invented)), /ok$/)).toMatch(/^HTTP\/1\.1 200 /);
});
