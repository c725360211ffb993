// One Host, and a valid one, or 400 (RFC 9112 3.2), for everything that listens here.

import { describe, expect, it } from 'vitest';
import { createPrefetchd } from '../../../prefetchd/index.ts';
import { createService } from '../../../prefetchd/service/service.ts';
import { requestByHttp2 } from '../proxy/raw-http2.ts';
import { startSite } from '../proxy/set-up.ts';
import { RawClient } from '../raw-client.ts';
import { serveSite } from '../site.ts';

interface Listening extends AsyncDisposable {
  readonly port: number;
}

const servers: Readonly<Record<string, () => Promise<Listening>>> = {
  serve: () => serveSite({ a: 'a' }),
  proxy: () => startSite(),
  'prefetchd serve': async () => {
    const prefetchd = createPrefetchd();
    const service = createService(prefetchd);
    const { port } = await service.listen({ port: 0 });
    return {
      port: port ?? 0,
      async [Symbol.asyncDispose]() {
        await service.close();
        await prefetchd.close();
      },
    };
  },
};

const refused = {
  none: '',
  'two of one name': 'Host: localhost\r\nhost: localhost\r\n',
  two: 'Host: localhost\r\nHost: b\r\n',
  'an empty one': 'Host:\r\n',
  'a list': 'Host: localhost, b\r\n',
  userinfo: 'Host: u@localhost\r\n',
  'a path': 'Host: localhost/x\r\n',
  'a space in it': 'Host: local host\r\n',
  'a port that is none': 'Host: localhost:x\r\n',
};

const accepted = {
  'with an empty port (RFC 3986 3.2.3)': ['/a', 'localhost:'],
  'as in the target, but for an empty port': ['http://localhost/a', 'localhost:'],
};

describe.each(Object.entries(servers))('%s', (_name, start) => {
  it.each(Object.entries(accepted))('Host is %s: no 400', async (_case, [target, host]) => {
    await using server = await start();
    const client = new RawClient(server.port);
    client.send(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    await client.closed;
    expect(client.bytes.toString('latin1')).toMatch(/^HTTP\/1\.1 (?:200|404) /);
  });

  it.each(Object.entries(refused))('Host is %s: 400', async (_case, lines) => {
    await using server = await start();
    const client = new RawClient(server.port);
    client.send(`GET /a HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`);
    await client.closed;
    expect(client.bytes.toString('latin1')).toMatch(/^HTTP\/1\.1 400 /);
  });

  it.each(['http://evil.example/a', 'http://localhost:81/a', 'https://localhost@evil.example/a'])(
    'the target is %s and Host another: 400 (RFC 9112 3.2.2)',
    async (target) => {
      await using server = await start();
      const client = new RawClient(server.port);
      client.send(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      await client.closed;
      expect(client.bytes.toString('latin1')).toMatch(/^HTTP\/1\.1 400 /);
    },
  );

  it('the target has the authority of Host: it is answered', async () => {
    await using server = await start();
    const client = new RawClient(server.port);
    const lines = 'Host: localhost:80\r\nConnection: close\r\n';
    client.send(`GET HTTP://LOCALHOST:80/a HTTP/1.1\r\n${lines}\r\n`);
    await client.closed;
    expect(client.bytes.toString('latin1')).toMatch(/^HTTP\/1\.1 (?:200|404) /);
  });

  it.each(['/%E0%A4%A', '/%', '/%zz/a', '/dashboard/%E0%A4%A', '/v1/hints?url=%E0%A4%A&client=%'])(
    '%s, whose percent-encoding is broken, is no fault of the server (RFC 3986 2.1)',
    async (target) => {
      await using server = await start();
      const client = new RawClient(server.port);
      client.send(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      await client.closed;
      const text = client.bytes.toString('latin1');
      expect(text).toMatch(/^HTTP\/1\.1 (?:2|4)\d\d /);
      expect(text).not.toMatch(/\n\s+at |URIError/);
    },
  );

  it.each(['localhost', 'LOCALHOST:80', '127.0.0.1', '[::1]:8080'])(
    'Host is %s: it is answered',
    async (host) => {
      await using server = await start();
      const client = new RawClient(server.port);
      client.send(`GET /a HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      await client.closed;
      expect(client.bytes.toString('latin1')).toMatch(/^HTTP\/1\.1 (?:200|404) /);
    },
  );

  it('HTTP/1.0 has none, and is answered', async () => {
    await using server = await start();
    const client = new RawClient(server.port);
    client.send('GET /a HTTP/1.0\r\n\r\n');
    await client.closed;
    expect(client.bytes.toString('latin1')).not.toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe.each(Object.entries(servers).slice(0, 2))('%s, HTTP/2', (_name, start) => {
  const ask = (port: number, ...more: [string, string][]) =>
    requestByHttp2(port, [[':method', 'GET'], [':path', '/a'], [':scheme', 'http'], ...more]);

  it.each([
    [
      'two',
      [
        [':authority', 'a'],
        ['host', 'a'],
        ['host', 'a'],
      ],
    ],
    [
      'one that is not the authority',
      [
        [':authority', 'a'],
        ['host', 'b'],
      ],
    ],
    ['an authority with userinfo', [[':authority', 'u@a']]],
    ['none', []],
  ] as [string, [string, string][]][])(
    '%s: 400 or a reset (RFC 9113 8.3.1)',
    async (_case, fields) => {
      await using server = await start();
      expect([400, 'reset', 'goaway']).toContain(await ask(server.port, ...fields));
    },
  );

  it('one authority is answered', async () => {
    await using server = await start();
    expect(await ask(server.port, [':authority', 'a'])).toBe(200);
  });
});
