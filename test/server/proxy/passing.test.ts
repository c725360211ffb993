// What goes through a proxy goes through as it came: heads, content, trailers, in both directions.

import { expect, test } from 'vitest';
import type { Handler } from '../../../server/index.ts';
import { response } from '../../support/raw-server.ts';
import {
  answering,
  eventually,
  get,
  startSite,
  until,
  untilEnd,
  withoutLoopName,
} from './set-up.ts';

test('end-to-end fields go on as they came, hop-by-hop fields do not (RFC 9110 7.6.1)', async () => {
  await using site = await startSite();
  const hop =
    'Connection: keep-alive, X-Hop\r\nKeep-Alive: timeout=5\r\nProxy-Connection: keep-alive\r\n' +
    'Proxy-Authorization: Basic eA==\r\nX-Hop: 1\r\nTE: gzip\r\n';
  const end = 'X-Two: 1\r\nX-Two: 2\r\nAccept-Encoding: br\r\nCookie: a=b\r\nX-Latin: \xe9\r\n';
  await until(site.send(get('/p?q=1', hop + end)), /ok$/);
  expect(withoutLoopName(site.received())).toBe(
    'GET /p?q=1 HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Proto: http\r\n' +
      `X-Forwarded-Host: a\r\n${end}CDN-Loop: *\r\nConnection: keep-alive\r\n\r\n`,
  );
});

test('fields of the response go on line by line: Link, Set-Cookie (RFC 9110 5.3, RFC 6265 3)', async () => {
  const sent = (inner: string, hop: string) =>
    `HTTP/1.1 299 Fine By Me\r\nLink: </a>; rel=preload\r\n${inner}Link: </b>; rel=next\r\n` +
    'Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n' +
    `${hop}Content-Length: 2\r\n\r\nok`;
  const hop = 'Connection: X-Hop\r\nKeep-Alive: timeout=9\r\nProxy-Authenticate: Basic\r\n';
  await using site = await startSite(answering(sent('X-Hop: 1\r\n', hop)));
  expect(await until(site.send(get()), /ok$/)).toBe(sent('', ''));
});

test("a handler runs before; its Link stands beside the upstream's and it sees the status", async () => {
  const seen: number[] = [];
  const theirs = 'Link: </b>; rel=next\r\nX-A: theirs\r\n';
  const handler: Handler = (req, res, next) => {
    if (req.url === '/ours') {
      res.statusCode = 503;
      return void res.end();
    }
    res.setHeader('Link', '</a>; rel=prefetch');
    res.setHeader('X-A', 'ours');
    res.once('finish', () => seen.push(res.statusCode));
    next();
  };
  const answers = answering(`HTTP/1.1 200 OK\r\n${theirs}Content-Length: 2\r\n\r\nok`);
  await using site = await startSite(answers, { handlers: [handler] });
  const answer = await until(site.send(get()), /ok$/);
  expect(answer).toContain(`\r\nLink: </a>; rel=prefetch\r\n${theirs}`);
  expect(seen).toEqual([200]);
  expect(await until(site.send(get('/ours')), /\r\n\r\n/)).toMatch(/^HTTP\/1\.1 503 /);
  expect(site.upstream.requests).toHaveLength(1);
});

test.each([
  ['HEAD keeps Content-Length', 'HEAD', '200 OK', 'Content-Length: 5', 'Content-Length: 5'],
  ['HEAD of chunks', 'HEAD', '200 OK', 'Transfer-Encoding: chunked', undefined],
  ['304 has no Content-Length', 'GET', '304 Not Modified', 'Content-Length: 5', undefined],
  ['204 has no Content-Length', 'GET', '204 No Content', 'Content-Length: 0', undefined],
])(
  'responses without content: %s (RFC 9110 6.4.1, 8.6)',
  async (_name, method, status, line, kept) => {
    await using site = await startSite(answering(`HTTP/1.1 ${status}\r\n${line}\r\n\r\n`));
    const client = site.send(`${method} / HTTP/1.1\r\nHost: a\r\n\r\n`);
    const answer = await until(client, /\r\n\r\n$/);
    expect(/content-length.*/i.exec(answer)?.[0]).toBe(kept);
    // Both connections go on.
    client.send(`${method} /2 HTTP/1.1\r\nHost: a\r\n\r\n`);
    await until(client, /\r\n\r\nHTTP[\s\S]*\r\n\r\n$/);
    expect(site.upstream.connections).toHaveLength(1);
  },
);

test('chunks of the response go on, with their trailers (RFC 9112 7.1.2)', async () => {
  await using site = await startSite(
    answering(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\nabc\r\n0\r\n' +
        'X-Sum: 1\r\nContent-Type: a/b\r\nX-Sum: 2\r\n\r\n',
    ),
  );
  const answer = await until(site.send(get()), /\r\n0\r\n[\s\S]*\r\n\r\n$/);
  expect(answer).toContain('\r\nTrailer: X-Sum\r\n');
  expect(answer).toMatch(/\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\nX-Sum: 2\r\n\r\n$/);
});

test('trailers of the request go on, those that say where it goes do not (RFC 9110 6.5.1)', async () => {
  await using site = await startSite({
    onRequest: (_request, connection) => {
      connection.socket.on('data', () => {
        if (/0\r\n[\s\S]*\r\n\r\n$/.test(site.received())) connection.write(response('ok'));
      });
    },
  });
  const client = site.send(
    'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n',
  );
  await eventually(() => site.upstream.requests.length === 1);
  client.send('3\r\nabc\r\n0\r\nX-Sum: 1\r\nHost: b\r\nX_Forwarded_For: b\r\n\r\n');
  await until(client, /ok$/);
  expect(site.received()).toMatch(/\r\nTrailer: X-Sum\r\n/);
  expect(site.received()).toMatch(/\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n$/);
});

test('a client of HTTP/1.0 gets no chunks and no 1xx (RFC 9112 6.1, RFC 9110 15.2)', async () => {
  await using site = await startSite(
    answering(
      'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n' +
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    ),
  );
  const answer = await untilEnd(site.send('GET / HTTP/1.0\r\n\r\n'));
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer).toMatch(/\r\n\r\nabc$/);
  expect(answer).not.toMatch(/transfer-encoding/i);
  expect(site.received()).toMatch(/^GET \/ HTTP\/1\.1\r\nHost: 127\.0\.0\.1:\d+\r\n/);
});
