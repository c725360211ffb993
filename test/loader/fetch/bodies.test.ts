// Bodies of responses: as they come, with backpressure, decoded, bounded, and never silently cut.

import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { brotliIsSafe } from '../../../loader/response/content-coding.ts';
import { withConstants } from '../../../options/options.ts';
import { response } from '../../support/raw-server.ts';
import { served } from './cached-fetch.ts';
import { failure } from './failure.ts';

const tenMegabytes = Buffer.alloc(10_000_000, '0123456789');

const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('a Response', () => {
  it('has status, text, URL and fields as they came, every Set-Cookie of its own', async () => {
    const head = 'HTTP/1.1 418 I am a teapot\r\nX-A: 1\r\nx-a: 2\r\n';
    const cookies = 'Set-Cookie: a=1; Expires=Wed, 01 Jan 2031 00:00:00 GMT\r\nSet-Cookie: b=2\r\n';
    const { server, fetch } = await served(`${head}${cookies}Content-Length: 2\r\n\r\nhi`);
    const answer = await fetch(`${server.origin}/path#fragment`);
    expect(answer).toBeInstanceOf(Response);
    expect(answer).toMatchObject({
      status: 418,
      ok: false,
      statusText: 'I am a teapot',
      url: `${server.origin}/path`,
      redirected: false,
      type: 'basic',
    });
    expect(answer.headers.get('x-a')).toBe('1, 2');
    expect(answer.headers.getSetCookie()).toEqual([
      'a=1; Expires=Wed, 01 Jan 2031 00:00:00 GMT',
      'b=2',
    ]);
    const copy = answer.clone();
    expect(copy.url).toBe(answer.url);
    expect([await answer.text(), await copy.text()]).toEqual(['hi', 'hi']);
  });

  it.each([
    ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', 200],
    ['GET', 'HTTP/1.1 204 No Content\r\n\r\n', 204],
    ['GET', 'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n', 304],
    ['GET', 'HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n', 205],
  ])('%s answered by %j has no body, and the connection goes on', async (method, bytes, status) => {
    const { server, fetch } = await served(bytes, { connections: 1 });
    for (let round = 0; round < 2; round++) {
      const answer = await fetch(server.origin, { method });
      expect([answer.status, answer.body]).toEqual([status, null]);
    }
    expect(server.connections).toHaveLength(1);
  });

  it('1xx before it are passed over', async () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n';
    const bytes = Buffer.concat([Buffer.from(interim), response('final')]);
    const { server, fetch } = await served(bytes);
    const answer = await fetch(server.origin);
    expect([answer.status, await answer.text()]).toEqual([200, 'final']);
  });

  it.each([600, 999])('status %i is an error: no Response can have it', async (status) => {
    const { server, fetch } = await served(response('x', {}, `${status} Odd`));
    expect(await failure(fetch(server.origin))).toBe('malformed-response');
  });
});

