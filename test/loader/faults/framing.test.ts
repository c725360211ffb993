// Responses whose beginning, end or length is not what HTTP/1.1 allows.

import { describe, expect, it } from 'vitest';
import type { LoaderErrorCode } from '../../../loader/errors.ts';
import { loadPage } from '../../../loader/index.ts';
import { withConstants } from '../../../options/options.ts';
import { expectOwnBytes, expectOwnBytesOrError, numberedImage } from '../../support/image-page.ts';
import { loadFrom, quick } from '../../support/quick-load.ts';
import { type RawConnection, response, startRawServer } from '../../support/raw-server.ts';
import {
  expectOnlyFaulty,
  expectRootError,
  faulty,
  http1,
  loadWithFault,
  page,
} from './one-fault.ts';

type Fault = [
  name: string,
  code: LoaderErrorCode,
  says: RegExp,
  play: (connection: RawConnection) => void,
];

const gif = numberedImage(2).body;

/** Written in one piece, and byte by byte. */
const foreign = [
  'HTTP/2.0 200 OK',
  'HTTP/3.1 200 OK',
  'HTTP/0.9 200 OK',
  'RTSP/1.0 200 OK',
  'ICY 200 OK',
  'ICE/1.0 200 OK',
  'HTTPS/1.1 200 OK',
  'HTTP/1.1 099 Odd',
];

describe.each(http1)('%s: a status line of another protocol', (protocol) => {
  it.each(foreign)(
    '"%s" is no HTTP/1.x: malformed-response, and nothing of it is used (RFC 9112 2.3)',
    async (line) => {
      const head = `${line}\r\nContent-Type: text/html\r\nContent-Length: 15\r\n\r\n`;
      for (const isWhole of [true, false]) {
        const { load, server } = await loadFrom({ protocol }, (_request, connection) => {
          if (isWhole) connection.write(`${head}<img src=a.gif>`);
          else connection.drip(`${head}<img src=a.gif>`, 1);
        });
        const root = expectRootError(load, 'malformed-response', /not a valid HTTP response/);
        expect(root.status).toBeNull();
        expect(server.requests.some(({ path }) => path !== '/')).toBe(false);
      }
    },
  );

  it('of a second response of the connection too', async () => {
    const { load } = await loadFrom({ protocol }, ({ path }, connection) => {
      const html = { 'Content-Type': 'text/html' };
      if (path === '/') connection.write(response('<img src=a.gif>', html));
      else connection.write(response(gif, {}, '200 OK', 'RTSP/1.0'));
    });
    expect(load.resources[1]).toMatchObject({
      status: null,
      error: { code: 'malformed-response' },
    });
  });

  it('HTTP/1.0 and HTTP/1.1 are taken behind a line end that nobody asked for (RFC 9112 2.2)', async () => {
    for (const version of ['HTTP/1.0', 'HTTP/1.1']) {
      const { load } = await loadFrom({ protocol }, (_request, connection) => {
        const bytes = response('hi', { 'Content-Type': 'text/html' }, '200 OK', version);
        connection.write(Buffer.concat([Buffer.from('\r\n'), bytes]));
      });
      expect(load.resources[0]).toMatchObject({ status: 200, error: null, bodyBytes: 2 });
    }
  });
});

const stays = (bytes: string | Buffer) => (connection: RawConnection) =>
  void connection.write(bytes);
const fin = (bytes?: string | Buffer) => (connection: RawConnection) => void connection.end(bytes);
const rst = (bytes: string | Buffer) => (connection: RawConnection) => {
  connection.write(bytes);
  setTimeout(() => connection.reset(), 30);
};
const pours = (bytes: string, more: string) => (connection: RawConnection) => {
  connection.write(bytes);
  connection.pour(Buffer.from(more));
};
const lengthOf = (length: string) => response(gif, { 'Content-Length': length });
const chunked = (body: string) => response(body, { 'Transfer-Encoding': 'chunked' });
const thousandFields = Array.from({ length: 1000 }, (_, index) => [`x-${index}`, 'abcdefgh']);

