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
  'a broken IPv6 literal': 'Host: [::1\r\n',
};

/** The response to one request, as text. */
async function answerOf(start: () => Promise<Listening>, request: string): Promise<string> {
  await using server = await start();
  const client = new RawClient(server.port);
  client.send(request);
  await client.closed;
  return client.bytes.toString('latin1');
}

const get = (target: string, lines: string) =>
  `GET ${target} HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`;

describe.each(Object.entries(servers))('%s', (_name, start) => {
  it.each([
    ['localhost', '/a'],
    ['LOCALHOST:80', '/a'],
    ['127.0.0.1', '/a'],
    ['[::1]:8080', '/a'],
    ['localhost:', '/a'], // an empty port (RFC 3986 3.2.3)
    ['localhost:', 'http://localhost/a'],
    ['localhost:80', 'HTTP://LOCALHOST:80/a'],
  ])('Host is %s and the target %s: it is answered', async (host, target) => {
    expect(await answerOf(start, get(target, `Host: ${host}\r\n`))).toMatch(
      /^HTTP\/1\.1 (?:200|404) /,
    );
  });

  it.each(Object.entries(refused))('Host is %s: 400', async (_case, lines) => {
    expect(await answerOf(start, get('/a', lines))).toMatch(/^HTTP\/1\.1 400 /);
  });

  it.each(['http://evil.example/a', 'http://localhost:81/a', 'https://localhost@evil.example/a'])(
    'the target is %s and Host another: 400 (RFC 9112 3.2.2)',
    async (target) => {
      expect(await answerOf(start, get(target, 'Host: localhost\r\n'))).toMatch(/^HTTP\/1\.1 400 /);
    },
  );

  it.each(['/%E0%A4%A', '/%', '/%zz/a', '/dashboard/%E0%A4%A', '/v1/hints?url=%E0%A4%A&client=%'])(
    '%s, whose percent-encoding is broken, is no fault of the server (RFC 3986 2.1)',
    async (target) => {
      const text = await answerOf(start, get(target, 'Host: localhost\r\n'));
      expect(text).toMatch(/^HTTP\/1\.1 (?:2|4)\d\d /);
      expect(text).not.toMatch(/\n\s+at |URIError/);
    },
  );

  it('HTTP/1.0 has none, and is answered', async () => {
    expect(await answerOf(start, 'GET /a HTTP/1.0\r\n\r\n')).not.toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe.each(Object.entries(servers).slice(0, 2))('%s, HTTP/2', (_name, start) => {
  const ask = (port: number, ...more: (readonly [string, string])[]) =>
    requestByHttp2(port, [[':method', 'GET'], [':path', '/a'], [':scheme', 'http'], ...more]);

  const [a, b] = [
    ['host', 'a'],
    ['host', 'b'],
  ] as const;
  const authority = (value: string) => [':authority', value] as const;
  it.each<[string, (readonly [string, string])[]]>([
    ['two', [authority('a'), a, a]],
    ['one that is not the authority', [authority('a'), b]],
    ['an authority with userinfo', [authority('u@a')]],
    ['none', []],
  ])('%s: 400 or a reset (RFC 9113 8.3.1)', async (_case, fields) => {
    await using server = await start();
    expect([400, 'reset', 'goaway']).toContain(await ask(server.port, ...fields));
  });

  it('one authority is answered', async () => {
    await using server = await start();
    expect(await ask(server.port, [':authority', 'a'])).toBe(200);
  });
});
