// An undici client with exactly one socket. undici parses and frames messages; other files decide which requests are
// sent where, and about pipelining depth, timeouts and retries.

import type { Socket } from 'node:net';
import type { Client, Dispatcher } from 'undici';
import { LoaderError } from '../../errors.ts';
import { kParser } from '../connect/undici.ts';
import type { WireRequest } from './http2-client.ts';

type Connected = (error: Error | null, socket: Socket | null) => void;

export interface OneSocketClient {
  dispatch(request: WireRequest, handler: Dispatcher.DispatchHandler, isLast: boolean): void;
  destroy(): Promise<void>;
}

/**
 * @param maxHeaderBytes Limit of one header section, bytes.
 * @param onOver The client cannot use the socket any more: it asked for another one, which it does not get.
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
      // The pool decides what happens next. In a microtask, undici would ask again in the next microtask, forever.
      setImmediate(() => {
        onOver(ended);
        callback(ended, null);
      });
      return;
    }
    used = true;
    queueMicrotask(() => {
      if (socket.destroyed) return callback(ended, null);
      callback(null, socket);
      takeContinue(socket);
    });
  };
  const client = new UndiciClient(origin.origin, {
    connect,
    pipelining: 100_000, // the pool limits the depth
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 60_000,
    // keep-alive.ts handles the server's Keep-Alive; undici would delay requests after timeout=1, and close after 0.
    keepAliveTimeoutThreshold: -60_000,
    maxHeaderSize: maxHeaderBytes,
    allowH2: false,
  } as unknown as Client.Options);
  return {
    dispatch(request, handler, isLast) {
      // By default undici closes a connection after HEAD.
      const options = { ...request, blocking: false, reset: isLast };
      client.dispatch(options as unknown as Dispatcher.DispatchOptions, handler);
    },
    destroy: () => client.destroy(),
  };
}

interface Parser {
  onHeadersComplete(status: number, ...rest: unknown[]): number;
}

/**
 * undici ends the connection at a 100 (Continue), although a client must be able to parse one that it did not ask for
 * (RFC 9110 15.2). The 100 is passed on as a 102, which undici reports like any interim response.
 */
function takeContinue(socket: Socket): void {
  const parser = (socket as unknown as Record<symbol, Parser | null>)[kParser];
  if (!parser) return;
  const complete = parser.onHeadersComplete.bind(parser);
  parser.onHeadersComplete = (status, ...rest) => complete(status === 100 ? 102 : status, ...rest);
}
