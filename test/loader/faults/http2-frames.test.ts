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

type Play = (connection: RawConnection, stream: number) => void;
type Fault = [name: string, LoaderErrorCode[], RegExp, Play];
const sends =
  (of: (stream: number) => Buffer): Play =>
  (connection, stream) =>
    connection.write(of(stream));
const sendsHead = (block: number[], on?: number): Play =>
  sends((stream) => frame(headers, endHeaders | endStream, on ?? stream, block));
const drips =
  (of: (stream: number) => Buffer): Play =>
  (connection, stream) =>
    connection.drip(repeat(of(stream)), 5);
const of = (codes: LoaderErrorCode[], says: RegExp, plays: Record<string, Play>): Fault[] =>
  Object.entries(plays).map(([name, play]) => [name, codes, says, play]);

const either: LoaderErrorCode[] = ['connection-lost', 'malformed-response'];
const faults: Fault[] = [
  ...of(either, /HTTP\/2|before the response/, {
    'DATA before HEADERS (RFC 9113 8.1)': sends((stream) => body(stream, 'early', endStream)),
    'a header block that is no HPACK (RFC 9113 4.3)': sendsHead([0x80, 0xff, 0xff, 0xff]),
    'a frame larger than allowed (RFC 9113 4.2)': sends((stream) =>
      frame(data, 0, stream, Buffer.alloc(20_000)),
    ),
    'an answer on a stream nobody opened (RFC 9113 5.1.1)': sendsHead(status200, 7),
  }),
  ...of(either, /HTTP\/2|before the response|status/, {
    'a response without :status (RFC 9113 8.3.2)': sendsHead([0x90]),
  }),
  ...of(
    [...either, 'headers-too-large', 'response-timeout'],
    /HTTP\/2|before the response|header section over|no response/,
    {
      'CONTINUATION without end (RFC 9113 10.5.1)': (connection, stream) => {
        connection.write(frame(headers, 0, stream, status200));
        // A literal field without indexing: x: y (RFC 7541 6.2.2).
        connection.pour(frame(continuation, 0, stream, [0, 1, 0x78, 1, 0x79]));
      },
    },
  ),
  ...of([...either, 'response-timeout'], /HTTP\/2|before the response|no response/, {
    'PING without end and no answer: the deadline holds (RFC 9113 10.5)': drips(() =>
      frame(ping, 0, 0, Buffer.alloc(8)),
    ),
    'SETTINGS without end and no answer: the deadline holds (RFC 9113 10.5)': drips(() =>
      frame(settings, 0, 0),
    ),
  }),
  ...of(['resource-timeout', 'too-slow', 'connection-lost'], / ms|HTTP\/2/, {
    'empty DATA without end: the deadline or the rate holds (RFC 9113 10.5)': (to, stream) => {
      to.write(respond(stream));
      drips(() => frame(data, 0, stream))(to, stream);
    },
  }),
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

function* repeat(bytes: Buffer): Generator<Buffer> {
  for (;;) yield bytes;
}