const of = (code: LoaderErrorCode, says: RegExp, plays: Record<string, Fault[3]>): Fault[] =>
  Object.entries(plays).map(([name, play]) => [name, code, says, play]);

/** What a broken answer is written as, then the connection ends or stays. */
const faults: Fault[] = [
  ...of('length-mismatch', /\b10\b.*\b100\b/, {
    'a body shorter than Content-Length, then FIN (RFC 9112 8)': fin(
      response('ten bytes.', { 'Content-Length': '100' }),
    ),
  }),
  ...of('length-mismatch', /of 10{5}(0{10})?\b/, {
    'a body shorter than Content-Length, then RST (RFC 9112 8)': rst(
      response('ten bytes.', { 'Content-Length': '100000' }),
    ),
    'a Content-Length of 10^15, then FIN (RFC 9110 8.6)': fin(lengthOf('1000000000000000')),
  }),
  ...of('malformed-response', /content-length/i, {
    'a negative Content-Length (RFC 9112 6.3)': stays(lengthOf('-5')),
    'a Content-Length too large for any number (RFC 9110 8.6)': stays(lengthOf('9'.repeat(26))),
    'a Content-Length that is no number (RFC 9112 6.3)': stays(lengthOf('12abc')),
    'two Content-Lengths that differ (RFC 9112 6.3)': stays(
      response(gif, { 'Content-Length': `${gif.length}`, 'content-length': '5' }),
    ),
  }),
  ...of('malformed-response', /LF|CR|chunk/i, {
    'a chunk size that is no number (RFC 9112 7.1)': stays(chunked('zz\r\nhello\r\n0\r\n\r\n')),
    'a chunk size beyond 64 bits (RFC 9112 7.1: recipients must prevent overflow)': stays(
      chunked('1000000000000000F\r\nhello\r\n'),
    ),
    'no line end after a chunk (RFC 9112 7.1)': stays(chunked('5\r\nhelloXX0\r\n\r\n')),
  }),
  ...of('connection-lost', /\b5 bytes\b/, {
    'chunks without their last one, then FIN (RFC 9112 8)': fin(chunked('5\r\nhello\r\n')),
    'a chunk cut in its middle, then FIN (RFC 9112 8)': fin(chunked('ff\r\nhello')),
  }),
  ...of('connection-lost', /reset.*inside the body/, {
    'a body that ends with the connection, cut by RST (RFC 9112 8)': rst(
      'HTTP/1.1 200 OK\r\n\r\nhalf a bo',
    ),
  }),
  ...of('connection-lost', /before the response/, {
    'nothing at all, then FIN (RFC 9112 9.3.1)': fin(),
    'a header section that is cut, then FIN (RFC 9112 8)': fin('HTTP/1.1 200 OK\r\nContent-Le'),
  }),
  ...of('connection-lost', /reset.*before the response/, {
    'nothing at all, then RST': (connection) => connection.reset(),
  }),
  ...of('headers-too-large', /header section over/, {
    'a header section over the limit (RFC 9110 5.4)': stays(
      response(gif, { 'X-Long': 'x'.repeat(20_000) }),
    ),
    'a thousand header fields over the limit (RFC 9110 5.4)': stays(
      response(gif, Object.fromEntries(thousandFields)),
    ),
    'a header section without end': pours('HTTP/1.1 200 OK\r\n', `X-More: ${'y'.repeat(1000)}\r\n`),
    'a status line without end': pours('HTTP/1.1 200 ', 'OK'.repeat(1000)),
  }),
  ...of('malformed-response', /not a valid HTTP response/, {
    'a NUL in a field value (RFC 9110 5.5)': stays(
      'HTTP/1.1 200 OK\r\nX-A: a\0b\r\nContent-Length: 5\r\n\r\nhello',
    ),
    'HTML without a status line, as HTTP/0.9 had it (RFC 9112 1.1)': fin(
      '<html><img src="/x.gif"></html>',
    ),
    'a line of another protocol': stays('SSH-2.0-OpenSSH_9.2p1\r\n'),
    'bytes that mean nothing': stays(
      Buffer.from(Array.from({ length: 200 }, (_, index) => (index * 73) % 256)),
    ),
    'a status that is no number (RFC 9112 4)': stays('HTTP/1.1 two-hundred OK\r\n\r\n'),
  }),
  ...of('malformed-response', /not requested/, {
    'a change of protocol nobody asked for (RFC 9110 7.8)': stays(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    ),
  }),
];

