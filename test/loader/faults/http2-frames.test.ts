// An HTTP/2 server written frame by frame (RFC 9113 4.1), for faults that node:http2 does not commit.

import { describe, expect, it } from 'vitest';
import type { LoaderErrorCode } from '../../../loader/errors.ts';
import { loadPage } from '../../../loader/index.ts';
import { withConstants } from '../../../options/options.ts';
import { quick } from '../../support/quick-load.ts';
import {
  body,
  endHeaders,
  endStream,
  frame,
  respond,
  startRawHttp2Server,
  status200,
  types,
} from '../../support/raw-http2.ts';
import { type RawConnection, startRawServer } from '../../support/raw-server.ts';

const { data, headers, settings, ping, continuation } = types;

const lostOrMalformed = [
  ['connection-lost', 'malformed-response'] as LoaderErrorCode[],
  /HTTP\/2|before the response/,
] as const;

const faults: Array<
  [string, LoaderErrorCode[], RegExp, (connection: RawConnection, stream: number) => void]
> = [
  [
    'DATA before HEADERS (RFC 9113 8.1)',
    ...lostOrMalformed,
    (connection, stream) => connection.write(body(stream, 'early', endStream)),
  ],
  [
    'a header block that is no HPACK (RFC 9113 4.3)',
    ...lostOrMalformed,
    (connection, stream) =>
      connection.write(frame(headers, endHeaders | endStream, stream, [0x80, 0xff, 0xff, 0xff])),
  ],
  [
    'a response without :status (RFC 9113 8.3.2)',
    ['connection-lost', 'malformed-response'],
    /HTTP\/2|before the response|status/,
    (connection, stream) =>
      connection.write(frame(headers, endHeaders | endStream, stream, [0x90])),
  ],
  [
    'a frame larger than allowed (RFC 9113 4.2)',
    ...lostOrMalformed,
    (connection, stream) => connection.write(frame(data, 0, stream, Buffer.alloc(20_000))),
  ],
  [
    'an answer on a stream nobody opened (RFC 9113 5.1.1)',
    ...lostOrMalformed,
    (connection) => connection.write(frame(headers, endHeaders | endStream, 7, status200)),
  ],
  [
    'CONTINUATION without end (RFC 9113 10.5.1)',
    ['connection-lost', 'malformed-response', 'headers-too-large', 'response-timeout'],
    /HTTP\/2|before the response|header section over|no response/,
    (connection, stream) => {
      connection.write(frame(headers, 0, stream, status200));
      // A literal field without indexing: x: y (RFC 7541 6.2.2).
      connection.pour(frame(continuation, 0, stream, [0, 1, 0x78, 1, 0x79]));
    },
  ],
  [
    'PING without end and no answer: the deadline holds (RFC 9113 10.5)',
    ['connection-lost', 'malformed-response', 'response-timeout'],
    /HTTP\/2|before the response|no response/,
    (connection) =>
      connection.drip(repeat(frame(ping, 0, 0, Buffer.alloc(8)).toString('latin1')), 5),
  ],
  [
    'SETTINGS without end and no answer: the deadline holds (RFC 9113 10.5)',
    ['connection-lost', 'malformed-response', 'response-timeout'],
    /HTTP\/2|before the response|no response/,
    (connection) => connection.drip(repeat(frame(settings, 0, 0).toString('latin1')), 5),
  ],
  [
    'empty DATA without end: the deadline or the rate holds (RFC 9113 10.5)',
    ['resource-timeout', 'too-slow', 'connection-lost'],
    / ms|HTTP\/2/,
    (connection, stream) => {
      connection.write(respond(stream));
      connection.drip(repeat(frame(data, 0, stream).toString('latin1')), 5);
    },
  ],
];

describe('a page over HTTP/2:', () => {
  it('the server of this file, when it does nothing wrong, is understood', async () => {
    await using server = await startRawHttp2Server((connection, stream) => {
      connection.write(Buffer.concat([respond(stream), body(stream, 'whole', endStream)]));
    });
    const load = await loadPage(server.origin, { ...quick, protocol: 'h2' });
    expect(load.resources[0]?.error).toBeNull();
    expect(load.resources[0]?.bodyBytes).toBe(5);
    expect(load.resources[0]?.httpVersion).toBe('h2');
  });

  it.each(faults)('%s', async (_name, codes, says, play) => {
    await using server = await startRawHttp2Server(play);
    const load = await loadPage(server.origin, {
      ...quick,
      protocol: 'h2',
      timeouts: { ...quick.timeouts, responseMs: 400 },
      ...withConstants({ timeouts: { resourceMs: 800 } }),
    });
    const error = load.resources[0]?.error;
    expect(codes, JSON.stringify(error)).toContain(error?.code);
    expect(error?.message).toMatch(says);
    expect(server.connections.length).toBeLessThanOrEqual(2);
  });

  it('a server that sends no SETTINGS and nothing else: response-timeout (RFC 9113 3.4)', async () => {
    await using server = await startRawServer({});
    const load = await loadPage(server.origin, {
      ...quick,
      protocol: 'h2',
      timeouts: { ...quick.timeouts, responseMs: 300 },
    });
    expect(load.resources[0]?.error?.code).toBe('response-timeout');
  });
});

function* repeat(text: string): Generator<Buffer> {
  for (;;) yield Buffer.from(text, 'latin1');
}
