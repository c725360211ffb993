// An undici client that has one socket and never another: undici parses and frames; which requests go where,
// how many run ahead, how long they may take, and what is sent again is decided elsewhere.

import type { Socket } from 'node:net';
import type { Client, Dispatcher } from 'undici';
import { LoaderError } from '../../errors.ts';
import type { WireRequest } from './http2-client.ts';

type Connected = (error: Error | null, socket: Socket | null) => void;

export interface OneSocketClient {
  dispatch(request: WireRequest, handler: Dispatcher.DispatchHandler, isLast: boolean): void;
  destroy(): Promise<void>;
}

/**
 * @param maxHeaderBytes header section of one response, bytes.
 * @param onOver the socket is of no more use to the client: it asked for another, which it does not get.
 */
export function oneSocketClient(
  UndiciClient: typeof Client,
  origin: URL,
  socket: Socket,
  maxHeaderBytes: number,
  onOver: (error: LoaderError) => void,
): OneSocketClient {
  let used = false;
  const connect = (_options: unknown, callback: Connected): void => {
    const ended = new LoaderError('connection-lost', 'the server ended the connection');
    if (used) {
      // What goes on elsewhere is the pool's to say. Not in a microtask: undici would ask again in
      // the next one, for ever.
      setImmediate(() => {
        onOver(ended);
        callback(ended, null);
      });
      return;
    }
    used = true;
    queueMicrotask(() => (socket.destroyed ? callback(ended, null) : callback(null, socket)));
  };
  const client = new UndiciClient(origin.origin, {
    connect,
    pipelining: 100_000, // how many is the pool's to say
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 60_000,
    keepAliveTimeoutThreshold: 0, // else it sits on requests when a server says timeout=1
    maxHeaderSize: maxHeaderBytes,
    allowH2: false,
  } as unknown as Client.Options);
  return {
    dispatch(request, handler, isLast) {
      // undici ends a connection behind HEAD unless it is told not to.
      const options = { ...request, blocking: false, reset: isLast };
      client.dispatch(options as unknown as Dispatcher.DispatchOptions, handler);
    },
    destroy: () => client.destroy(),
  };
}
