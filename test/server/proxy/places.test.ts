// Where a proxy can stand: HTTP/2 and TLS on its front, TLS at its back, Unix sockets on both sides; and how
// it leaves.

import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { createServer as createTls } from 'node:https';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { createProxy } from '../../../server/index.ts';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { makeTestCertificate } from '../../support/tls.ts';
import { listening } from '../listening.ts';
import { answering, get, startSite, untilEnd } from './set-up.ts';

const folder = folderOfTests();

test('HTTP/2 and TLS towards the client: content, cookies, 103, trailers (RFC 9113 8)', async () => {
  const { key, cert } = await makeTestCertificate();
  await using site = await startSite(
    answering(
      'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n' +
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: X-Hop\r\nX-Hop: 1\r\n' +
        'Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n',
    ),
    { tls: { key, cert } },
  );
  const session = connectHttp2(`https://localhost:${site.port}`, { ca: cert });
  const fields = { cookie: ['a=b', 'c=d'], te: 'trailers' };
  const stream = session.request({ ':path': '/x', ':method': 'POST', ...fields });
  const early: unknown[] = [];
  const trailers: unknown[] = [];
  stream.on('headers', (headers) => early.push([headers[':status'], headers.link]));
  stream.on('trailers', (headers) => trailers.push(headers['x-sum']));
  stream.end('hello');
  const [headers] = await once(stream, 'response');
  const body = await text(stream);
  session.close();
  expect(early).toEqual([[103, '</a>; rel=preload']]);
  expect(headers).toMatchObject({ ':status': 200, 'set-cookie': ['a=1', 'b=2'] });
  expect(Object.keys(headers)).not.toContain('x-hop');
  expect(body).toBe('abc');
  expect(trailers).toEqual(['1']);
  expect(site.received()).toMatch(/^POST \/x HTTP\/1\.1\r\n/);
  expect(site.received()).toContain(`\r\nHost: localhost:${site.port}\r\n`);
  expect(site.received()).toContain('\r\ncookie: a=b; c=d\r\n');
  expect(site.received()).toContain('\r\nX-Forwarded-Proto: https\r\n');
  expect(site.received()).toContain('\r\nTE: trailers\r\n');
  expect(site.received()).toContain('\r\nTransfer-Encoding: chunked\r\n');
});

test('an upstream over TLS is verified by its own name, whatever Host says (RFC 9110 4.3.4)', async () => {
  const { key, cert } = await makeTestCertificate();
  const names: unknown[] = [];
  const server = createTls({ key, cert }, (req, res) => {
    names.push((req.socket as unknown as { servername: unknown }).servername);
    res.end(req.headers.host);
  });
  const upstream = `https://localhost:${await listening(server)}`;
  await using site = await startSite({}, { upstream, ca: cert });
  const lines = 'Connection: close\r\n';
  const asked = `GET / HTTP/1.1\r\nHost: other.example\r\n${lines}\r\n`;
  expect(await untilEnd(site.send(asked))).toMatch(/\r\n\r\n[\s\S]*other\.example/);
  expect(names).toEqual(['localhost']);

  await using strict = await startSite({}, { upstream });
  const answer = await untilEnd(strict.send(get('/', lines)));
  expect(answer).toMatch(/^HTTP\/1\.1 502 [\s\S]*has no valid certificate\.\n$/);
});

test('Unix sockets on both sides', async () => {
  await using server = createServer((req, res) =>
    res.end(`${req.headers.host} ${req.headers['x-forwarded-for']}`),
  ).listen(`${folder}/up`);
  await once(server, 'listening');
  await using proxy = createProxy({
    upstream: `unix:${folder}/up`,
    changeOrigin: true,
    ...withConstants({ closeTimeoutMs: 60_000 }),
  });
  const front = await proxy.listen({ host: `unix:${folder}/front` });
  expect(front).toEqual({ url: `unix:${folder}/front`, port: 0, host: '' });
  const asked = [1, 2].map(async () => {
    const req = request({ socketPath: `${folder}/front`, headers: { host: 'a' }, agent: false });
    const [res] = await once(req.end(), 'response');
    let body = '';
    for await (const chunk of res) body += chunk;
    return body;
  });
  expect(await Promise.all(asked)).toEqual(['localhost undefined', 'localhost undefined']);
  // close() reaches every connection, though none has an address.
  const kept = [1, 2].map(() => connect(`${folder}/front`));
  for (const socket of kept) {
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
  }
  await proxy.close();
});
