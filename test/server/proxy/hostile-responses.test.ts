// What a site sends that node:http or node:http2 does not pass on, for clients of both kinds: none of it ends the
// process or the connection of a client who behaves, and no response is read as a part of another. The grammar of all
// of it is in test/fuzz/upstream-target.ts.

import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { expect, test } from 'vitest';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { servingPrefetchd } from '../../support/prefetchd-command.ts';
import { response, startRawServer } from '../../support/raw-server.ts';
import { readAnswer } from '../../support/strict-reader.ts';
import { RawClient } from '../raw-client.ts';
import { answering, eventually, get, startSite, untilEnd } from './set-up.ts';

const folder = folderOfTests();

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n';
const early = 'HTTP/1.1 103 Early Hints\r\n';
const twice = (line: string) => `${line}\r\n${line}\r\n`;
const with2 = (line: string) => ok.replace('\r\n', `\r\n${twice(line)}`);
const withoutContent = (status: number) =>
  `HTTP/1.1 ${status} x\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n0\r\n\r\n`;

/** The statuses of a request and of another behind it on the same connection; 'cut' ends a connection. */
async function askByHttp1(port: number, method = 'GET'): Promise<(number | 'cut')[]> {
  const client = new RawClient(port);
  const text = () => client.bytes.toString('latin1');
  const answered: (number | 'cut')[] = [];
  let at = 0;
  client.send(`${method} /case HTTP/1.1\r\nHost: a\r\n\r\n`);
  for (const verb of [method, 'GET']) {
    let isEnded = false;
    const read = () => readAnswer(text().slice(at), verb, { isEnded });
    while (!read() && !isEnded) {
      const more = once(client.socket, 'data').then(() => false);
      isEnded = await Promise.race([more, client.closed.then(() => true)]);
    }
    const answer = read();
    if (answer === undefined) return [...answered, 'cut'];
    at += answer.length;
    answered.push(...answer.statuses);
    if (verb === 'GET' && at !== text().length) throw new Error(`surplus in ${text()}`);
    if (answered.length > 0 && /\r\nconnection: close\r\n/i.test(text())) break;
    client.send('GET /own HTTP/1.1\r\nHost: a\r\n\r\n');
  }
  client.socket.destroy();
  return answered;
}

async function askByHttp2(session: ClientHttp2Session, path: string): Promise<number | 'cut'> {
  const stream = session.request({ ':path': path, te: 'trailers' });
  let status: number | undefined;
  stream.on('response', (fields) => {
    status = fields[':status'];
  });
  stream.on('error', () => {});
  stream.resume();
  await new Promise((resolve) => stream.once('close', resolve));
  return stream.rstCode === 0 && status !== undefined ? status : 'cut';
}

const toAnother =
  'HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: x\r\nContent-Length: 9\r\n\r\n';

