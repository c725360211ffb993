// The HTTP/2 side of the proxy: frames of a grammar, in and out of order, whole or cut into small ones, then bytes
// changed here and there. What must hold is what the target `proxy` looks for.

import { withConstants } from '../../options/options.ts';
import { frame, headerBlock, preface } from '../server/proxy/raw-http2.ts';
import { drawingBy, type FuzzTarget } from './fuzz.ts';
import { type ProxyCase, startProxy } from './proxy-target.ts';

const [DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION] = [
  0, 1, 2, 3, 4, 6, 7, 8, 9,
];
const [END_STREAM, END_HEADERS, PADDED] = [1, 4, 8];
/** GET and POST by the static table (RFC 7541 A), others as text. */
const methods = [Buffer.of(0x82), Buffer.of(0x83), headerBlock([[':method', 'PUT']])];
const fields = [
  ['content-length', '0'], ['content-length', '3'], ['content-length', '00'], ['transfer-encoding', 'chunked'],
  ['connection', 'close'], ['te', 'trailers'], ['trailer', 'x'], ['expect', '100-continue'], ['host', 'b'],
  ['upgrade', 'websocket'], [':path', '/two'], [':protocol', 'websocket'], [':status', '200'], ['Name', 'x'],
  ['x', 'a\r\nb: c'], ['x', 'a\0'], ['x-forwarded-for', '192.0.2.66'], ['cookie', 'a=b'], ['', 'x'],
] as const; // biome-ignore format: a list of fields

function make(random: () => number): ProxyCase {
  const { below, pick } = drawingBy(random);
  const anyBytes = (most: number) =>
    Buffer.from(Array.from({ length: below(most) }, () => below(256)));
  const frames: Buffer[] = [preface, frame(SETTINGS, 0, 0, Buffer.alloc(0))];
  let next = 1;
  const block = (isTrailer: boolean) => {
    const more = Array.from({ length: below(random() < 0.05 ? 400 : 4) }, () => pick(fields));
    if (isTrailer) return headerBlock(more);
    const usual = [
      [':scheme', 'http'],
      [':authority', 'a'],
      [':path', `/${below(1e6)}`],
    ] as const;
    return Buffer.concat([pick(methods), headerBlock([...usual, ...(random() < 0.5 ? [] : more)])]);
  };
  const headers = (stream: number, isTrailer: boolean) => {
    const bytes = block(isTrailer);
    const flags = random() < 0.5 ? END_STREAM : 0;
    const cut = random() < 0.8 ? bytes.length : below(bytes.length);
    frames.push(
      frame(
        HEADERS,
        flags | (cut === bytes.length ? END_HEADERS : 0),
        stream,
        bytes.subarray(0, cut),
      ),
    );
    if (cut < bytes.length)
      frames.push(frame(CONTINUATION, END_HEADERS, stream, bytes.subarray(cut)));
  };
  const others = [
    () => frame(PRIORITY, 0, below(next + 2), anyBytes(7)),
    (stream: number) => frame(RST_STREAM, 0, stream, Buffer.from([0, 0, 0, below(14)])),
    () => frame(SETTINGS, below(2), 0, Buffer.from([0, below(8), 0, 0, below(256), below(256)])),
    () => frame(PING, below(2), 0, anyBytes(9)),
    () => frame(GOAWAY, 0, 0, Buffer.alloc(8)),
    (stream: number) =>
      frame(
        WINDOW_UPDATE,
        0,
        random() < 0.5 ? 0 : stream,
        Buffer.from([below(128), 0, 0, below(256)]),
      ),
    () => frame(below(256), below(256), below(next + 2), anyBytes(40)),
  ];
  for (let n = 1 + below(12); n > 0; n--) {
    const stream = random() < 0.9 ? 1 + 2 * below((next + 1) / 2) : below(next + 3);
    const what = random();
    if (what < 0.4) {
      headers(next, false);
      next += 2;
    } else if (what < 0.5) headers(stream, true);
    else if (what < 0.85) {
      const size = random() < 0.6 ? 1 : below(300);
      for (let count = 1 + below(random() < 0.2 ? 200 : 4); count > 0; count--) {
        const flags = random() < 0.1 ? END_STREAM : random() < 0.05 ? PADDED : 0;
        frames.push(frame(DATA, flags, stream, Buffer.alloc(size, 97)));
      }
    } else frames.push(pick(others)(stream));
  }
  const bytes = Buffer.concat(frames);
  for (let n = random() < 0.6 ? 0 : 1 + below(4); n > 0; n--) {
    // The preface stays: without it this is the target `proxy`.
    bytes[preface.length + below(bytes.length - preface.length)] = below(256);
  }
  const segments: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = random() < 0.5 ? bytes.length : at + 1 + below(300);
    segments.push(bytes.toString('latin1', at, end));
    at = end;
  }
  return segments;
}

export const framesTarget: FuzzTarget<ProxyCase> = {
  name: 'frames',
  casesInTests: 200,
  make,
  // Streams whose reset cannot be sent end with their connection after twice this.
  start: () =>
    startProxy({
      ...withConstants({ connectTimeoutMs: 500, keepAliveTimeoutMs: 2_600 }),
      ...withConstants({ idleTimeoutMs: 2_600, lingerTimeoutMs: 300 }),
      responseTimeoutMs: 1_000,
    }),
};
