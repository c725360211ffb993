// Requests that two servers could read in two ways: 400, the connection closed, and not one byte to the
// upstream. Every case is raw bytes; the upstream records all it gets. Host: ../listen/host.test.ts; more of Content-Length
// and Transfer-Encoding: framings.ts, under every method.

import { describe, expect, it, test } from 'vitest';
import { startSite, until, untilEnd } from './set-up.ts';

const host = 'Host: a\r\n';
const get = (lines: string, target = '/') => `GET ${target} HTTP/1.1\r\n${lines}\r\n`;
const post = (lines: string, body = '0\r\n\r\n') => `POST / HTTP/1.1\r\n${host}${lines}\r\n${body}`;
const te = (value: string) => post(`Transfer-Encoding:${value}\r\n`);
const length = (value: string) => post(`Content-Length: ${value}\r\n`, 'abcde');

const refused: Record<string, Record<string, string>> = {
  'Content-Length (RFC 9112 6.3)': {
    '-5': length('-5'),
    '5.0': length('5.0'),
    'beyond 64 bits': length('99999999999999999999'),
  },
  'Transfer-Encoding (RFC 9112 6.1)': {
    identity: te(' identity'),
    'with a parameter': te(' chunked;x=1'),
    'a tab behind': te(' chunked\t'),
    'twice, the second identity': te(' chunked\r\nTransfer-Encoding: identity'),
    'on a line of its own': post('Transfer-Encoding:\r\n chunked\r\n'),
  },
  'line ends and line folds (RFC 9112 2.2, 5.2)': {
    'obs-fold': get(`${host}X: a\r\n b\r\n`),
    'obs-fold in the first field': get(` X: a\r\n${host}`),
    'bare LF everywhere': 'GET / HTTP/1.1\nHost: a\n\n',
    'bare LF behind one field': get('Host: a\nX: b\r\n'),
    'bare LF at the end': 'GET / HTTP/1.1\r\nHost: a\r\n\n',
    'bare CR in a value': get(`${host}X: a\rb\r\n`),
    'bare CR as a line end': get(`${host}X: a\rY: b\r\n`),
  },
  'field names and values (RFC 9112 5.1, RFC 9110 5.5)': {
    'NUL in a value': get(`${host}X: a\0b\r\n`),
    'a control in a value': get(`${host}X: a\x01b\r\n`),
    'DEL in a value': get(`${host}X: a\x7fb\r\n`),
    'a space in a name': get(`${host}X Y: a\r\n`),
    'a parenthesis in a name': get(`${host}X(: a\r\n`),
    'an octet above 127 in a name': get(`${host}X\xe9: a\r\n`),
    'no name': get(`${host}: a\r\n`),
    'no colon': get(`${host}abc\r\n`),
  },
  'request line and target (RFC 9112 3)': {
    'a space in the target': get(host, '/a b'),
    'a tab in the target': get(host, '/a\tb'),
    'no target': 'GET HTTP/1.1\r\nHost: a\r\n\r\n',
    'a target without a slash': get(host, 'a'),
    'a fragment': get(host, '/a#b'),
    'an octet above 127': get(host, '/\xff'),
    'an authority that is not Host': get(host, 'http://b/'),
    'an authority that is not Host by its port': get(host, 'http://a:81/'),
    'userinfo in the authority': get(host, 'http://u@a/'),
    'another scheme': get(host, 'ftp://a/'),
    '* with GET': get(host, '*'),
    'a method nobody knows': `FOO / HTTP/1.1\r\n${host}\r\n`,
    'a method in lower case': `get / HTTP/1.1\r\n${host}\r\n`,
    'a method that is no token': `GE(T / HTTP/1.1\r\n${host}\r\n`,
    'HTTP/2.0': `GET / HTTP/2.0\r\n${host}\r\n`,
    'HTTP/0.9': `GET / HTTP/0.9\r\n${host}\r\n`,
    'HTTP/1.2': `GET / HTTP/1.2\r\n${host}\r\n`,
  },
};

for (const [about, cases] of Object.entries(refused)) {
  describe(`400, closed, and nothing goes on: ${about}`, () => {
    it.each(Object.entries(cases))('%s', async (_name, bytes) => {
      await using site = await startSite();
      const client = site.send(`${bytes}GET /behind HTTP/1.1\r\n${host}\r\n`);
      const answer = await untilEnd(client);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toMatch(/^connection: close\r$/im);
      expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      // One the parser refuses right behind the head may have made it connect.
      await Promise.all(site.upstream.connections.map(({ closed }) => closed));
      expect(site.received()).toBe('');
    });
  });
}

