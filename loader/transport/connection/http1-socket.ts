// Observes on the socket of an HTTP/1.x connection what undici does not report: the server's HTTP version, surplus
// bytes, an endless status line, and a status line of another protocol that undici's parser accepts (HTTP/2.0,
// RTSP/1.0, ICE/1.0). It also pauses for a busy reader: undici would destroy a paused parser at the server's FIN,
// even with the rest of the body received. Here the bytes stay in the socket, followed by the end of the stream.

import type { Socket } from 'node:net';
import type { StrictForm } from './strict-form.ts';

export interface Http1Events {
  /** Number of requests in flight. */
  waiting(): number;
  /** Whether the header section of the next response is incomplete. */
  awaitsHead(): boolean;
  /** Whether no byte of the next response has arrived. */
  awaitsFirstByte(): boolean;
  /** The server speaks HTTP/1.0. */
  onVersion10(): void;
  /** A response does not begin like HTTP/1.x, so undici gets none of it. @param begins Its first characters. */
  onForeign(begins: string): void;
  /** Bytes arrived after the last response. */
  onSurplus(): void;
  /** More bytes arrived than the header section limit allows. */
  onEndlessHead(): void;
}

/** Approximate maximum of one socket read, which may begin with the end of another response. */
const readSize = 64 * 1024;
/** Number of characters that contain the version and the first digits of the status. */
const firstBytes = 'HTTP/1.0 200'.length;

/** Start of a status line, with the first digit of the three-digit status (RFC 9112 4, RFC 9110 15). */
const isHttp1 = /^HTTP\/1\.\d [1-9]/;
/** Printable ASCII. For other bytes the parser's own error is more specific. */
const isText = /^[\x20-\x7e]+$/;

export interface Http1Socket {
  /** Called when a complete header section has arrived. */
  headComplete(): void;
  /** Stops reading until `resume` has been called as often. */
  pause(): void;
  resume(): void;
  /** Reads the next response, which is the only one, tolerantly. */
  tolerate(form: StrictForm): void;
}

export function watchHttp1(
  socket: Socket,
  maxHeaderBytes: number,
  events: Http1Events,
): Http1Socket {
  let pauses = 0;
  let headBytes = 0;
  /** First bytes of a response while they are too few to determine the version; null: determined. */
  let begins: string | null = null;
  let isForeign = false;
  let form: StrictForm | null = null;
  // undici puts back bytes that follow the last response of a closing connection.
  const unshift = socket.unshift.bind(socket);
  socket.unshift = (chunk: Uint8Array, encoding?: BufferEncoding) => {
    if (events.waiting() === 0 && chunk.length > 0) events.onSurplus();
    unshift(chunk, encoding);
  };
  const read = socket.read.bind(socket);
  socket.read = (size?: number) => {
    if (pauses > 0) return null;
    let chunk = read(size) as Buffer | null;
    if (form !== null) {
      while (chunk !== null) {
        chunk = form.write(chunk);
        if (chunk.length > 0) break;
        chunk = read(size) as Buffer | null;
      }
    }
    if (chunk === null) return chunk;
    if (isForeign) return null;
    if (events.awaitsFirstByte()) begins = '';
    if (begins !== null) {
      // Line breaks before a status line are ignored (RFC 9112 2.2).
      begins = `${begins}${chunk.toString('latin1', 0, 64)}`.replace(/^[\r\n]+/, '');
      if (begins.length >= firstBytes) {
        const begun = begins.slice(0, firstBytes);
        const version = begun.slice(0, 'HTTP/1.0'.length);
        begins = null;
        if (version === 'HTTP/1.0') events.onVersion10();
        isForeign = isText.test(version) && !isHttp1.test(begun);
        if (isForeign) {
          events.onForeign(begun);
          return null;
        }
      }
    }
    if (events.awaitsHead()) {
      // undici limits the fields but not the status line.
      headBytes += chunk.length;
      if (headBytes > maxHeaderBytes + readSize) events.onEndlessHead();
    }
    return chunk;
  };
  return {
    headComplete: () => {
      headBytes = 0;
    },
    tolerate: (given) => {
      form = given;
    },
    pause: () => {
      pauses++;
    },
    resume: () => {
      pauses--;
      // Readers may have been refused in the meantime, so they are notified. This is deferred because the parser may be
      // delivering the end of the body right now.
      queueMicrotask(() => {
        if (pauses === 0 && !socket.destroyed) socket.emit('readable');
      });
    },
  };
}
