// HTTP/2 by bytes: a client that sends the fields it is told to, valid or not. Node's own client refuses
// to send what these tests are about. Fields go out as HPACK literals without a table (RFC 7541 6.2.2),
// so each fits in a few lines; what comes back is read as frames only.

import { connect } from 'node:net';
import { frame } from '../../support/raw-http2.ts';

export { frame };

export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export type Field = readonly [name: string, value: string];

export interface Frame {
  readonly type: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** The whole frames in these bytes (RFC 9113 4.1). */
export function framesIn(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at + 9 <= bytes.length; ) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    if (end > bytes.length) break;
    const [type, stream] = [bytes.readUInt8(at + 3), bytes.readUInt32BE(at + 5)];
    frames.push({ type, stream, payload: bytes.subarray(at + 9, end) });
    at = end;
  }
  return frames;
}

/** Lengths up to 126: one octet. */
function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  if (bytes.length > 126) throw new RangeError('too long for this encoder');
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

export function headerBlock(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([name, value]) => [Buffer.of(0), literal(name), literal(value)]),
  );
}

/**
 * One request on stream 1; `body` undefined: the fields end it.
 * @returns the status, or 'reset', 'goaway' or 'closed'
 */
export function requestByHttp2(
  port: number,
  fields: readonly Field[],
  body?: string,
): Promise<number | 'reset' | 'goaway' | 'closed'> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  const settings = frame(4, 0, 0, Buffer.alloc(0));
  const headers = frame(1, body === undefined ? 5 : 4, 1, headerBlock(fields));
  const data = body === undefined ? [] : [frame(0, 1, 1, Buffer.from(body, 'latin1'))];
  socket.write(Buffer.concat([preface, settings, headers, ...data]));
  return new Promise((resolve) => {
    let received: Buffer = Buffer.alloc(0);
    const tell = (what: number | 'reset' | 'goaway' | 'closed') => {
      resolve(what);
      socket.destroy();
    };
    socket.on('close', () => tell('closed'));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk as Buffer]);
      for (const { type, payload } of framesIn(received)) {
        if (type === 1) tell(statusOf(payload));
        if (type === 3) tell('reset');
        if (type === 7) tell('goaway');
      }
    });
  });
}

/** The first field is :status, indexed (RFC 7541 A: 8 to 14) or a literal with that name (index 8 to 14). */
function statusOf(block: Buffer): number {
  const first = block[0] ?? 0;
  const known = [200, 204, 206, 304, 400, 404, 500];
  if (first & 0x80) return known[(first & 0x7f) - 8] ?? 0;
  const length = (block[1] ?? 0) & 0x7f;
  const isHuffman = ((block[1] ?? 0) & 0x80) !== 0;
  const value = block.subarray(2, 2 + length);
  return isHuffman ? digitsOf(value) : Number(value.toString('latin1'));
}

/** Huffman codes of digits: 0, 1, 2 have five bits, 3 to 9 six (RFC 7541 B). */
function digitsOf(bytes: Buffer): number {
  let bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  let digits = '';
  while (digits.length < 3) {
    const five = Number.parseInt(bits.slice(0, 5), 2);
    if (five < 3) {
      digits += five;
      bits = bits.slice(5);
    } else {
      digits += Number.parseInt(bits.slice(0, 6), 2) - 0x19 + 3;
      bits = bits.slice(6);
    }
  }
  return Number(digits);
}
