// Fields are bytes (RFC 9110 5.5: obs-text): `Location: /café` and `filename="été.pdf"` are sent in UTF-8 or Latin-1 by
// many sites. In each of the ways in which node:http sends a header they go on as they came.

import { connect, constants } from 'node:http2';
import { describe, expect, test } from 'vitest';
import type { RawConnection } from '../../support/raw-server.ts';
import { eventually, startSite, until, untilEnd } from './set-up.ts';

const utf8 = Buffer.from('café, été.pdf').toString('latin1');
const everyByte = String.fromCharCode(...Array.from({ length: 128 }, (_, at) => 128 + at));
const value = `${utf8} ${everyByte}`;
const fields = ['Location', 'Content-Disposition', 'Set-Cookie', 'X-Field']
  .map((name) => `${name}: ${value}\r\n`)
  .join('');
const asked = `Cookie: ${value}\r\nX-Field: ${value}\r\n`;

const bytes = (text: string) => Buffer.from(text, 'latin1');

/** As the site sends it, and how the client's copy ends. */
const responses: [name: string, method: string, response: string, end: RegExp][] = [
  ['with a length', 'GET', `200 OK\r\n${fields}Content-Length: 2\r\n\r\nok`, /ok$/],
  [
    'in chunks, with trailers',
    'GET',
    `200 OK\r\n${fields}Trailer: X-End\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-End: ${value}\r\n\r\n`,
    /\r\n0\r\n[\s\S]*\r\n\r\n$/,
  ],
  ['a redirect', 'GET', `302 Found\r\n${fields}Content-Length: 0\r\n\r\n`, /\n\r\n$/],
  ['204', 'GET', `204 No Content\r\n${fields}\r\n`, /\n\r\n$/],
  ['304', 'GET', `304 Not Modified\r\n${fields}\r\n`, /\n\r\n$/],
  ['HEAD', 'HEAD', `200 OK\r\n${fields}Content-Length: 2\r\n\r\n`, /\n\r\n$/],
];
const interim = `HTTP/1.1 103 Early Hints\r\nLink: </${value}>; rel=preload\r\n\r\n`;

const posted = `POST / HTTP/1.1\r\nHost: a\r\n${asked}`;
const expecting = 'Expect: 100-continue\r\n';
const ofRequest: [name: string, head: string, content: string, trailer: string][] = [
  ['GET', `GET / HTTP/1.1\r\nHost: a\r\n${asked}\r\n`, '', ''],
  ['POST with a length', `${posted}Content-Length: 2\r\n\r\n`, 'ok', ''],
  ['POST that expects 100', `${posted}${expecting}Content-Length: 2\r\n\r\n`, 'ok', ''],
  [
    'POST in chunks, with trailers',
    `${posted}Trailer: X-End\r\nTransfer-Encoding: chunked\r\n\r\n`,
    `2\r\nok\r\n0\r\nX-End: ${value}\r\n\r\n`,
    `X-End: ${value}`,
  ],
];

const upgrade =
  'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA==\r\n';

const answering = (text: string, isWhole: () => boolean = () => true) => {
  let hasAnswered = false;
  return {
    onRequest: (_request: unknown, connection: RawConnection) => {
      const look = () => {
        if (hasAnswered || !isWhole()) return;
        hasAnswered = true;
        connection.write(bytes(text));
      };
      connection.socket.on('data', look);
      look();
    },
  };
};

/** Lines of a header or trailer section, in order of their text: the order of names is another matter. */
const linesOf = (text: string, names: RegExp): string[] =>
  text
    .split('\r\n')
    .filter((line) => names.test(line))
    .sort();
const ours = /^(?:Location|Content-Disposition|Set-Cookie|Cookie|X-Field|X-End|Link): /;

