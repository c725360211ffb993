// An HTTP/2 server written frame by frame (RFC 9113 4.1), for what node:http2 does not send.

import { type RawConnection, type RawServer, startRawServer } from './raw-server.ts';

export const types = {
  ...{ data: 0, headers: 1, rstStream: 3, settings: 4, ping: 6, goaway: 7, continuation: 9 },
} as const;
export const [endStream, endHeaders] = [1, 4];
const ack = 1;
const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array | number[] = [],
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, Buffer.from(payload)]);
}

export function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** RFC 7541 A: index 8 of the static table is `:status 200`. */
export const status200 = [0x88];

/** A header block of `:status 200` and literal fields without indexing (RFC 7541 6.2.2); under 127 bytes each. */
export function headBlock(fields: Record<string, string> = {}): Buffer {
  const literal = (text: string) => [text.length, ...Buffer.from(text.toLowerCase())];
  const lines = Object.entries(fields).map(([name, value]) => [
    ...[0, ...literal(name)],
    ...[value.length, ...Buffer.from(value)],
  ]);
  return Buffer.from([status200, ...lines].flat());
}

export const respond = (stream: number, fields: Record<string, string> = {}, flags = 0): Buffer =>
  frame(types.headers, endHeaders | flags, stream, headBlock(fields));

export const body = (stream: number, text: string, flags = 0): Buffer =>
  frame(types.data, flags, stream, Buffer.from(text));

export const reset = (stream: number, code: number): Buffer =>
  frame(types.rstStream, 0, stream, word(code));

/** Sends its SETTINGS, and plays on each stream that a request (HEADERS) opens. */
export function startRawHttp2Server(
  play: (connection: RawConnection, stream: number) => void,
): Promise<RawServer> {
  return startRawServer({
    onConnection(connection) {
      connection.write(frame(types.settings, 0, 0));
      let seen = Buffer.alloc(0);
      let at = preface.length;
      connection.socket.on('data', (bytes: Buffer) => {
        seen = Buffer.concat([seen, bytes]);
        while (seen.length >= at + 9 && seen.length >= at + 9 + seen.readUIntBE(at, 3)) {
          const [length, type, flags] = [seen.readUIntBE(at, 3), seen[at + 3], seen[at + 4] ?? 0];
          const isSettings = type === types.settings && (flags & ack) === 0;
          if (isSettings) connection.write(frame(types.settings, ack, 0));
          if (type === types.headers) play(connection, seen.readUInt32BE(at + 5));
          at += 9 + length;
        }
      });
    },
  });
}
