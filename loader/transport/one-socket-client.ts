// An undici client that has one socket and never another: undici parses and frames; which requests go where,
// how many run ahead, how long they may take, and what is sent again is decided elsewhere.

import type { Socket } from 'node:net';
import type { Client } from 'undici';
import { LoaderError } from '../errors.ts';

export interface OneSocketOptions {
  /** Header section of one response, bytes. */
  maxHeaderBytes: number;
  allowH2: boolean;
  /** The socket is of no more use to the client: it asked for another, which it does not get. */
  onOver: (error: LoaderError) => void;
}

type Connected = (error: Error | null, socket: Socket | null) => void;

export function oneSocketClient(
  UndiciClient: typeof Client,
  origin: URL,
  socket: Socket,
  options: OneSocketOptions,
): Client {
  let used = false;
  const connect = (_options: unknown, callback: Connected): void => {
    const ended = new LoaderError('connection-lost', 'the server ended the connection');
    if (used) {
      // It wants to go on elsewhere (HTTP/2 GOAWAY leaves the socket open): that is the pool's to
      // say. Not in a microtask: undici would ask again in the next one, for ever.
      setImmediate(() => {
        options.onOver(ended);
        callback(ended, null);
      });
      return;
    }
    used = true;
    queueMicrotask(() => (socket.destroyed ? callback(ended, null) : callback(null, socket)));
  };
  return new UndiciClient(origin.origin, {
    connect,
    pipelining: 100_000, // how many is the pool's to say
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 60_000,
    keepAliveTimeoutThreshold: 0, // else it sits on requests when a server says timeout=1
    maxHeaderSize: options.maxHeaderBytes,
    allowH2: options.allowH2,
  } as unknown as Client.Options);
}
