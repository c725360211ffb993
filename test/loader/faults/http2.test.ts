// What an HTTP/2 server can do wrong: streams reset, connections told to go away, silence, and
// bytes that are no HTTP/2 at all. Prior knowledge over clear TCP (RFC 9113 3.3).

import { constants, type ServerHttp2Stream } from 'node:http2';
import { describe, expect, it } from 'vitest';
import type { LoaderErrorCode } from '../../../loader/errors.ts';
import { createLoader, type LoaderOptions, loadPage } from '../../../loader/index.ts';
import { withConstants } from '../../../options/options.ts';
import { type Http2Site, serving, startHttp2Site } from '../../support/http2-site.ts';
import { expectOwnBytes } from '../../support/image-page.ts';
import { quick } from '../../support/quick-load.ts';
import { response, startRawServer } from '../../support/raw-server.ts';
import { expectOnlyFaulty, expectRootError, faulty, page } from './one-fault.ts';

const options = { ...quick, protocol: 'h2' } as const;
const { NGHTTP2_REFUSED_STREAM, NGHTTP2_INTERNAL_ERROR } = constants;

const serve = serving(page);

function serverWithFault(
  at: string,
  fault: (stream: ServerHttp2Stream, time: number) => void,
): Promise<Http2Site> {
  return startHttp2Site((path, stream, { time }) => {
    if (path === at) fault(stream, time);
    else serve(path, stream);
  });
}

async function loadWithFault(given: LoaderOptions, fault: (stream: ServerHttp2Stream) => void) {
  await using server = await serverWithFault(faulty, fault);
  return { server, load: await loadPage(server.origin, { ...options, ...given }) };
}

it('a sound page arrives over one connection, each request a stream (RFC 9113 5)', async () => {
  await using server = await startHttp2Site(serve);
  const load = await loadPage(server.origin, options);
  expectOwnBytes(load, page);
  expect(load.resources.map(({ httpVersion }) => httpVersion)).toEqual(Array(7).fill('h2'));
  expect(server.sessions.length).toBe(1);
});

it('a server that takes one stream at a time gets one at a time (RFC 9113 5.1.2)', async () => {
  let open = 0;
  let most = 0;
  await using server = await startHttp2Site(
    (path, stream) => {
      most = Math.max(most, ++open);
      setImmediate(() => {
        open--;
        serve(path, stream);
      });
    },
    { settings: { maxConcurrentStreams: 1 } },
  );
  expectOwnBytes(await loadPage(server.origin, options), page);
  expect(most).toBe(1);
});

it('REFUSED_STREAM, once: nothing was done, it is asked again in silence (RFC 9113 8.7)', async () => {
  await using server = await startHttp2Site((path, stream, { time }) => {
    if (path !== '/' && time === 1) stream.close(NGHTTP2_REFUSED_STREAM);
    else serve(path, stream);
  });
  expectOwnBytes(await loadPage(server.origin, options), page);
  expect(server.asked.length).toBeLessThanOrEqual(14);
});

describe('a body of another length than content-length says (RFC 9113 8.1.1)', () => {
  it.each([
    ['shorter', 1000],
    ['longer', 3],
  ])('%s: an error on that image alone', async (_name, length) => {
    const { load } = await loadWithFault({}, (stream) => {
      stream.respond({ ':status': 200, 'content-length': length });
      stream.end('eleven byte');
    });
    const failed = load.resources.filter(({ error }) => error !== null);
    expect(failed.map(({ url }) => new URL(url).pathname)).toEqual([faulty]);
    const codes: LoaderErrorCode[] = ['length-mismatch', 'malformed-response', 'connection-lost'];
    expect(codes).toContain(failed[0]?.error?.code);
  });
});

it('a session that broke off over one stream is not used again: the next page is whole (RFC 9113 5.4.1)', async () => {
  let first = true;
  await using server = await serverWithFault(faulty, (stream) => {
    if (!first) {
      serve(faulty, stream);
      return;
    }
    first = false;
    stream.respond({ ':status': 200, 'content-length': 3 });
    stream.end('eleven byte');
  });
  await using loader = createLoader(options);
  await loader.load(server.origin);
  expectOwnBytes(await loader.load(server.origin), page);
});

it('GOAWAY on a kept connection between two pages: the second uses a new one (RFC 9113 6.8)', async () => {
  await using server = await startHttp2Site(serve);
  await using loader = createLoader(options);
  expectOwnBytes(await loader.load(server.origin), page);
  server.sessions[0]?.close();
  expectOwnBytes(await loader.load(server.origin), page);
  expect(server.sessions.length).toBe(2);
});

