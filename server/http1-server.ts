// HTTP/1.x: http.Server, told our limits, behind a coalescing socket. It is also the one that listens;
// what it accepts is passed to `accept`, and what turns out to speak HTTP/1 comes back by `speak`.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { interceptConnections } from './coalesce.ts';
import { CoalescingSocket } from './coalescing-socket.ts';
import type { Limits } from './limits.ts';
import { PipelinedConnection } from './pipelined-connection.ts';

export interface Http1Server {
  readonly server: Server;
  /** Starts HTTP/1 on a socket; the result ends it gracefully. */
  speak(socket: Socket | TLSSocket): { close(): void };
  /** Writes to sockets so far. */
  writes(): number;
}

/** What http.Server reports about a connection, as a status; undefined for lost connections. */
function statusOf(code: string | undefined): number | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 413;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  return code?.startsWith('HPE_') ? 400 : undefined;
}

/** The header timeout is looked at eight times in its length: Node's own 30 s would make it 40. */
function checkingIntervalMs(headersTimeoutMs: number): number {
  return Math.min(1_000, Math.ceil(headersTimeoutMs / 8));
}

export function http1Server(
  limits: Limits,
  accept: (socket: Socket) => void,
  onRequest: (req: IncomingMessage, res: ServerResponse) => void,
): Http1Server {
  const connections = new WeakMap<Duplex, PipelinedConnection>();
  const open = new Set<CoalescingSocket>();
  let writesOfClosed = 0;
  const server = createServer(
    {
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: checkingIntervalMs(limits.headersTimeoutMs),
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      keepAliveTimeoutBuffer: 0,
    },
    (req, res) => connections.get(req.socket)?.take(req, res, () => onRequest(req, res)),
  );
  server.timeout = limits.idleTimeoutMs;
  // A client that has sent its last request may close its half and wait for the answers.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  // close() would cut idle connections, which may have a request on the way; ours are closed half by half.
  server.closeIdleConnections = () => {};

  server.on('timeout', (socket: Duplex) => connections.get(socket)?.onTimeout());
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const status = statusOf(error.code);
    if (status === undefined) socket.destroy();
    else connections.get(socket)?.fail(status);
  });

  let speakOn: (socket: Duplex) => void;
  interceptConnections(server, (socket, proceed) => {
    speakOn = proceed;
    accept(socket);
  });

  return {
    server,
    speak(raw) {
      const socket = new CoalescingSocket(raw, limits);
      const connection = new PipelinedConnection(socket, limits);
      connections.set(socket, connection);
      open.add(socket);
      socket.once('close', () => {
        open.delete(socket);
        writesOfClosed += socket.flushes;
      });
      speakOn(socket);
      return connection;
    },
    writes: () => [...open].reduce((sum, socket) => sum + socket.flushes, writesOfClosed),
  };
}
