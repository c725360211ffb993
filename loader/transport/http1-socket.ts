// What undici does not tell about an HTTP/1.x connection, read off its socket: which version the
// server speaks, bytes that answer nothing, and a status line without end. And what it does not do: hold back what
// has come for a reader that is busy. A paused parser of undici's is destroyed at the server's FIN, though the rest
// of the body, or only its end, was there; here the bytes stay in the socket, and their end behind them.

import type { Socket } from 'node:net';

export interface Http1Events {
  /** Requests under way. */
  waiting(): number;
  /** The header section of the response that is due has not come whole. */
  awaitsHead(): boolean;
  /** The server speaks HTTP/1.0. */
  onVersion10(): void;
  /** Bytes behind the last response. */
  onSurplus(): void;
  /** More came than any header section within the limit can be. */
  onEndlessHead(): void;
}

/** What one read of a socket holds at most, roughly: it may begin with the end of another response. */
const readSize = 64 * 1024;
const http10 = Buffer.from('HTTP/1.0');

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
  let first = true;
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
    if (first && chunk.subarray(0, http10.length).equals(http10)) events.onVersion10();
    first = false;
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
