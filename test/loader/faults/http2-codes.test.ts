// The error codes of HTTP/2 (RFC 9113 7), in RST_STREAM and in GOAWAY: each has its own sentence. HTTP_1_1_REQUIRED
// sends the client to HTTP/1.1, as browsers and curl go.

import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFetch, createLoader, loadPage } from '../../../loader/index.ts';
import { listening } from '../../server/listening.ts';
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

/** The page over HTTP/1.1 and HTTP/2; over HTTP/2 `fault` may take the stream. */
async function site(fault: (stream: ServerHttp2Stream, path: string) => boolean) {
  const server = createSecureServer({ ...certificate, allowHTTP1: true });
  const sockets = new Set<{ destroy(): void }>();
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  server.on('secureConnection', (socket) => sockets.add(socket));
  /** And the versions of the requests that were answered. */
  const seen = { url: '', sessions: 0, answered: [] as string[] };
  server.on('session', (session) => {
    seen.sessions++;
    session.on('error', () => {});
  });
  server.on('request', (req, res) => {
    if (req.httpVersion === '2.0') {
      req.stream.on('error', () => {});
      if (fault(req.stream, req.url)) return;
    }
    seen.answered.push(req.httpVersion);
    const image = page.images.find(({ path }) => path === req.url);
    res.setHeader('Content-Type', image === undefined ? 'text/html' : 'image/gif');
    res.setHeader('X-For', req.url);
    res.end(image?.body ?? page.html);
  });
  seen.url = `https://127.0.0.1:${await listening(server)}/`;
  return seen;
}

describe.each(['RST_STREAM', 'GOAWAY'] as const)('%s', (way) => {
  const refusing = (code: number, isRefused = (_path: string) => true) =>
    site((stream, path) => {
      if (isRefused(path)) refuse(way, code, stream);
      return isRefused(path);
    });

  it.each(codes)('with code %i says what it means', async (code, says) => {
    const server = await refusing(code);
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
    const server = await refusing(13);
    await using loader = createLoader(options);
    for (const _visit of [1, 2]) expectOwnBytes(await loader.load(server.url), page);
    expect(new Set(server.answered)).toEqual(new Set(['1.1']));
    expect(server.sessions).toBe(1);
  });

  it('HTTP_1_1_REQUIRED for one image: it comes over HTTP/1.1', async () => {
    const server = await refusing(13, (path) => path === faulty);
    expectOwnBytes(await loadPage(server.url, options), page);
    expect(server.answered).toContain('1.1');
  });

  it('HTTP_1_1_REQUIRED for a POST: it was not processed, and goes over HTTP/1.1', async () => {
    const server = await refusing(13);
    await using fetch = createFetch({ ...options, protocol: 'auto' });
    expect((await fetch(server.url, { method: 'POST', body: 'x' })).status).toBe(200);
    expect(server.answered).toEqual(['1.1']);
  });

  it('HTTP_1_1_REQUIRED where only HTTP/2 was asked for: an error that says so', async () => {
    const server = await refusing(13);
    const load = await loadPage(server.url, { ...options, protocol: 'h2' });
    expect(load.resources[0]?.error).toMatchObject({
      code: 'protocol-unavailable',
      message: expect.stringContaining('HTTP/1.1'),
    });
  });
});