const options = { ...quick, ...withConstants({ limits: { maxHeaderBytes: 8 * 1024 } }) };

describe.each(http1)('%s', (protocol) => {
  describe('the page is', () => {
    it.each(faults)('%s: %s', async (_name, code, says, play) => {
      const { load, server } = await loadFrom({ ...options, protocol }, (_request, connection) =>
        play(connection),
      );
      expectRootError(load, code, says);
      // Once more at most, and only for what a second try can change.
      expect(server.requests.length).toBeLessThanOrEqual(2);
      expect(load.timing.completeMs === null || load.timing.completeMs < 1_500).toBe(true);
    });
  });

  describe('one image of six is', () => {
    it.each(faults)('%s: %s, and the other five arrive', async (_name, code, says, play) => {
      const { load, server } = await loadWithFault({ ...options, protocol }, play);
      expectOnlyFaulty(load, code, says);
      expect(server.requests.filter(({ path }) => path === faulty).length).toBeLessThanOrEqual(2);
      expect(server.requests.length).toBeLessThanOrEqual(2 * 7);
    });
  });

  it('more bytes than Content-Length: the page is not taken for whole (RFC 9112 6.3)', async () => {
    const fields = { 'Content-Type': 'text/html', 'Content-Length': '11' };
    const { load, server } = await loadFrom({ ...options, protocol }, (_request, connection) =>
      connection.write(response('<p>five</p> and a lot more', fields)),
    );
    const root = load.resources[0];
    expect(['out-of-step', 'malformed-response', 'length-mismatch']).toContain(root?.error?.code);
    expect(root?.error?.message).toMatch(/more|not requested/);
    expect(server.requests.length).toBeLessThanOrEqual(2);
  });

  it('a body without any length ends with its connection: whole, no error (RFC 9112 6.3)', async () => {
    const { load, server } = await loadFrom({ ...options, protocol }, ({ path }, connection) => {
      const image = page.images.find((each) => each.path === path);
      if (image === undefined) connection.write(page.answer(path));
      else {
        connection.write(`HTTP/1.1 200 OK\r\nX-For: ${path}\r\n\r\n`);
        connection.end(image.body);
      }
    });
    expectOwnBytes(load, page);
    expect(server.requests.length).toBeLessThanOrEqual(2 * 7);
  });

  it('trailers, chunk extensions and leading zeros are read over (RFC 9112 7.1)', async () => {
    const body = Buffer.concat([
      Buffer.from(`000${gif.length.toString(16)};name=value\r\n`),
      gif,
      Buffer.from('\r\n0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n'),
    ]);
    const { load } = await loadWithFault({ ...options, protocol }, (connection) => {
      connection.write(response(body, { 'X-For': faulty, 'Transfer-Encoding': 'chunked' }));
    });
    expectOwnBytes(load, page);
  });
});

describe.each(['persistent', 'pipelined'] as const)('%s', (protocol) => {
  it('a response that comes before any request does not stand for the page (RFC 9112 9.3)', async () => {
    await using server = await startRawServer({
      onConnection: (connection) => void connection.write(page.answer('/image-3.gif')),
      onRequest: ({ path }, connection) => void connection.write(page.answer(path)),
    });
    const load = await loadPage(server.origin, { ...options, protocol });
    const [root] = load.resources;
    if (load.resources.length > 1) expectOwnBytesOrError(load, page);
    expect(root?.error).not.toBeNull();
    expect(['out-of-step', 'malformed-response']).toContain(root?.error?.code);
    expect(server.requests.length).toBeLessThanOrEqual(2);
  });
});
