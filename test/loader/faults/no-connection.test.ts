// A server that cannot be reached, and one whose certificate is not to be trusted.

import { createServer as createSecureServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { createLoader, loadPage } from '../../../loader/index.ts';
import type { Protocol } from '../../../loader/page-load.ts';
import { withConstants } from '../../../options/options.ts';
import { listening } from '../../server/listening.ts';
import { expectOwnBytes, serverOf } from '../../support/image-page.ts';
import { loadFrom, quick } from '../../support/quick-load.ts';
import { closedPort, response, startRawServer } from '../../support/raw-server.ts';
import { makeTestCertificate, type TestCertificateOptions } from '../../support/tls.ts';
import { expectRootError, page } from './one-fault.ts';

const all: Protocol[] = ['http1.0', 'persistent', 'pipelined', 'auto', 'h2'];

const elsewhere: TestCertificateOptions = { names: ['elsewhere.example'] };
/** Name, certificate, whether it is trusted but for its fault, and what is said of it. */
const badCertificates: [string, TestCertificateOptions, boolean, RegExp][] = [
  [
    'signed by itself',
    ...([{}, false] as const),
    /is signed by itself.*give it as an authority \(tls\.ca, --ca\)$/,
  ],
  [
    'signed by itself and for another name',
    ...([elsewhere, false] as const),
    /is signed by itself.*\(tls\.ca, --ca\); also, it is for elsewhere\.example, not for 127\.0\.0\.1$/,
  ],
  [
    'expired',
    ...([{ from: -10, until: -1 }, true] as const),
    /expired on \d{4}-\d\d-\d\d: the server needs a new one$/,
  ],
  [
    'not valid yet',
    ...([{ from: 0.5 }, true] as const),
    /not valid before \d{4}-\d\d-\d\d: check the clock of this machine, which says \d{4}-\d\d-\d\d$/,
  ],
  [
    'for another name',
    ...([elsewhere, true] as const),
    /is for elsewhere\.example, not for 127\.0\.0\.1: check the URL, or the server$/,
  ],
  [
    'of an authority nobody knows',
    ...([{ authority: "Nobody's Authority" }, false] as const),
    /comes from "Nobody's Authority", which is not known: give the certificate of that authority \(tls\.ca, --ca\)$/,
  ],
];

describe.each(all)('%s', (protocol) => {
  it('a port on which nothing listens: connection-refused, naming host and port', async () => {
    const port = await closedPort();
    const load = await loadPage(`http://127.0.0.1:${port}/`, { ...quick, protocol });
    const root = expectRootError(load, 'connection-refused', new RegExp(`127\\.0\\.0\\.1:${port}`));
    expect(root.status).toBeNull();
    expect(load.timing.completeMs).toBeNull();
    expect(load.resources.length).toBe(1);
  });

  it('a name that has no address: name-not-resolved, naming it (RFC 6761 6.4: .invalid never has one)', async () => {
    const load = await loadPage('http://no-such-host.invalid/', { ...quick, protocol });
    expectRootError(load, 'name-not-resolved', /no-such-host\.invalid/);
  });

  it('an address no route leads to: connection-failed, naming it (RFC 919 7: a broadcast address has no TCP)', async () => {
    const load = await loadPage('http://255.255.255.255:9/', { ...quick, protocol });
    expectRootError(load, 'connection-failed', /255\.255\.255\.255/);
  });

  it('a TLS handshake that is never answered: connect-timeout, saying how long', async () => {
    await using server = await startRawServer({});
    const url = `https://127.0.0.1:${server.port}/`;
    const load = await loadPage(url, {
      ...quick,
      ...withConstants({ timeouts: { connectMs: 120 } }),
      protocol,
    });
    expectRootError(load, 'connect-timeout', /127\.0\.0\.1.* 120 ms/);
    await Promise.all(server.connections.map(({ closed }) => closed)); // given up, not left behind
  });

  it('a server that speaks plain HTTP where TLS is asked: tls-failed', async () => {
    await using server = await startRawServer({
      onConnection(connection) {
        connection.write(response('this is not TLS'));
      },
    });
    const load = await loadPage(`https://127.0.0.1:${server.port}/`, { ...quick, protocol });
    expectRootError(load, 'tls-failed', new RegExp(`127\\.0\\.0\\.1:${server.port}`));
  });

  it.each(badCertificates)(
    'a certificate %s: tls-failed, no request sent (RFC 9110 4.3.4)',
    async (_name, fault, isTrusted, says) => {
      const made = await makeTestCertificate([], fault);
      await using server = await startRawServer({}, made);
      const tls = isTrusted ? { ca: made.cert } : {};
      const load = await loadPage(server.origin, { ...quick, protocol, tls });
      expectRootError(load, 'tls-failed', says);
      expect(load.resources[0]?.error?.message).toContain(`127.0.0.1:${server.port}`);
      expect(server.requests).toEqual([]);
    },
  );
});

it('without verification, which must be asked for, an untrusted certificate is taken', async () => {
  const made = await makeTestCertificate([], { from: -10, until: -1 });
  await using server = await serverOf(page, made);
  const load = await loadPage(server.origin, { ...quick, tls: { verify: false } });
  expectOwnBytes(load, page);
});

it('a server of TLS 1.1: tls-failed, saying that it is too old, and no authority is asked for (RFC 8996)', async () => {
  const made = await makeTestCertificate();
  const old = {
    minVersion: 'TLSv1.1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  } as const;
  await using server = await startRawServer({}, { ...made, ...old });
  const load = await loadPage(server.origin, { ...quick, tls: { ca: made.cert } });
  expectRootError(
    load,
    'tls-failed',
    /speaks no TLS of version 1\.2 or later: have the server updated/,
  );
});

it.each([
  ['persistent', 'h2', /offered \(ALPN: http\/1\.1\): use protocol h2 or auto$/],
  ['auto', 'acme-tls/1', /offered \(ALPN: h2, http\/1\.1\)/],
  ['h2', 'acme-tls/1', /offered \(ALPN: h2, http\/1\.1\)/],
  ['h2', 'http/1.1', /h2.*protocol/],
] as const)(
  '%s, and a server that speaks %s only: protocol-unavailable (RFC 7301 3.2)',
  async (protocol, theirs, says) => {
    const made = await makeTestCertificate();
    const server = createSecureServer({ ...made, ALPNProtocols: [theirs] });
    server.on('tlsClientError', (_error, socket) => socket.destroy());
    const port = await listening(server);
    const tls = { ca: made.cert };
    const load = await loadPage(`https://127.0.0.1:${port}/`, { ...quick, protocol, tls });
    expectRootError(load, 'protocol-unavailable', says);
  },
);

it('what a certificate says of itself harms no terminal, and is no longer than a line or two', async () => {
  const names = Array.from({ length: 300 }, (_, index) => `a${index}.example`);
  const made = await makeTestCertificate([], { names });
  await using server = await startRawServer({}, made);
  const load = await loadPage(server.origin, { ...quick, tls: { ca: made.cert } });
  const root = expectRootError(
    load,
    'tls-failed',
    /is for a0\.example, a1\.example, a2\.example and 297 more, not for/,
  );
  expect(root.error?.message).not.toContain('\x1b');
});

it('an unreachable origin of one image costs that image only', async () => {
  const port = await closedPort();
  const { load } = await loadFrom({ protocol: 'pipelined' }, ({ path }, connection) => {
    const html = `<img src="http://127.0.0.1:${port}/far.gif">${page.html}`;
    if (path === '/') connection.write(response(html, { 'Content-Type': 'text/html' }));
    else connection.write(page.answer(path));
  });
  const failed = load.resources.filter(({ error }) => error !== null);
  expect(failed.map(({ url, error }) => [new URL(url).pathname, error?.code])).toEqual([
    ['/far.gif', 'connection-refused'],
  ]);
  expect(load.resources.length).toBe(page.images.length + 2);
});

it('a connection refused to the second page of a kept loader is an error of that page (RFC 9110 4.3.3)', async () => {
  await using loader = createLoader({ ...quick, protocol: 'persistent' });
  const server = await serverOf(page);
  expectOwnBytes(await loader.load(server.origin), page);
  await server[Symbol.asyncDispose]();
  expectRootError(await loader.load(server.origin), 'connection-refused', /127\.0\.0\.1/);
});
