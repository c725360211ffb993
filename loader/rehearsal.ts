// A process that has just started runs everything for the first time: undici's parser, the decoder, the scanner, the
// planning of requests. On the first response of a page that costs as much as a round trip. So a small page is loaded
// from memory while the network has its turn: the same code, over a socket that answers by itself. Nothing of it is
// kept, and what goes wrong in it is nobody's business.

import { Duplex } from 'node:stream';
import { gzipSync } from 'node:zlib';
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

/** It takes as long as this; on a shorter wait it would be in the way. */
const worthwhileMs = 40;

/**
 * Loads a page from memory, where a round trip leaves time for it. Resolves when it is done; never rejects.
 * @returns whether there was time.
 */
export async function rehearse(): Promise<boolean> {
  // The real page sends its request first: the wait for the answer is the one to use, if there is one.
  const roundTripMs = await earlyRoundTrip();
  if (roundTripMs === null || roundTripMs < worthwhileMs) return false;
  await new Promise(setImmediate);
  // What goes wrong here happens again on the page itself, and is said there.
  await loadFromMemory().catch(() => {});
  return true;
}

/** The page of a rehearsal; a test sees that all of it comes. */
export async function loadFromMemory(): Promise<PageLoad> {
  await Promise.all([loadScanner(), loadClient()]);
  const options = resolveOptions({ protocol: 'pipelined', pipeline: { settleMs: 0 } });
  const transport = new SocketTransport(options, connectToMemory);
  const page = new Page(new URL('http://rehearsal.invalid/'), {
    ...{ options, transport: transport.beginPage(), cacheMode: 'default' },
    ...{ cookies: new Cookies(false), prefetcher: null, followRules: null, last: true },
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

/** Answers each request it is written, in their order. */
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
