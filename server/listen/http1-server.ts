// HTTP/1.x: http.Server, told our limits, behind a coalescing socket. It is also the one that listens;
// what it accepts is passed to `accept`, and what turns out to speak HTTP/1 comes back by `speak`.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { interceptConnections } from './coalesce.ts';
import { CoalescingSocket } from './coalescing-socket.ts';
import type { Ending } from './connections.ts';
import type { Limits } from './limits.ts';
import { PipelinedConnection } from './pipelined-connection.ts';

export interface Http1Server {
  readonly server: Server;
  /** Starts HTTP/1 on a socket; the result ends it gracefully. */
  speak(socket: Socket | TLSSocket): Required<Ending>;
  /** Writes to sockets so far. */
  writes(): number;
}

/** What createProxy asks for beyond requests. */
export interface Http1Extras {
  /**
   * What http.Server answers by itself, past the queue of the connection, is left to the request's
   * handler: Expect (RFC 9110 10.1.1) and a missing Host. It reads on behind its own 400.
   */
  readonly leaveChecks?: boolean;
  /** A request whose content turned out to be malformed or too slow; the client is told already. */
  onBrokenContent?(req: IncomingMessage): void;
  /** A websocket handshake, in its turn, everything before it answered. The result ends the tunnel. */
  onWebSocket?(req: IncomingMessage, socket: CoalescingSocket, head: Buffer): () => void;
}

/** The one protocol that is switched to: `Upgrade: h2c` in a tunnel would escape every check here. */
function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
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
  { leaveChecks = false, onBrokenContent, onWebSocket }: Http1Extras = {},
): Http1Server {
  const connections = new WeakMap<Duplex, PipelinedConnection>();
  const open = new Set<CoalescingSocket>();
  let writesOfClosed = 0;
  const take = (req: IncomingMessage, res: ServerResponse): void =>
    connections.get(req.socket)?.take(req, res, () => onRequest(req, res));
  const server = createServer(
    {
      insecureHTTPParser: false,
      requireHostHeader: !leaveChecks,
      // Since Node 24.9; before, a protocol we do not switch to ends the connection (see below).
      ...(onWebSocket && { shouldUpgradeCallback: isWebSocket }),
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: checkingIntervalMs(limits.headersTimeoutMs),
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      keepAliveTimeoutBuffer: 0,
    },
    take,
  );
  // Fields beyond Node's 2,000 would be dropped in silence, the one with the length among them. Their
  // bytes are bounded.
  server.maxHeadersCount = 0;
  server.timeout = limits.idleTimeoutMs;
  // A client that has sent its last request may close its half and wait for the answers.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  // close() would cut idle connections, which may have a request on the way; ours are closed half by half.
  server.closeIdleConnections = () => {};

  // A tunnel to anywhere (RFC 9110 9.3.6): not here.
  server.on('connect', (_req, socket: Duplex) => {
    socket.on('error', () => {});
    connections.get(socket)?.fail(405);
  });
  if (leaveChecks) {
    server.on('checkContinue', take);
    server.on('checkExpectation', take);
  }
  if (onWebSocket) {
    server.on('upgrade', (req, socket: Duplex, head) => {
      // http.Server has let go of it. Its close follows.
      socket.on('error', () => {});
      const connection = connections.get(socket);
      if (!isWebSocket(req)) connection?.fail(400);
      else connection?.tunnel(() => onWebSocket(req, socket as CoalescingSocket, head));
    });
  }

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
      const connection = new PipelinedConnection(socket, limits, onBrokenContent);
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