/** Each with its statuses by HTTP/1.1, with that of the request behind it unless the connection is closed; by HTTP/2. */
const rows: [name: string, bytes: string, byHttp1: number[], byHttp2: number][] = [
  ['a control character in the reason', ok.replace('OK', 'a\x01b'), [200, 200], 200],
  ['no reason', ok.replace(' OK', ''), [200, 200], 200],
  ['a status below 100', ok.replace('200', '099'), [502], 502],
  ['a status above 599 (RFC 9110 15)', ok.replace('200', '999'), [999, 200], 502],
  ['two Date', with2('Date: Tue, 15 Nov 1994 08:12:31 GMT'), [200, 200], 200],
  ['HTTP2-Settings', with2('HTTP2-Settings: AAM'), [200, 200], 200],
  ['a 103 with two ETag', `${early}${twice('ETag: "a"')}\r\n${ok}`, [103, 200, 200], 200],
  ['a 103 with two Content-Type', `${early}${twice('Content-Type: a')}\r\n${ok}`, [103, 200, 200], 200],
  ['a 103 with two Location', `${early}${twice('Location: /')}\r\n${ok}`, [103, 200, 200], 200],
  ['a 103 with HTTP2-Settings', `${early}HTTP2-Settings: AAM\r\n\r\n${ok}`, [103, 200, 200], 200],
  ['a control character in the reason of a 103', `HTTP/1.1 103 \x01\r\n\r\n${ok}`, [103, 200, 200], 200],
  ['a trailer ETag twice', `${chunked}${twice('ETag: "a"')}\r\n`, [200, 200], 200],
  ['a trailer Date twice', `${chunked}${twice('Date: a')}\r\n`, [200, 200], 200],
  ['a trailer HTTP2-Settings', `${chunked}HTTP2-Settings: AAM\r\n\r\n`, [200, 200], 200],
  ['a 101 that nobody asked for (RFC 9110 15.2.2)', `HTTP/1.1 101 x\r\n\r\n${ok}`, [502], 502],
  ['a 101 to another protocol', toAnother, [502, 200], 502],
  ['a 1xx with a length (RFC 9110 8.6)', `HTTP/1.1 102 x\r\nContent-Length: 76\r\n\r\n${ok}`, [102, 200, 200], 200],
  ['a 204 in chunks with Trailer (RFC 9112 6.3)', withoutContent(204), [204, 200], 204],
  ['a 304 in chunks with Trailer', withoutContent(304), [304, 200], 304],
  ['a 101 in chunks with Trailer', withoutContent(101), [502], 502],
  ['a 204 with a length', 'HTTP/1.1 204 x\r\nContent-Length: 76\r\n\r\n', [204, 200], 204],
  ['a 205 with content (RFC 9110 15.3.6)', ok.replace('200 OK', '205 x'), [205, 200], 205],
]; // biome-ignore format: a table

test('the process goes on, and so do connections of clients who behave', async () => {
  let bytes = '';
  await using site = await startRawServer({
    onRequest({ path }, connection) {
      if (path === '/own') connection.write(response('own'));
      else connection.end(Buffer.from(bytes, 'latin1'));
    },
  });
  const args = ['proxy', '--upstream', site.origin, '--port', '0', '--admin-port', '0'];
  await using proxy = await servingPrefetchd(folder, args);
  const port = Number(new URL(proxy.url).port);
  const [found, expected]: [unknown[], unknown[]] = [[], []];
  const session = connectHttp2(proxy.url);
  let ended: unknown = null;
  for (const event of ['error', 'goaway', 'close']) {
    session.on(event, (why) => {
      ended ??= [event, String(why)];
    });
  }
  for (const [name, sent, byHttp1, byHttp2] of rows) {
    bytes = sent;
    const first = await askByHttp1(port);
    const second = [await askByHttp2(session, '/case'), await askByHttp2(session, '/own')];
    found.push([name, first, second, ended]);
    expected.push([name, byHttp1, [byHttp2, 200], null]);
    if (proxy.child.exitCode !== null) break;
  }
  session.destroy();
  expect(found).toEqual(expected);
  expect(proxy.child.exitCode).toBe(null);
}, 60_000);

/** Those of which node:http2 sends one by default. */
const single = [
  'X-Content-Type-Options', 'Content-Type', 'ETag', 'Expires', 'Date', 'Age', 'Last-Modified', 'Location', 'Retry-After',
  'Content-Language', 'Content-Location', 'Access-Control-Allow-Credentials', 'Access-Control-Max-Age',
]; // biome-ignore format: a list of names

