// Clients that send little and make a server hold much: bytes one by one, and requests of many small fields. Each
// flood is whole blocks made beforehand, so that it costs its sender next to nothing. They go on until stopped.

import { connect, type Socket } from 'node:net';
import { frame, headerBlock, preface } from '../server/proxy/raw-http2.ts';

export interface Flood {
  /** Bytes sent so far. */
  sent(): number;
  stop(): void;
}

const [DATA, HEADERS, SETTINGS, WINDOW_UPDATE] = [0, 1, 4, 8];
const END_HEADERS = 4;
const ACK = 1;
/** One byte of content in each. */
const blockFrames = 1_000;
/** RFC 9113 6.9.2. */
const firstWindow = 65_535;

/** `block` again and again, as fast as the server takes it. */
function pour(socket: Socket, block: Buffer): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(block));
    if (!socket.destroyed) socket.once('drain', more);
  };
  more();
}

function opened(port: number, count: number): Socket[] {
  return Array.from({ length: count }, () => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.on('error', () => {});
    return socket;
  });
}

function flood(sockets: readonly Socket[]): Flood {
  return {
    sent: () => sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
    stop() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Uploads in DATA frames of one byte, all streams at once, as far as the windows allow. */
export function tinyFrames(port: number, connections: number, streams: number): Flood {
  const sockets = opened(port, connections);
  for (const socket of sockets) uploadTinyFrames(socket, streams);
  return flood(sockets);
}

function uploadTinyFrames(socket: Socket, count: number): void {
  const ids = Array.from({ length: count }, (_, n) => 2 * n + 1);
  const left = new Map(ids.map((id) => [id, firstWindow]));
  const blocks = new Map(
    ids.map((id) => {
      const one = frame(DATA, 0, id, Buffer.of(97));
      return [id, Buffer.concat(Array.from({ length: blockFrames }, () => one))];
    }),
  );
  let window = firstWindow;
  let isWaiting = false;
  const more = (): void => {
    if (isWaiting || socket.destroyed) return;
    for (let sent = true; sent; ) {
      sent = false;
      for (const [id, credit] of left) {
        if (credit < blockFrames || window < blockFrames) continue;
        sent = true;
        left.set(id, credit - blockFrames);
        window -= blockFrames;
        if (socket.write(blocks.get(id) as Buffer)) continue;
        isWaiting = true;
        socket.once('drain', () => {
          isWaiting = false;
          more();
        });
        return;
      }
    }
  };
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      const [end, type, id] = [9 + rest.readUIntBE(0, 3), rest[3], rest.readUInt32BE(5)];
      if (type === WINDOW_UPDATE) {
        const more = rest.readUInt32BE(9);
        if (id === 0) window += more;
        else left.set(id, (left.get(id) ?? 0) + more);
      }
      rest = rest.subarray(end);
    }
    more();
  });
  const asked = { ':method': 'POST', ':path': '/unread', ':scheme': 'http', ':authority': 'a' };
  const fields = headerBlock(Object.entries(asked));
  const settings = [0, ACK].map((flags) => frame(SETTINGS, flags, 0, Buffer.alloc(0)));
  socket.write(Buffer.concat([preface, ...settings]));
  socket.write(Buffer.concat(ids.map((id) => frame(HEADERS, END_HEADERS, id, fields))));
  more();
}

/** Uploads in chunks of one byte (RFC 9112 7.1). */
export function tinyChunks(port: number, connections: number, path = '/unread', fields = '') {
  const sockets = opened(port, connections);
  const block = Buffer.from('1\r\na\r\n'.repeat(10_000));
  for (const socket of sockets) {
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\n${fields}Transfer-Encoding: chunked\r\n\r\n`);
    pour(socket, block);
  }
  return flood(sockets);
}

/** Clients that ask for `path` and do not read the response. */
export function stalledReaders(port: number, connections: number, path: string): Flood {
  const sockets = opened(port, connections);
  for (const socket of sockets) {
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  }
  return flood(sockets);
}

/** Pipelines of requests with as many fields as fit in their 16 KB; the first is not answered soon. */
export function manyFields(port: number, connections: number, fields = 3_900): Flood {
  const sockets = opened(port, connections);
  const request = `GET /slow HTTP/1.1\r\nHost: a\r\n${'a:\r\n'.repeat(fields)}\r\n`;
  for (const socket of sockets) {
    socket.pause();
    socket.write(request.repeat(16));
  }
  return flood(sockets);
}
