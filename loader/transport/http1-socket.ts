// What undici does not tell about an HTTP/1.x connection, read off its socket: which version the
// server speaks, bytes that answer nothing, and a status line without end.

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

/** @returns to be called when a header section is complete. */
export function watchHttp1(
  socket: Socket,
  maxHeaderBytes: number,
  events: Http1Events,
): () => void {
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
  return () => {
    headBytes = 0;
  };
}