describe('chunks that are none, after the head went on (RFC 9112 7.1)', () => {
  it.each(
    Object.entries({
      'a size that is no number': 'zz\r\nabc\r\n0\r\n\r\n',
      'a size with 0x': '0x3\r\nabc\r\n0\r\n\r\n',
      'a size with a sign': '+3\r\nabc\r\n0\r\n\r\n',
      'a negative size': '-3\r\nabc\r\n0\r\n\r\n',
      'a size with a space before': ' 3\r\nabc\r\n0\r\n\r\n',
      'a size beyond 64 bits': '10000000000000003\r\nabc\r\n0\r\n\r\n',
      'bare LF behind the size': '3\nabc\r\n0\r\n\r\n',
      'bare CR behind the size': '3\rabc\r\n0\r\n\r\n',
      'bare LF in an extension': '3;a\nb\r\nabc\r\n0\r\n\r\n',
      'bare CR in an extension': '3;a\rb\r\nabc\r\n0\r\n\r\n',
      'bare LF behind the data': '3\r\nabc\n0\r\n\r\n',
      'data longer than its size': '3\r\nabcdef\r\n0\r\n\r\n',
      'bare LF behind the last chunk': '3\r\nabc\r\n0\n\r\n',
      'a folded trailer': '3\r\nabc\r\n0\r\nX: a\r\n b\r\n\r\n',
    }),
  )('%s: 400, and the connection to the upstream is destroyed', async (_name, body) => {
    const { promise: started, resolve: onStarted } = Promise.withResolvers<void>();
    await using site = await startSite({
      onRequest: (request, connection) => {
        if (request.path === '/') onStarted();
        else connection.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      },
    });
    const client = site.send(post('Transfer-Encoding: chunked\r\n', '5\r\nfirst\r\n'));
    await started;
    client.send(`${body}GET /behind HTTP/1.1\r\n${host}\r\n`);
    const answer = await untilEnd(client);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    await site.upstream.connections[0]?.closed;
    expect(site.upstream.requests).toHaveLength(1);
    // It never saw the end of the content either.
    expect(site.received()).not.toMatch(/0\r\n\r\n$/);
    const after = site.send(get(host, '/after'));
    expect(await until(after, /ok$/)).toMatch(/^HTTP\/1\.1 200 /);
    expect(site.upstream.connections).toHaveLength(2);
  });
});

test.each([198, 199, 2_100])(
  'a length behind %i fields counts, or the request is refused: none is dropped in silence',
  async (count) => {
    await using site = await startSite();
    const fields = `${host}${'a:\r\n'.repeat(count)}Content-Length: 32\r\n`;
    const smuggled = 'GET /smuggled HTTP/1.1\r\nX: yz\r\n\r\n';
    const client = site.send(`POST / HTTP/1.1\r\n${fields}\r\n${smuggled.slice(0, 32)}`);
    const passes = count < 199;
    const answer = await until(client, passes ? /ok$/ : /\n$/);
    expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${passes ? 200 : 431}`);
    expect(site.upstream.requests.map(({ path }) => path)).toEqual(passes ? ['/'] : []);
    expect(site.received().includes('\r\nContent-Length: 32\r\n')).toBe(passes);
  },
);

test('more than 200 trailers are refused: none is dropped in silence', async () => {
  await using site = await startSite();
  const fields = `${host}Transfer-Encoding: chunked\r\n`;
  const send = (trailers: number) =>
    site.send(`POST / HTTP/1.1\r\n${fields}\r\n1\r\na\r\n0\r\n${'a: b\r\n'.repeat(trailers)}\r\n`);
  expect(await until(send(200), /ok$|\n$/)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await until(send(300), /ok$|\n$/)).toMatch(/^HTTP\/1\.1 431 /);
  await site.upstream.connections[1]?.closed;
  expect(site.received().match(/0\r\n(a: b\r\n)+\r\n/g)).toHaveLength(1);
});

test('whitespace the grammar allows goes on as the one form there is (RFC 9112 3, 5)', async () => {
  await using site = await startSite();
  await until(site.send('GET  /a   HTTP/1.1\r\nHost:\ta \r\n\r\n'), /ok$/);
  expect(site.received()).toMatch(/^GET \/a HTTP\/1\.1\r\nHost: a\r\n/);
  await until(site.send(te('\tchunked')), /ok$/);
  expect(site.received()).toMatch(/\r\nTransfer-Encoding: chunked\r\n/);
});

test('the absolute form goes on as the origin form, * as * (RFC 9112 3.2)', async () => {
  await using site = await startSite();
  const odd = ['GET //b/c', 'GET /a%2f..;b|{}^`\\"'];
  const absolute = ['GET http://a/x?y', 'GET http://A', 'GET http://a?x'];
  for (const asked of [...absolute, 'OPTIONS *', 'OPTIONS http://a', ...odd]) {
    await until(site.send(`${asked} HTTP/1.1\r\n${host}\r\n`), /ok$/);
  }
  const paths = ['/x?y', '/', '/?x', '*', '*', ...odd.map((asked) => asked.slice(4))];
  expect(site.upstream.requests.map(({ path }) => path)).toEqual(paths);
});

test('Connection cannot take away Host or Content-Length (RFC 9110 7.6.1)', async () => {
  await using site = await startSite();
  const named = 'Connection: Host, Content-Length, X-Forwarded-For, X-A\r\nX-A: 1\r\n';
  await until(site.send(post(`${named}Content-Length: 3\r\n`, 'abc')), /ok$/);
  for (const line of ['Host: a', 'Content-Length: 3', 'X-Forwarded-For: 127.0.0.1']) {
    expect(site.received()).toContain(`\r\n${line}\r\n`);
  }
  expect(site.received()).not.toMatch(/X-A/);
});

test('Upgrade: h2c is no way around the checks: it goes no further (RFC 9110 7.8)', async () => {
  await using site = await startSite();
  const upgrade =
    'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n';
  expect(await until(site.send(get(host + upgrade)), /ok$/)).toMatch(/^HTTP\/1\.1 200 /);
  expect(site.received()).not.toMatch(/upgrade|h2c|HTTP2-Settings/i);
});

test('bytes on an idle upstream connection answer nobody (RFC 9112 9.2)', async () => {
  await using site = await startSite({
    onRequest: (request, connection) => {
      connection.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      if (request.path === '/first') {
        setImmediate(() => connection.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil'));
      }
    },
  });
  await until(site.send(get(host, '/first')), /ok$/);
  await site.upstream.connections[0]?.closed;
  expect(await until(site.send(get(host, '/second')), /\r\n\r\n..$/)).toMatch(/ok$/);
  expect(site.upstream.connections).toHaveLength(2);
});
