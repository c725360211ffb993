// What the upstream is told about the client, and what createProxy takes and refuses.

import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { createProxy, type ProxyOptions } from '../../../server/index.ts';
import { checkProxyLimits } from '../../../server/proxy/upstream-limits.ts';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { startRawServer } from '../../support/raw-server.ts';
import { answerOk, startSite, until } from './set-up.ts';

const folder = folderOfTests();

const came =
  'X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For: 192.0.2.2\r\nX-Forwarded-Proto: https\r\n' +
  'X-Forwarded-Host: front\r\nForwarded: for=192.0.2.1;proto=https\r\n';
const ask = `GET / HTTP/1.1\r\nHost: a:81\r\n${came}\r\n`;

async function told(options: Partial<ProxyOptions>, bytes = ask): Promise<Record<string, string>> {
  await using site = await startSite(answerOk, options);
  await until(site.send(bytes), /ok$/);
  return site.upstream.requests[0]?.headers ?? {};
}

describe('X-Forwarded-* and Forwarded (RFC 7239)', () => {
  it.each([
    ['from loopback', {}],
    ['from a proxy that is trusted', { trustProxy: ['127.0.0.0/8'] }],
  ] as const)(
    '%s: the client stands behind those before, what they said stands',
    async (_, options) => {
      expect(await told(options)).toMatchObject({
        'x-forwarded-for': '192.0.2.1, 192.0.2.2, 127.0.0.1',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'front',
        forwarded: 'for=192.0.2.1;proto=https, for=127.0.0.1;proto=http;host="a:81"',
      });
    },
  );
});

test('who comes over a Unix socket is believed, and has no address to add', async () => {
  await using upstream = await startRawServer(answerOk);
  await using proxy = createProxy({ upstream: upstream.origin });
  const path = join(folder, 'proxy.sock');
  await proxy.listen({ host: `unix:${path}` });
  const client = connect(path);
  client.write(ask);
  await once(client, 'data');
  client.destroy();
  expect(upstream.requests[0]?.headers).toMatchObject({
    'x-forwarded-proto': 'https',
    forwarded: 'for=192.0.2.1;proto=https, for=unknown;proto=http;host="a:81"',
  });
});

test("Host is the client's, or the upstream's with changeOrigin (RFC 9110 7.2)", async () => {
  expect((await told({})).host).toBe('a:81');
  await using site = await startSite(answerOk, { changeOrigin: true });
  await until(site.send(ask), /ok$/);
  expect(site.upstream.requests[0]?.headers.host).toBe(`127.0.0.1:${site.upstream.port}`);
});

test('a wrong option is refused with its name, the rule and the value', () => {
  const upstream = 'http://127.0.0.1:1';
  const cases: [options: Record<string, unknown>, message: string][] = [
    [{}, 'upstream must be http://host:port, https://host:port or unix:/path, but is missing'],
    [{ upstream: 'ftp://a' }, 'not "ftp://a"'],
    [{ upstream: 'http://a/b' }, 'without a path'],
    [{ upstream: 'http://u:p@a' }, 'upstream must be'],
    [{ upstream: 'unix:relative' }, 'upstream must be'],
    [{ upstream, trustProxy: 'nobody' }, 'trustProxy must be false, a function, or addresses'],
    [{ upstream, handlers: [5] }, 'handlers[0] must be a function, not 5'],
    [{ upstream, responseTimeoutMs: 0 }, 'responseTimeoutMs must be a whole number from 10'],
    [{ upstream, maxCacheBytes: 5 }, 'option maxCacheBytes is unknown; there are upstream, '],
    [{ upstream, timeout: 5 }, 'option timeout is unknown; there are upstream, '],
  ];
  for (const [options, message] of cases) {
    const make = () => createProxy(options as unknown as ProxyOptions);
    expect(make).toThrow(message);
    expect(make).toThrow(expect.objectContaining({ name: 'ServerError', code: 'invalid-option' }));
  }
});

test('limits that belong together move together', () => {
  const slow = checkProxyLimits({ responseTimeoutMs: 120_000 });
  expect(slow.upstreamIdleTimeoutMs).toBe(120_000);
  expect(slow.idleTimeoutMs).toBeGreaterThan(slow.connectTimeoutMs + 240_000);
  const said = checkProxyLimits({
    responseTimeoutMs: 120_000,
    ...withConstants({ upstreamIdleTimeoutMs: 5000 }),
  });
  expect(said.upstreamIdleTimeoutMs).toBe(5000);
});