describe('a connection that ends', () => {
  it('once, in the middle of the images: the lost ones are asked again on a new one', async () => {
    await using server = await startHttp2Site((path, stream, { session }) => {
      if (session === 1 && path === faulty) stream.session?.destroy();
      else serve(path, stream);
    });
    expectOwnBytes(await loadPage(server.origin, options), page);
    expect(server.asked.length).toBeLessThanOrEqual(14);
  });

  it('before any answer, always: connection-lost on the page', async () => {
    await using server = await startHttp2Site((_path, stream) => stream.session?.destroy());
    expectRootError(await loadPage(server.origin, options), 'connection-lost', /closed|reset/);
    expect(server.asked.length).toBeLessThanOrEqual(2);
  });
});

describe('no HTTP/2 at all', () => {
  it.each([
    ['HTTP/1.1', response('hello')],
    ['noise', Buffer.from(Array.from({ length: 500 }, (_, index) => (index * 73) % 256))],
    ['text', Buffer.from('SSH-2.0-OpenSSH_9.2p1\r\n'.repeat(3))],
  ])('a server that speaks %s: an error that says HTTP/2 (RFC 9113 3.4)', async (_name, bytes) => {
    await using server = await startRawServer({
      onConnection: (connection) => void connection.write(bytes),
    });
    const load = await loadPage(server.origin, options);
    const root = load.resources[0];
    const codes = /^(connection-lost|malformed-response|protocol-unavailable)$/;
    expect(root?.error?.code).toMatch(codes);
    expect(root?.error?.message).toMatch(/HTTP\/2|h2/i);
    expect(server.connections.length).toBeLessThanOrEqual(2);
  });
});

/** What one stream does, which is an error of its image and not of the connection. */
type Fault = (stream: ServerHttp2Stream) => void;
type Row = [image: string, LoaderErrorCode, RegExp, LoaderOptions, Fault];
const of = (
  ...[image, code, says, fault, given = {}]: [string, LoaderErrorCode, RegExp, Fault, object?]
): Row => [image, code, says, given, fault];
const deadline = (name: 'responseMs' | 'pageMs') => ({
  timeouts: { ...quick.timeouts, [name]: 300 },
});
const ofOneStream: Row[] = [
  of('that is reset (RFC 9113 5.4.2)', 'connection-lost', /HTTP\/2|stream|reset/i, (stream) =>
    stream.close(NGHTTP2_INTERNAL_ERROR),
  ),
  of('never answered', 'response-timeout', /300 ms/, () => {}, deadline('responseMs')),
  of('left at the page’s deadline', 'page-timeout', /300 ms/, () => {}, deadline('pageMs')),
  of(
    ...(['that stops in its middle', 'too-slow', /200 ms/] as const),
    (stream) => {
      stream.respond({ ':status': 200 });
      stream.write('some');
    },
    withConstants({ timeouts: { minRateBytes: 10, minRateWindowMs: 200 } }),
  ),
  of(
    ...(['without end', 'body-too-large', /500000/] as const),
    (stream) => {
      stream.respond({ ':status': 200 });
      const block = Buffer.alloc(16_384);
      const pour = (): void => {
        while (!stream.destroyed && stream.write(block));
        if (!stream.destroyed) stream.once('drain', pour);
      };
      pour();
    },
    { limits: { maxResourceBytes: 500_000 } },
  ),
  of('behind 103 without end (RFC 9110 15.2)', 'too-many-interim-responses', /\b20\b/, (stream) => {
    const more = (): void => {
      if (stream.destroyed || stream.closed) return;
      stream.additionalHeaders({ ':status': 103 });
      setImmediate(more);
    };
    more();
  }),
  of(
    'with a header section over the limit (RFC 9113 10.5.1)',
    ...(['headers-too-large', /header section over/] as const),
    (stream) => {
      stream.respond({ ':status': 200, 'x-long': 'x'.repeat(20_000) });
      stream.end('x');
    },
    withConstants({ limits: { maxHeaderBytes: 8_192 } }),
  ),
];

describe('time and size', () => {
  it.each(ofOneStream)('one image %s: %s on it alone', async (_name, code, says, given, fault) => {
    const { load, server } = await loadWithFault(given, fault);
    expectOnlyFaulty(load, code, says);
    expect(server.sessions.length).toBe(1);
    expect(server.asked.filter((path) => path === faulty).length).toBeLessThanOrEqual(2);
  });

  it('103, then the answer: read over (RFC 8297)', async () => {
    await using server = await startHttp2Site((path, stream) => {
      stream.additionalHeaders({ ':status': 103, link: '</a.css>; rel=preload' });
      serve(path, stream);
    });
    expectOwnBytes(await loadPage(server.origin, options), page);
  });

  it('a signal that aborts rejects with its reason', async () => {
    const controller = new AbortController();
    await using server = await serverWithFault(faulty, () => controller.abort(new Error('enough')));
    const load = loadPage(server.origin, { ...options, signal: controller.signal });
    await expect(load).rejects.toThrow('enough');
  });
});