describe('to the client', () => {
  test.each(responses)('%s', async (_name, method, response, end) => {
    await using site = await startSite(answering(`HTTP/1.1 ${response}`));
    const client = site.send(`${method} / HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(linesOf(await until(client, end), ours)).toEqual(linesOf(response, ours));
  });

  test('a header whose content breaks off in the same segment', async () => {
    const response = `200 OK\r\n${fields}Transfer-Encoding: chunked\r\n\r\nno chunk`;
    await using site = await startSite(answering(`HTTP/1.1 ${response}`));
    const text = await untilEnd(site.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
    expect(linesOf(text, ours)).toEqual(linesOf(fields, ours));
  });

  test('a 103, and the reason phrase', async () => {
    const response = `${interim}HTTP/1.1 200 ${utf8}\r\n${fields}Date: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Length: 2\r\n\r\nok`;
    await using site = await startSite(answering(response));
    const text = await until(site.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n'), /ok$/);
    expect(text).toBe(response);
  });

  test('a websocket that is opened, and one that is refused', async () => {
    for (const status of ['101 Switching Protocols', '403 Forbidden']) {
      const tail = status.startsWith('1')
        ? 'Connection: Upgrade\r\nUpgrade: websocket\r\n'
        : 'Content-Length: 2\r\n';
      const response = `HTTP/1.1 ${status}\r\n${fields}${tail}\r\nok`;
      await using site = await startSite(answering(response));
      const text = await until(site.send(`${upgrade}${asked}\r\n`), /ok$/);
      expect(linesOf(text, ours)).toEqual(linesOf(fields, ours));
      expect(linesOf(site.received(), ours)).toEqual(linesOf(asked, ours));
    }
  });

  test('two pipelined responses, of which the second waits for its turn', async () => {
    const waiting: RawConnection[] = [];
    const response = `HTTP/1.1 200 OK\r\n${fields}Content-Length: 2\r\n\r\nok`;
    await using site = await startSite({
      onRequest: ({ path }, connection) => {
        if (path === '/1') waiting.push(connection);
        else connection.write(bytes(response));
      },
    });
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const client = site.send(get('/1') + get('/2'));
    await eventually(() => site.proxy.stats().upstreamConnections === 2 && waiting.length === 1);
    waiting[0]?.write(bytes(response));
    const text = await until(client, /\nok[\s\S]*\nok$/);
    expect(linesOf(text, ours)).toEqual(linesOf(fields + fields, ours));
  });
});

describe('to the site', () => {
  test.each(ofRequest)('%s', async (_name, head, content, trailer) => {
    const isWhole = () => site.received().endsWith(content === '' ? '\r\n\r\n' : content);
    const site = await startSite(
      answering('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', () => isWhole()),
    );
    await using _site = site;
    await until(site.send(head + content), /ok$/);
    expect(linesOf(site.received(), ours)).toEqual(linesOf(`${asked}${trailer}`, ours));
  });
});

test('over HTTP/2, both ways', async () => {
  const response = `HTTP/1.1 200 OK\r\n${fields}Trailer: X-End\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-End: ${value}\r\n\r\n`;
  await using site = await startSite(answering(interim + response));
  const session = connect(`http://127.0.0.1:${site.port}`);
  const own = { cookie: value, 'x-field': value };
  const stream = session.request({ ':method': 'POST', ':authority': 'a', ...own });
  stream.end('ok');
  const seen: Record<string, unknown> = {};
  stream.on('headers', (headers) => Object.assign(seen, { link: headers.link }));
  stream.on('response', (headers) => Object.assign(seen, { field: headers['x-field'] }));
  stream.on('trailers', (headers) => Object.assign(seen, { end: headers['x-end'] }));
  stream.resume();
  await new Promise((resolve) => stream.once('close', resolve));
  expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
  session.close();
  expect(seen).toEqual({ link: `</${value}>; rel=preload`, field: value, end: value });
  const lines = linesOf(site.received(), /^(?:cookie|x-field): /);
  expect(lines).toEqual([`cookie: ${value}`, `x-field: ${value}`]);
});
