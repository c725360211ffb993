// Servers that never come to an end, and servers that take their time: every load ends by itself,
// and holds no more than it must.

import { createGzip } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { LoaderErrorCode } from '../../../loader/errors.ts';
import { createLoader, loadPage } from '../../../loader/index.ts';
import { withConstants } from '../../../options/options.ts';
import { expectOwnBytes, serverOf } from '../../support/image-page.ts';
import { loadFrom, quick } from '../../support/quick-load.ts';
import {
  answering,
  type RawConnection,
  response,
  startRawServer,
} from '../../support/raw-server.ts';
import { residentGrowth } from '../../support/resident-growth.ts';
import {
  expectOnlyFaulty,
  expectRootError,
  faulty,
  http1,
  loadWithFault,
  page,
  serverWithFault,
} from './one-fault.ts';

const mebibyte = 1024 * 1024;
const block = Buffer.alloc(64 * 1024, 'x');
const chunk = Buffer.concat([Buffer.from('10000\r\n'), block, Buffer.from('\r\n')]);

function* repeat(piece: string): Generator<string> {
  for (;;) yield piece;
}

describe.each(http1)('%s', (protocol) => {
  const ok = 'HTTP/1.1 200 OK\r\n';
  const pours = (head: string, more: Buffer) => (connection: RawConnection) => {
    connection.write(`${ok}${head}\r\n`);
    connection.pour(more);
  };
  const drips = (head: string, piece: string, everyMs: number) => (connection: RawConnection) => {
    connection.write(head);
    connection.drip(repeat(piece), everyMs);
  };
  const endless: Array<[string, (connection: RawConnection) => void]> = [
    ['chunks without end', pours('Transfer-Encoding: chunked\r\n', chunk)],
    ['a body without length and end', pours('', block)],
    [
      'a Content-Length of a petabyte, and its bytes',
      pours('Content-Length: 1000000000000000\r\n', block),
    ],
  ];

  const bounded = { ...quick, protocol, limits: { maxResourceBytes: mebibyte } };

  it.each(endless)('a page of %s: body-too-large, and the client hangs up', async (_name, play) => {
    await using server = await answering((_request, connection) => play(connection));
    const load = await loadPage(server.origin, bounded);
    expectRootError(load, 'body-too-large', /maxResourceBytes.*1048576/);
    expect(server.requests.length).toBe(1);
    await server.connections[0]?.closed;
  });

  it.each(endless)('an image of %s: body-too-large, the others arrive', async (_name, play) => {
    const { load, server } = await loadWithFault(bounded, play);
    expectOnlyFaulty(load, 'body-too-large', /maxResourceBytes/);
    expect(server.requests.filter(({ path }) => path === faulty).length).toBe(1);
  });

  it.each([
    ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['102', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['103', 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n'],
    ['199', 'HTTP/1.1 199 Whatever\r\n\r\n'],
  ])(
    '%s without end: too-many-interim-responses, naming the limit (RFC 9110 15.2)',
    async (_status, interim) => {
      const { load, server } = await loadFrom({ protocol }, (_request, connection) =>
        connection.pour(Buffer.from(interim)),
      );
      expectRootError(load, 'too-many-interim-responses', /\b20\b/);
      expect(server.requests.length).toBe(1);
      await server.connections[0]?.closed;
    },
  );

  it('twenty interim responses are read over, one more is too many (RFC 9110 15.2)', async () => {
    for (const count of [20, 21]) {
      const interims = 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'.repeat(count);
      const { load } = await loadWithFault({ protocol }, (connection) => {
        connection.write(Buffer.concat([Buffer.from(interims), page.answer(faulty)]));
      });
      if (count === 20) expectOwnBytes(load, page);
      else expectOnlyFaulty(load, 'too-many-interim-responses', /\b20\b/);
    }
  });

  const long = `${ok}Content-Length: 100000\r\n\r\n`;
  const byRate = { minRateBytes: 500, minRateWindowMs: 200 };
  const slow: Array<
    [string, LoaderErrorCode, RegExp, object, (connection: RawConnection) => void]
  > = [
    [
      'one byte of body every 20 ms, for ever: resource-timeout',
      ...(['resource-timeout', /300 ms/, { resourceMs: 300 }] as const),
      drips(long, 'x', 20),
    ],
    [
      'one byte of body every 20 ms, for ever: too-slow by the minimum rate',
      ...(['too-slow', /bytes in 200 ms.*500/, byRate] as const),
      drips(long, 'x', 20),
    ],
    [
      'a body that stops in its middle: too-slow by the minimum rate',
      ...(['too-slow', /bytes in 200 ms/, { ...byRate, minRateBytes: 1 }] as const),
      (connection) => void connection.write(`${long}half`),
    ],
    [
      'one byte of header every 20 ms, for ever: response-timeout',
      ...(['response-timeout', /300 ms/, { responseMs: 300 }] as const),
      drips(`${ok}X-Slow: `, 'x', 20),
    ],
    [
      'an interim response every 50 ms, for ever: response-timeout',
      ...(['response-timeout', /300 ms/, { responseMs: 300 }] as const),
      drips('', 'HTTP/1.1 102 Processing\r\n\r\n', 50),
    ],
    ['silence: response-timeout', 'response-timeout', /300 ms/, { responseMs: 300 }, () => {}],
  ];

  it.each(slow)('a page with %s', async (_name, code, says, timeouts, play) => {
    const { load, server } = await loadFrom(
      { protocol, ...withConstants({ timeouts: { ...quick.timeouts, ...timeouts } }) },
      (_request, connection) => play(connection),
    );
    expectRootError(load, code, says);
    expect(server.requests.length).toBe(1);
    await server.connections[0]?.closed;
  });

  it.each(slow)('an image with %s; the others come', async (_name, code, says, timeouts, play) => {
    const patient = { stallMs: 5_000, settleMs: 40 };
    const given = { timeouts: { ...quick.timeouts, ...timeouts }, pipeline: patient };
    const options = { protocol, ...withConstants(given) };
    const { load, server } = await loadWithFault(options, play);
    expectOnlyFaulty(load, code, says);
    expect(server.requests.filter(({ path }) => path === faulty).length).toBeLessThanOrEqual(2);
  });

  it('a signal that aborts rejects with its reason, and the client hangs up (DOM 3.3)', async () => {
    const controller = new AbortController();
    const reason = new Error('changed my mind');
    await using server = await serverWithFault(faulty, () => controller.abort(reason));
    const load = loadPage(server.origin, { ...quick, protocol, signal: controller.signal });
    await expect(load).rejects.toBe(reason);
    await Promise.all(server.connections.map(({ closed }) => closed));
  });

  it('a signal that aborts while connecting rejects at once', async () => {
    const controller = new AbortController();
    await using server = await startRawServer({ onConnection: () => controller.abort() });
    const load = loadPage(`https://127.0.0.1:${server.port}`, {
      ...quick,
      protocol,
      signal: controller.signal,
    });
    await expect(load).rejects.toMatchObject({ name: 'AbortError' });
    await Promise.all(server.connections.map(({ closed }) => closed));
  });

  it('a signal that has aborted before the load: nothing is asked', async () => {
    await using server = await startRawServer({});
    const load = loadPage(server.origin, { protocol, signal: AbortSignal.abort('no') });
    await expect(load).rejects.toBe('no');
    expect(server.connections).toEqual([]);
  });

  it('closing a loader ends the load under way: rows with loader-closed, and no more loads', async () => {
    const loader = createLoader({ ...quick, protocol });
    await using server = await serverWithFault(faulty, () => void loader.destroy());
    const load = await loader.load(server.origin);
    const codes = load.resources.flatMap(({ error }) => error?.code ?? []);
    expect(codes).toContain('loader-closed');
    expect(new Set(codes)).toEqual(new Set(['loader-closed']));
    expect(load.resources.find(({ url }) => url.endsWith(faulty))?.error?.message).toMatch(
      /closed/,
    );
    await Promise.all(server.connections.map(({ closed }) => closed));
    await expect(loader.load(server.origin)).rejects.toMatchObject({ code: 'loader-closed' });
  });
});

/** Decoding, not the network, sets the pace: a kilobyte on the wire is a megabyte here. */
function gzipped(connection: RawConnection, bytes: number): void {
  connection.write(
    `HTTP/1.1 200 OK\r\nX-For: ${faulty}\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const gzip = createGzip({ level: 1 });
  gzip.on('data', (piece: Buffer) => {
    connection.write(`${piece.length.toString(16)}\r\n`);
    connection.write(piece);
    connection.write('\r\n');
  });
  gzip.on('end', () => connection.write('0\r\n\r\n'));
  let left = bytes / mebibyte;
  const feed = (): void => {
    if (left-- > 0) gzip.write(Buffer.alloc(mebibyte), feed);
    else gzip.end();
  };
  feed();
}

describe('memory', () => {
  it.each<[string, number, (connection: RawConnection, bytes: number) => void]>([
    [
      'a body of 300 MB streams through: nothing of it is kept',
      300 * mebibyte,
      (connection, bytes) => {
        connection.write(`HTTP/1.1 200 OK\r\nX-For: ${faulty}\r\nContent-Length: ${bytes}\r\n\r\n`);
        connection.pour(block, bytes / block.length);
      },
    ],
    [
      'a server faster than what reads its bytes waits: TCP is told, nothing piles up',
      200 * mebibyte,
      gzipped,
    ],
  ])('%s', async (_name, bytes, play) => {
    using memory = residentGrowth();
    const { load } = await loadWithFault(
      {
        protocol: 'pipelined',
        timeouts: { ...quick.timeouts, pageMs: 20_000 },
        limits: { maxResourceBytes: bytes },
        ...withConstants({ timeouts: { resourceMs: 20_000 } }),
      },
      (connection) => play(connection, bytes),
    );
    const row = load.resources.find(({ url }) => url.endsWith(faulty));
    expect([row?.error, row?.bodyBytes]).toEqual([null, bytes]);
    expect(memory.mostBytes()).toBeLessThan(150 * mebibyte);
  });

  it('a listener that throws does not lose the load', async () => {
    await using server = await serverOf(page);
    const load = await loadPage(server.origin, {
      ...quick,
      protocol: 'pipelined',
      onProgress() {
        throw new Error('a bug of the caller');
      },
    }).catch((error: Error) => error);
    // Either the caller gets its own error back, or a whole record: never half a one, never a hang.
    if (load instanceof Error) expect(load.message).toBe('a bug of the caller');
    else expectOwnBytes(load, page);
  });
});

describe('deadlines', () => {
  it('a small image behind a large slow one is not blamed for it: each clock starts when it is first in line', async () => {
    function* slowBodyThenAnswers(connection: RawConnection) {
      yield* 'y'.repeat(20);
      const answers = ['/a', '/b', '/c'].map((each) => response(each));
      setTimeout(() => connection.write(Buffer.concat(answers)), 100);
    }
    const { load, server } = await loadFrom(
      {
        protocol: 'pipelined',
        ...withConstants({ pipeline: { stallMs: 1_200, settleMs: 40 } }),
        timeouts: { ...quick.timeouts, responseMs: 1_200 },
      },
      ({ path }, connection) => {
        if (path === '/') {
          const html = '<img src="/slow"><img src="/a"><img src="/b"><img src="/c">';
          connection.write(response(html, { 'Content-Type': 'text/html' }));
        } else if (path === '/slow') {
          connection.write('HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n');
          connection.drip(slowBodyThenAnswers(connection), 80); // 1,600 ms in all
        }
      },
    );
    expect(load.resources.map(({ error }) => error)).toEqual([null, null, null, null, null]);
    expect(server.connections.length).toBe(1);
  });
});