describe('a body as it is read', () => {
  it('is there before it is whole', async () => {
    let more: () => void = () => {};
    const { server, fetch } = await served((_request, connection) => {
      connection.write(`${chunked}3\r\none\r\n`);
      more = () => connection.write('3\r\ntwo\r\n0\r\n\r\n');
    });
    const reader = (await fetch(server.origin)).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? '').toString()).toBe('one');
    more();
    expect(Buffer.from((await reader?.read())?.value ?? '').toString()).toBe('two');
    expect((await reader?.read())?.done).toBe(true);
  });

  it.each(['persistent', 'pipelined', 'http1.0'] as const)(
    '10 MB arrive whole over %s, four at a time',
    async (protocol) => {
      const { server, fetch } = await served(
        ({ headers }, connection) => {
          connection.write(response(tenMegabytes, { connection: headers.connection ?? '' }));
          if (headers.connection === 'close') connection.end();
        },
        { protocol },
      );
      const bodies = await Promise.all(
        Array.from({ length: 4 }, async () => (await fetch(server.origin)).arrayBuffer()),
      );
      for (const body of bodies) expect(tenMegabytes.equals(Buffer.from(body))).toBe(true);
    },
  );

  it('a reader that does not read holds the server back, and gets all of it later', async () => {
    const size = 64 * 1024 * 1024;
    let poured = 0;
    const { server, fetch } = await served(
      ({ path }, { socket }) => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
        const piece = Buffer.alloc(64 * 1024, 'x');
        let left = size;
        const pour = (): void => {
          while (left > 0) {
            left -= piece.length;
            if (path === '/held') poured += piece.length;
            if (socket.write(piece)) continue;
            socket.once('drain', pour);
            return;
          }
        };
        pour();
      },
      withConstants({ timeouts: { minRateWindowMs: 50 } }),
    );
    const readAll = async ({ body }: Response): Promise<number> => {
      let read = 0;
      for await (const chunk of body ?? []) read += chunk.byteLength;
      return read;
    };
    const held = await fetch(`${server.origin}/held`);
    // Its clock is another body, poured in the same way and read at once: held back is what has not moved while all
    // of that went by.
    for (let before = -1; before !== poured; ) {
      before = poured;
      expect(await readAll(await fetch(`${server.origin}/read`))).toBe(size);
    }
    expect(poured).toBeLessThan(size / 2);
    expect(await readAll(held)).toBe(size);
  });

  it('one that was cancelled frees its connection', async () => {
    const { server, fetch } = await served(
      ({ path }, connection) => {
        if (path === '/') connection.write(response('next'));
        else connection.pour(Buffer.from(`${chunked}4\r\npour\r\n`), 1);
      },
      { connections: 1 },
    );
    const endless = await fetch(`${server.origin}/endless`);
    await endless.body?.cancel();
    await server.connections[0]?.closed;
    expect(await (await fetch(server.origin)).text()).toBe('next');
  });

  it('one that nobody reads ends when the time of a response is over', async () => {
    const { server, fetch } = await served(
      (_request, connection) => connection.write(response(tenMegabytes)),
      withConstants({ timeouts: { resourceMs: 100 } }),
    );
    const answer = await fetch(server.origin);
    await server.connections[0]?.closed;
    expect(await failure(answer.text())).toBe('resource-timeout');
  });

  it('a short one that nobody reads leaves its connection to the next', async () => {
    const { server, fetch } = await served(response('short'), { connections: 1 });
    for (let round = 0; round < 3; round++) expect((await fetch(server.origin)).status).toBe(200);
    expect(server.connections).toHaveLength(1);
  });
});

describe('content codings', () => {
  const text = 'decoded '.repeat(20_000);
  const coders: Array<[string, (bytes: string) => Buffer]> = [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['zstd', zstdCompressSync],
    ...(brotliIsSafe ? ([['br', brotliCompressSync]] as [string, typeof gzipSync][]) : []),
  ];

  it.each(coders)('%s is taken off', async (coding, coder) => {
    const coded = response(coder(text), { 'Content-Encoding': coding });
    const { server, fetch } = await served(coded);
    const answer = await fetch(server.origin);
    expect(answer.headers.get('content-encoding')).toBe(coding);
    expect((await answer.text()) === text).toBe(true);
  });

  it('one that is unknown stays on (Fetch Standard, "handle content codings")', async () => {
    const { server, fetch } = await served(response('coded', { 'Content-Encoding': 'x-unknown' }));
    expect(await (await fetch(server.origin)).text()).toBe('coded');
  });

  it('what grows over limits.maxResourceBytes is an error, and stops growing', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const coded = response(bomb, { 'Content-Encoding': 'gzip' });
    const { server, fetch } = await served(coded, { limits: { maxResourceBytes: 1_000_000 } });
    const answer = await fetch(server.origin);
    expect(await failure(answer.arrayBuffer())).toBe('body-too-large');
  });

  it('a bomb that nobody reads is not inflated', async () => {
    const size = 60_000_000;
    const coded = response(gzipSync(Buffer.alloc(size)), { 'Content-Encoding': 'gzip' });
    const { server, fetch } = await served(coded);
    const before = process.memoryUsage().arrayBuffers;
    const answer = await fetch(server.origin);
    await (await fetch(server.origin)).body?.cancel();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(size / 4);
    expect((await answer.arrayBuffer()).byteLength).toBe(size);
  });
});

describe('a body that is cut', () => {
  it.each([
    [
      'by its length',
      'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nten bytes.',
      'length-mismatch',
    ],
    ['in a chunk', `${chunked}64\r\nten bytes.`, 'connection-lost'],
    ['before the last chunk', `${chunked}a\r\nten bytes.\r\n`, 'connection-lost'],
  ])('%s is an error, and is not asked for again', async (_name, bytes, code) => {
    const { server, fetch } = await served((_request, connection) => connection.end(bytes));
    const answer = await fetch(server.origin);
    expect(answer.status).toBe(200);
    expect(await failure(answer.text())).toBe(code);
    expect(server.requests).toHaveLength(1);
  });

  it('without a length it ends with its connection (RFC 9112 6.3)', async () => {
    const { server, fetch } = await served((_request, connection) =>
      connection.end('HTTP/1.1 200 OK\r\n\r\nall of it'),
    );
    expect(await (await fetch(server.origin)).text()).toBe('all of it');
  });
});
