// Content in small pieces, up and down, over HTTP/1 and HTTP/2, while nobody reads it. The invariants:
// - what waits costs a small multiple of its bytes, whatever the pieces;
// - another client is answered meanwhile;
// - once it is read, all of it arrives, in order.

import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { withConstants } from '../../options/options.ts';
import { createProxy } from '../../server/index.ts';
import { frame, headerBlock, preface } from '../server/proxy/raw-http2.ts';
import { ask } from '../server/raw-client.ts';
import { drawingBy, type FuzzTarget, within } from './fuzz.ts';

interface PiecesCase {
  readonly isUpload: boolean;
  readonly isHttp2: boolean;
  readonly exchanges: number;
  /** Bytes of each piece, again and again. */
  readonly sizes: readonly number[];
  readonly pieces: number;
  /** Bytes of a write, in which the pieces leave. */
  readonly segmentBytes: number;
}

const mostOneStream = 60_000;
const settleMs = 60;
const mostWaitMs = 30_000;
/** For each exchange: sockets, requests, what is gathered. */
const exchangeBytes = 300_000;
const sideBytes = 12_000_000;

function make(random: () => number): PiecesCase {
  const { below } = drawingBy(random);
  return {
    isUpload: random() < 0.5,
    isHttp2: random() < 0.5,
    exchanges: 1 + below(8),
    sizes: Array.from({ length: 1 + below(4) }, () =>
      random() < 0.7 ? 1 : 1 + below(random() < 0.5 ? 70 : 5000),
    ),
    pieces: 1 + below(random() < 0.5 ? 300 : 20_000),
    segmentBytes: random() < 0.3 ? 1 + below(2_000) : 65_536,
  };
}

/** Distinct wherever it is cut: lost, doubled or swapped bytes show. */
function contentOf({ sizes, pieces }: PiecesCase): { bytes: Buffer; cuts: number[] } {
  const cuts: number[] = [];
  let length = 0;
  for (let n = 0; n < pieces && length < mostOneStream; n++) {
    const size = Math.min(sizes[n % sizes.length] as number, mostOneStream - length);
    cuts.push(size);
    length += size;
  }
  return {
    bytes: Buffer.from(Array.from({ length }, (_, n) => 33 + ((n * 7 + (n >> 8)) % 90))),
    cuts,
  };
}

function joined(content: ReturnType<typeof contentOf>, wrap: (piece: Buffer) => Buffer[]): Buffer {
  let at = 0;
  return Buffer.concat(
    content.cuts.flatMap((size) => {
      at += size;
      return wrap(content.bytes.subarray(at - size, at));
    }),
  );
}

const chunked = (content: ReturnType<typeof contentOf>) =>
  Buffer.concat([
    joined(content, (piece) => [
      Buffer.from(`${piece.length.toString(16)}\r\n`),
      piece,
      Buffer.from('\r\n'),
    ]),
    Buffer.from('0\r\n\r\n'),
  ]);

async function writeSegments(socket: NodeJS.WritableStream, bytes: Buffer, segmentBytes: number) {
  for (let at = 0; at < bytes.length; at += segmentBytes) {
    socket.write(bytes.subarray(at, at + segmentBytes));
    // A few hundred turns at most.
    if (bytes.length < 300 * segmentBytes) await new Promise((resolve) => setImmediate(resolve));
  }
}

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;
function heldBytes(): number {
  gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

export const piecesTarget: FuzzTarget<PiecesCase> = {
  name: 'pieces',
  casesInTests: 6,
  make,
  async start() {
    let one: PiecesCase;
    let content: ReturnType<typeof contentOf>;
    let arrived: Promise<string>[] = [];
    let read: () => void = () => {};
    let mayRead: Promise<void> = Promise.resolve();
    async function textOf(stream: Readable): Promise<string> {
      let text = '';
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
      });
      const ended = once(stream, 'end');
      stream.pause();
      void mayRead.then(() => stream.resume());
      await ended;
      return text;
    }
    const site = createServer((req: IncomingMessage, res: ServerResponse) => {
      if (req.url === '/other') res.end('other');
      else if (req.method === 'POST') {
        arrived.push(textOf(req).finally(() => res.end()));
      } else {
        // By bytes: node:http would join them.
        const socket = res.socket as NonNullable<typeof res.socket>;
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n');
        void writeSegments(socket, chunked(content), one.segmentBytes).then(() => socket.end());
      }
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    const upstream = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const proxy = createProxy({ upstream, ...withConstants({ closeTimeoutMs: 100 }) });
    const { port, url } = await proxy.listen();

    /** Starts one exchange; the result ends it. */
    function start(session: ClientHttp2Session | undefined): () => void {
      if (one.isUpload) {
        const socket = connectTcp({ port, host: '127.0.0.1', noDelay: true });
        socket.on('error', () => {});
        socket.resume();
        const head = one.isHttp2 ? http2Upload() : [httpUploadHead, chunked(content)];
        void writeSegments(socket, Buffer.concat(head), one.segmentBytes);
        return () => socket.destroy();
      }
      if (session !== undefined) {
        const stream = session.request({ ':path': '/' });
        arrived.push(textOf(stream));
        return () => {};
      }
      const asking = request({ port, host: '127.0.0.1', agent: false }).end();
      asking.on('error', () => {});
      const response = once(asking, 'response') as Promise<[IncomingMessage]>;
      arrived.push(response.then(([res]) => textOf(res)));
      return () => asking.destroy();
    }

    const httpUploadHead = Buffer.from(
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    function http2Upload(): Buffer[] {
      const fields = [
        [':method', 'POST'],
        [':path', '/'],
        [':scheme', 'http'],
        [':authority', 'a'],
      ] as const;
      const data = joined(content, (piece) => [frame(0, 0, 1, piece)]);
      const none = Buffer.alloc(0);
      return [
        preface,
        frame(4, 0, 0, none),
        frame(1, 4, 1, headerBlock(fields)),
        data,
        frame(0, 1, 1, none),
      ];
    }

    async function run(given: PiecesCase): Promise<string | undefined> {
      one = given;
      content = contentOf(one);
      arrived = [];
      mayRead = new Promise((resolve) => {
        read = resolve;
      });
      const beforeBytes = heldBytes();
      const session = one.isHttp2 && !one.isUpload ? connect(url) : undefined;
      const ends = Array.from({ length: one.exchanges }, () => start(session));
      try {
        await wait(settleMs);
        if ((await ask(port, '/other')).status !== 200) return 'another client was not answered';
        const wireBytes = one.exchanges * 2 * chunked(content).length;
        const grownBytes = heldBytes() - beforeBytes;
        const mostBytes = sideBytes + one.exchanges * exchangeBytes + wireBytes;
        if (grownBytes > mostBytes) return `${grownBytes} bytes are held, of ${mostBytes}`;
        read();
        const whole = content.bytes.toString('latin1');
        while (arrived.length < one.exchanges) await wait(1);
        const all = await Promise.all(arrived);
        return all.every((each) => each === whole) ? undefined : 'the content is not what was sent';
      } finally {
        read();
        for (const each of arrived) each.catch(() => {});
        for (const end of ends) end();
        session?.destroy();
      }
    }

    return {
      async run(given) {
        const work = run(given).catch((error: Error) => `${error.stack}`);
        return within(mostWaitMs, work, () => 'it did not end');
      },
      async [Symbol.asyncDispose]() {
        await proxy.close();
        site.close();
        site.closeAllConnections();
      },
    };
  },
};
