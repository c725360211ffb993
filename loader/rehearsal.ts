// A new process runs all its code for the first time: undici's parser, the decoder, the scanner, request planning.
// On a page's first response this costs as much as a round trip. While that round trip is under way, a small page is
// therefore loaded from memory, by the same code over a socket that answers itself. Its result is discarded and its
// errors are ignored.

import { Duplex } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { KnownPages } from './page/known-pages.ts';
import { loadScanner } from './page/lazy-scanner.ts';
import { Page } from './page/page.ts';
import type { PageLoad } from './page-load.ts';
import { Cookies } from './request/cookies.ts';
import { resolveOptions } from './resolve-options.ts';
import type { Connect } from './transport/connect/connector.ts';
import { earlyRoundTrip } from './transport/connect/early-connection.ts';
import { loadClient } from './transport/connect/undici.ts';
import { SocketTransport } from './transport/socket-transport.ts';

const images = Array.from({ length: 24 }, (_, index) => `/${index}.gif`);
const html = `<!doctype html><html><head><meta charset="utf-8"><title>Rehearsal</title>
<link rel="stylesheet" href="/style.css"><script src="/script.js"></script></head><body>
${images.map((path) => `<p class="a"><a href="/x?a=1&amp;b=2"><img src="${path}" alt="x"></a> text &amp; more</p>`).join('\n')}
</body></html>`;
const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** Duration of a rehearsal; it would delay a response that arrives sooner. */
const worthwhileMs = 40;

/**
 * Loads a page from memory if the round trip is long enough. Resolves when done; never rejects.
 * @returns Whether there was time.
 */
export async function rehearse(): Promise<boolean> {
  // The rehearsal fills the wait for the response, so the page sends its request first.
  const roundTripMs = await earlyRoundTrip();
  if (roundTripMs === null || roundTripMs < worthwhileMs) return false;
  await new Promise(setImmediate);
  // The page itself would meet the same error and report it.
  await loadFromMemory().catch(() => {});
  return true;
}

/** The page load of the rehearsal; a test checks that it is complete. */
export async function loadFromMemory(): Promise<PageLoad> {
  await Promise.all([loadScanner(), loadClient()]);
  const options = resolveOptions({ protocol: 'pipelined', pipeline: { settleMs: 0 } });
  const transport = new SocketTransport(options, connectToMemory);
  const page = new Page(new URL('http://rehearsal.invalid/'), {
    ...{ options, transport: transport.beginPage(), cacheMode: 'default', known: new KnownPages() },
    ...{
      cookies: new Cookies(false),
      dictionaries: null,
      prefetcher: null,
      followRules: null,
      last: true,
    },
    ...{ startedAt: null, onProgress: undefined },
  });
  try {
    return await page.load(undefined);
  } finally {
    transport.close();
  }
}

const connectToMemory: Connect = (_origin, _alpn, times, callback) => {
  const socket = new AnsweringSocket();
  times.connectedAt = performance.now();
  queueMicrotask(() => callback(null, socket as never));
  return { abort: () => socket.destroy() };
};

/** Answers each request written to it, in order. */
class AnsweringSocket extends Duplex {
  readonly remoteAddress = '127.0.0.1';

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const answers =
      chunk
        .toString('latin1')
        .match(/^GET \S+/gm)
        ?.map(answerTo) ?? [];
    if (answers.length > 0) setImmediate(() => this.push(Buffer.concat(answers)));
    done();
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }

  override _read(): void {}
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  setTimeout(): this {
    return this;
  }
}

function answerTo(requestLine: string): Buffer {
  const isPage = requestLine === 'GET /';
  const body = isPage ? gzipSync(html) : gif;
  const type = isPage ? 'text/html; charset=utf-8\r\nContent-Encoding: gzip' : 'image/gif';
  const fields = `Date: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Type: ${type}`;
  const head = `HTTP/1.1 200 OK\r\n${fields}\r\nETag: "a"\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}
