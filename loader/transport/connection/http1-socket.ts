// What undici does not tell about an HTTP/1.x connection, read off its socket: which version the
// server speaks, bytes that answer nothing, a status line without end, and one of another protocol, which its
// parser takes (HTTP/2.0, RTSP/1.0, ICE/1.0). And what it does not do: hold back what has come for a reader that is
// busy. A paused parser of undici's is destroyed at the server's FIN, though the rest of the body, or only its end,
// was there; here the bytes stay in the socket, and their end behind them.

import type { Socket } from 'node:net';

export interface Http1Events {
  /** Requests under way. */
  waiting(): number;
  /** The header section of the response that is due has not come whole. */
  awaitsHead(): boolean;
  /** Of the response that is due no byte has come. */
  awaitsFirstByte(): boolean;
  /** The server speaks HTTP/1.0. */
  onVersion10(): void;
  /** A response does not begin as HTTP/1.x does; undici gets nothing of it. @param begins how it begins. */
  onForeign(begins: string): void;
  /** Bytes behind the last response. */
  onSurplus(): void;
  /** More came than any header section within the limit can be. */
  onEndlessHead(): void;
}

/** What one read of a socket holds at most, roughly: it may begin with the end of another response. */
const readSize = 64 * 1024;
/** They tell version and status. */
const firstBytes = 'HTTP/1.0 200'.length;

/** With a status of three digits, the first of which makes its class (RFC 9112 4, RFC 9110 15). */
const isHttp1 = /^HTTP\/1\.\d [1-9]/;
/** Of other bytes the parser says more than we can. */
const isText = /^[\x20-\x7e]+$/;

export interface Http1Socket {
  /** The header section of a response came whole. */
  headComplete(): void;
  /** Nothing more is read until each call has had its `resume`. */
  pause(): void;
  resume(): void;
}

export function watchHttp1(
  socket: Socket,
  maxHeaderBytes: number,
  events: Http1Events,
): Http1Socket {
  let pauses = 0;
  let headBytes = 0;
  /** The first bytes of a response, while there are too few to tell its version; null: it is told. */
  let begins: string | null = null;
  let isForeign = false;
  // Bytes behind the last response of a connection that is being closed: undici puts them back.
  const unshift = socket.unshift.bind(socket);
  socket.unshift = (chunk: Uint8Array, encoding?: BufferEncoding) => {
    if (events.waiting() === 0 && chunk.length > 0) events.onSurplus();
    unshift(chunk, encoding);
  };
  const read = socket.read.bind(socket);
  socket.read = (size?: number) => {
    if (pauses > 0) return null;
    const chunk = read(size) as Buffer | null;
    if (chunk === null) return chunk;
    if (isForeign) return null;
    if (events.awaitsFirstByte()) begins = '';
    if (begins !== null) {
      // A line end before it is passed over (RFC 9112 2.2).
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
      // undici bounds the fields, not the status line before them.
      headBytes += chunk.length;
      if (headBytes > maxHeaderBytes + readSize) events.onEndlessHead();
    }
    return chunk;
  };
  return {
    headComplete: () => {
      headBytes = 0;
    },
    pause: () => {
      pauses++;
    },
    resume: () => {
      pauses--;
      // Whoever waits for bytes, or for the end, may have been turned away meanwhile. Not from inside the parser,
      // which may be handing on the end of the body.
      queueMicrotask(() => {
        if (pauses === 0 && !socket.destroyed) socket.emit('readable');
      });
    },
  };
}