test.each(single)(
  'a site that repeats %s is 200 over HTTP/2 as over HTTP/1.1, with each line (RFC 9110 5.3)',
  async (name) => {
    const fields = `${name}: a\r\nX-Between: 1\r\n${name}: b\r\n`;
    await using site = await startSite(answering(ok.replace('\r\n', `\r\n${fields}`)));
    const text = await untilEnd(site.send(get('/', 'Connection: close\r\n')));
    const answer = readAnswer(text, 'GET', { isEnded: true });
    const of = (all: readonly (readonly [string, string])[] = []) =>
      all.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
    expect([answer?.statuses, of(answer?.fields)]).toEqual([[200], ['a', 'b']]);
    const session = connectHttp2(`http://127.0.0.1:${site.port}`);
    const stream = session.request({ ':path': '/' });
    const [headers, , raw] = await once(stream, 'response');
    const pairs = (raw as string[]).map((key, at) => [key, raw[at + 1]] as const);
    expect([headers[':status'], of(pairs)]).toEqual([200, ['a', 'b']]);
    session.destroy();
  },
);

test('a header that cannot be sent ends with 502 and the connection, the status of its response left behind', async () => {
  // What a middleware that hooks writeHead does when it fails.
  await using site = await startSite(
    {
      onRequest: ({ path }, connection) =>
        connection.write(path === '/case' ? 'HTTP/1.1 304 Not Modified\r\n\r\n' : response('own')),
    },
    {
      handlers: [
        (req, res, next) => {
          const hooked = res as unknown as { writeHead(...args: unknown[]): unknown };
          const { writeHead } = hooked;
          hooked.writeHead = (...args) => {
            writeHead.apply(res, args);
            const failed = res as unknown as { _header: unknown };
            failed._header = null;
            throw new Error('no header');
          };
          if (req.url === '/own') hooked.writeHead = writeHead;
          next();
        },
      ],
    },
  );
  for (const method of ['GET', 'HEAD']) {
    const both = `GET /own HTTP/1.1\r\nHost: a\r\n\r\n${method} /case HTTP/1.1\r\nHost: a\r\n\r\n`;
    const text = await untilEnd(site.send(both));
    const first = readAnswer(text, 'GET', { isEnded: true });
    const last = text.slice(first?.length);
    expect([first?.statuses, first?.content]).toEqual([[200], 'own']);
    const { length } = last;
    expect(readAnswer(last, method, { isEnded: true })).toMatchObject({ statuses: [502], length });
    expect(last).toMatch(/\r\nConnection: close\r\n/);
  }
  await eventually(() => site.proxy.stats().openConnections === 0);
  expect(site.errors).toMatchObject([{ message: 'no header' }, { message: 'no header' }]);
});

test('what throws at the end of content cuts that response, and no other', async () => {
  const failing = new Error('no end');
  await using site = await startSite(answering(`${chunked}\r\n`), {
    handlers: [
      (req, res, next) => {
        if (req.url === '/case') {
          res.end = () => {
            throw failing;
          };
        }
        next();
      },
    ],
  });
  expect(await askByHttp1(site.port)).toEqual(['cut']);
  const session = connectHttp2(`http://127.0.0.1:${site.port}`);
  expect(await askByHttp2(session, '/case')).toBe('cut');
  expect(await askByHttp2(session, '/own')).toBe(200);
  session.destroy();
  expect(site.errors).toEqual([failing, failing]);
});

test('framing that a handler sets is none of a response that is passed on', async () => {
  await using site = await startSite(answering(`${chunked}\r\n`), {
    handlers: [
      (_req, res, next) => {
        res.setHeader('Content-Length', '1');
        res.setHeader('Trailer', 'X');
        next();
      },
    ],
  });
  const text = await untilEnd(site.send(get('/', 'Connection: close\r\n')));
  const answer = readAnswer(text, 'GET', { isEnded: true });
  expect(answer).toMatchObject({ statuses: [200], content: 'ok' });
});

test('a 304 that announces content leaves its connection: what may follow is nobody else’s', async () => {
  const announcing = 'HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n';
  await using site = await startSite({
    onRequest: ({ path }, connection) =>
      connection.write(path === '/case' ? announcing : response('own')),
  });
  expect(await askByHttp1(site.port)).toEqual([304, 200]);
  expect(site.upstream.requests.map(({ connection }) => connection)).toEqual([1, 2]);
});
