// What a TLS server says to a client that is not what it expects: no certificate where it requires one, in TLS 1.2
// inside and in TLS 1.3 behind the client's handshake (RFC 8446 4.4.2.4), and plain HTTP where it expects TLS.

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import type { SecureVersion } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { createFetch, loadPage } from '../../../loader/index.ts';
import { listening } from '../../server/listening.ts';
import { startNginx, whyNoNginx } from '../../support/nginx.ts';
import { quick } from '../../support/quick-load.ts';
import { answering } from '../../support/raw-server.ts';
import { makeTestCertificate } from '../../support/tls.ts';

const certificate = await makeTestCertificate();
const tls = { ca: certificate.cert };

/** @returns its port */
const tlsServer = (options: object) =>
  listening(createServer({ ...certificate, ...options }, (_req, res) => res.end('page')));

describe.each(['TLSv1.2', 'TLSv1.3'] as SecureVersion[])(
  'a required client certificate, %s',
  (version) => {
    it.each(['auto', 'persistent', 'pipelined', 'http1.0'] as const)(
      '%s: tls-failed, and what is wanted',
      async (protocol) => {
        const port = await tlsServer({
          ...{ requestCert: true, rejectUnauthorized: true, ca: certificate.cert },
          ...{ minVersion: version, maxVersion: version },
        });
        const load = await loadPage(`https://127.0.0.1:${port}/`, {
          ...quick,
          tls,
          protocol,
        });
        expect(load.resources[0]?.error).toMatchObject({
          code: 'tls-failed',
          message: expect.stringContaining('wants a certificate of the client'),
        });
      },
    );
  },
);

describe('plain HTTP to a port of TLS', () => {
  it('a server that answers by an alert of TLS: the error says to use https', async () => {
    const alert = Buffer.of(0x15, 3, 1, 0, 2, 2, 0x46);
    await using server = await answering((_request, connection) => connection.end(alert));
    const load = await loadPage(server.origin, quick);
    await using fetch = createFetch(quick);
    const failure = await fetch(server.origin).catch((error: Error) => error.cause);
    const says = `it speaks TLS: use ${server.origin.replace('http', 'https')}/`;
    const expected = { code: 'malformed-response', message: expect.stringContaining(says) };
    expect(load.resources[0]?.error).toMatchObject(expected);
    expect(failure).toMatchObject(expected);
  });

  it('node:https, which hangs up in silence: the page says what to try', async () => {
    const port = await tlsServer({});
    const load = await loadPage(`http://127.0.0.1:${port}/`, quick);
    expect(load.resources[0]?.error).toMatchObject({
      code: 'connection-lost',
      message: expect.stringContaining(`if it speaks TLS, use https://127.0.0.1:${port}/`),
    });
  });

  it.skipIf(whyNoNginx !== '')('nginx answers 400 itself, which is its status', async () => {
    await using nginx = await startNginx(({ port, folder }) => {
      for (const name of ['key', 'cert'] as const)
        writeFileSync(join(folder, name), certificate[name]);
      return `server { listen 127.0.0.1:${port} ssl; ssl_certificate ${folder}/cert; ssl_certificate_key ${folder}/key; }`;
    });
    const load = await loadPage(nginx.url, quick);
    expect(load.resources[0]).toMatchObject({ status: 400 });
  });
});
