// The error codes of HTTP/2 (RFC 9113 7), in RST_STREAM and in GOAWAY: each has its own sentence. HTTP_1_1_REQUIRED
// sends the client to HTTP/1.1, as browsers and curl go.

import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { createFetch, createLoader, loadPage } from '../../../loader/index.ts';
import { expectOwnBytes } from '../../support/image-page.ts';
import { quick } from '../../support/quick-load.ts';
import { makeTestCertificate } from '../../support/tls.ts';
import { faulty, page } from './one-fault.ts';

const certificate = await makeTestCertificate();
const options = { ...quick, tls: { ca: certificate.cert } };

const codes: [code: number, says: RegExp][] = [
  [0, /NO_ERROR, the server ended the stream/],
  [1, /PROTOCOL_ERROR, .*rules of HTTP\/2/],
  [2, /INTERNAL_ERROR, an error inside the server/],
  [3, /FLOW_CONTROL_ERROR, .*window/],
  [4, /SETTINGS_TIMEOUT, .*acknowledged/],
  [5, /STREAM_CLOSED, .*already closed/],
  [6, /FRAME_SIZE_ERROR, .*size/],
  [7, /REFUSED_STREAM, .*did not take/],
  [8, /CANCEL, .*gave this request up/],
  [9, /COMPRESSION_ERROR, .*decompressed/],
  [10, /CONNECT_ERROR, .*CONNECT/],
  [11, /ENHANCE_YOUR_CALM, .*fewer requests/],
  [12, /INADEQUATE_SECURITY, .*TLS/],
  [77, /code 77, .*not define/],
];

type Way = 'RST_STREAM' | 'GOAWAY';

function refuse(way: Way, code: number, stream: ServerHttp2Stream): void {
  if (way === 'RST_STREAM') stream.close(code);
  else stream.session?.goaway(code, stream.id ?? 0);
}

interface Site extends AsyncDisposable {
  url: string;
  /** Versions of the requests that were answered. */
  answered: string[];
  sessions: number;
}

/** The page over HTTP/1.1 and HTTP/2; over HTTP/2 `fault` may take the stream. */
async function site(fault: (stream: ServerHttp2Stream, path: string) => boolean): Promise<Site> {
  const server: Http2SecureServer = createSecureServer({ ...certificate, allowHTTP1: true });
  const sockets = new Set<{ destroy(): void }>();
  server.on('secureConnection', (socket) => sockets.add(socket));
  server.on('session', (session) => {
    site.sessions++;
    session.on('error', () => {});
  });
  server.on('request', (req, res) => {
    if (req.httpVersion === '2.0') {
      req.stream.on('error', () => {});
      if (fault(req.stream, req.url)) return;
    }
    site.answered.push(req.httpVersion);
    const { head, body } = split(page.answer(req.url));
    for (const [name, value] of head) res.setHeader(name, value);
    res.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const site: Site = {
    url: `https://127.0.0.1:${(server.address() as { port: number }).port}/`,
    answered: [],
    sessions: 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return site;
}

function split(answer: Buffer): { head: [string, string][]; body: Buffer } {
  const end = answer.indexOf('\r\n\r\n');
  const [, ...lines] = answer.toString('latin1', 0, end).split('\r\n');
  const head = lines.map((line) => line.split(': ') as [string, string]);
  return { head, body: answer.subarray(end + 4) };
}

describe.each(['RST_STREAM', 'GOAWAY'] as const)('%s', (way) => {
  const refusing = (code: number) =>
    site((stream) => {
      refuse(way, code, stream);
      return true;
    });

  it.each(codes)('with code %i says what it means', async (code, says) => {
    await using server = await refusing(code);
    const [row] = (await loadPage(server.url, options)).resources;
    // A GOAWAY without an error only ends the connection, behind the streams it takes.
    if (way === 'GOAWAY' && (code === 0 || code === 7)) expect(row?.error).not.toBeNull();
    else
      expect(row?.error).toMatchObject({
        code: 'connection-lost',
        message: expect.stringMatching(says),
      });
  });

  it('HTTP_1_1_REQUIRED: the page comes over HTTP/1.1, and so does the next', async () => {
    await using server = await refusing(13);
    await using loader = createLoader(options);
    for (const _visit of [1, 2]) expectOwnBytes(await loader.load(server.url), page);
    expect(new Set(server.answered)).toEqual(new Set(['1.1']));
    expect(server.sessions).toBe(1);
  });

  it('HTTP_1_1_REQUIRED for one image: it comes over HTTP/1.1', async () => {
    await using server = await site((stream, path) => {
      if (path !== faulty) return false;
      refuse(way, 13, stream);
      return true;
    });
    expectOwnBytes(await loadPage(server.url, options), page);
    expect(server.answered).toContain('1.1');
  });

  it('HTTP_1_1_REQUIRED for a POST: it was not processed, and goes over HTTP/1.1', async () => {
    await using server = await refusing(13);
    await using fetch = createFetch({ ...options, protocol: 'auto' });
    expect((await fetch(server.url, { method: 'POST', body: 'x' })).status).toBe(200);
    expect(server.answered).toEqual(['1.1']);
  });

  it('HTTP_1_1_REQUIRED where only HTTP/2 was asked for: an error that says so', async () => {
    await using server = await refusing(13);
    const load = await loadPage(server.url, { ...options, protocol: 'h2' });
    expect(load.resources[0]?.error).toMatchObject({
      code: 'protocol-unavailable',
      message: expect.stringContaining('HTTP/1.1'),
    });
  });
});
