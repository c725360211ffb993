// Speaks HTTP/1.x: an http.Server with this project's limits behind a ConnectionSocket. This server listens for all
// protocols; it passes accepted sockets to `accept`, which finds out the protocol and returns HTTP/1 ones by `speak`.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type TLSSocket, Server as TlsServer } from 'node:tls';
import { hasTooManyFields, maxFields } from '../../http/field-count.ts';
import { type ConnectionLayer, ConnectionSocket } from './connection-socket.ts';
import type { Ending } from './connections.ts';
import { limitSilence } from './content-time.ts';
import type { Request } from './handler.ts';
import type { ServerLimits } from './limits.ts';
import { PipelinedConnection } from './pipelined-connection.ts';

export interface Http1Server {
  readonly server: Server;
  /** Starts HTTP/1 on a socket. @returns How to end the connection gracefully */
  speak(socket: Socket | TLSSocket): Required<Ending>;
  /** Returns the number of socket writes so far. */
  writes(): number;
}

/** Hooks that createOrigin and createProxy may add; over HTTP/2 they are `leaveChecks` and `onBrokenContent` alone. */
export interface ServerExtras {
  /**
   * Leaves two checks to the request handler: Expect (RFC 9110 10.1.1), which node:http2 would answer, too, and a
   * missing Host. http.Server answers them outside the connection's queue, and continues to read after its own 400.
   */
  readonly leaveChecks?: boolean;
  /** Called for a request whose content is malformed or too slow, before the client gets an error in answer. */
  onBrokenContent?(req: Request): void;
  /** Called for a WebSocket handshake when all earlier requests are answered; returns how to close the tunnel. */
  onWebSocket?(req: IncomingMessage, socket: ConnectionSocket, head: Buffer): () => void;
  /** Functions that change each HTTP/1 connection (ConnectionLayer), in order; a later one may undo an earlier one. */
  readonly layers?: readonly ConnectionLayer[];
}

/** Returns whether an upgrade is to a WebSocket; no other is made: `Upgrade: h2c` would bypass every check here. */
function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/** Returns the status for an error that http.Server reports; undefined for lost connections. */
function statusOf(code: string | undefined): number | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 413;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  return code?.startsWith('HPE_') ? 400 : undefined;
}

/**
 * Returns the time between two checks of timeouts, ms: an eighth of the header timeout, but at most 1 s. Node's default
 * of 30 s is too long.
 */
function checkingIntervalMs(headersTimeoutMs: number): number {
  return Math.min(1_000, Math.ceil(headersTimeoutMs / 8));
}

/**
 * Puts `receive` between a server's accepted sockets and its HTTP parser. `receive` starts the parser by calling
 * `proceed` with a socket of its choice.
 */
export function interceptConnections(
  server: Server,
  receive: (socket: Socket | TLSSocket, proceed: (socket: Duplex) => void) => void,
): void {
  // An https.Server parses HTTP on decrypted sockets.
  const event = server instanceof TlsServer ? 'secureConnection' : 'connection';
  // The first listener is the server's own, which its constructor added.
  const [own] = server.listeners(event);
  if (own === undefined) throw new TypeError(`the server has no listener for '${event}'`);
  server.removeListener(event, own as (...args: unknown[]) => void);
  server.on(event, (socket: Socket | TLSSocket) => {
    receive(socket, (chosen) => own.call(server, chosen));
  });
}

export function http1Server(
  limits: ServerLimits,
  accept: (socket: Socket) => void,
  onRequest: (req: IncomingMessage, res: ServerResponse) => void,
  { leaveChecks = false, onBrokenContent, onWebSocket, layers = [] }: ServerExtras = {},
): Http1Server {
  const connections = new WeakMap<Duplex, PipelinedConnection>();
  const open = new Set<ConnectionSocket>();
  let writesOfClosed = 0;
  const take = (req: IncomingMessage, res: ServerResponse): void => {
    const connection = connections.get(req.socket);
    if (hasTooManyFields(req.rawHeaders)) connection?.fail(431);
    else {
      connection?.accept(req, res, () => onRequest(req, res));
      if (!req.complete) limitSilence(req, limits.contentTimeoutMs, () => connection?.fail(408));
    }
  };
  const server = createServer(
    {
      insecureHTTPParser: false,
      requireHostHeader: !leaveChecks,
      // Node has shouldUpgradeCallback from 24.9 on; without it, any upgrade but to a WebSocket gets 400.
      ...(onWebSocket && { shouldUpgradeCallback: isWebSocket }),
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersTimeoutMs,
      // For Node, 0 means no limit.
      requestTimeout: limits.requestTimeoutMs === Infinity ? 0 : limits.requestTimeoutMs,
      connectionsCheckingInterval: checkingIntervalMs(limits.headersTimeoutMs),
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      keepAliveTimeoutBuffer: 0,
    },
    take,
  );
  // Some versions of Node report fields beyond this count as an overflow; others drop them silently, perhaps
  // Content-Length. One field too many is accepted, so that the excess shows, and the request is refused.
  server.maxHeadersCount = maxFields + 1;
  server.timeout = limits.idleTimeoutMs;
  // A client may close its half after its last request and wait for the responses.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  // Node's close() would cut idle connections with a request in transit; here, idle ones are closed half by half.
  server.closeIdleConnections = () => {};

  // CONNECT, a tunnel to anywhere (RFC 9110 9.3.6), is not supported.
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
      // After an upgrade request, http.Server handles no error of the socket; one is ignored, as the socket closes.
      socket.on('error', () => {});
      const connection = connections.get(socket);
      if (hasTooManyFields(req.rawHeaders)) connection?.fail(431);
      else if (!isWebSocket(req)) connection?.fail(400);
      else connection?.tunnel(() => onWebSocket(req, socket as ConnectionSocket, head));
    });
  }

  server.on('timeout', (socket: ConnectionSocket) => {
    const { bytesRead } = socket.raw;
    setImmediate(() => {
      if (socket.raw.bytesRead === bytesRead) connections.get(socket)?.onTimeout();
    });
  });
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
      const socket = new ConnectionSocket(raw, limits);
      const connection = new PipelinedConnection(socket, limits, onBrokenContent);
      socket.isAtRequest = () => connection.isIdle;
      for (const layer of layers) layer(socket);
      connections.set(socket, connection);
      open.add(socket);
      socket.once('close', () => {
        open.delete(socket);
        writesOfClosed += socket.writes;
      });
      speakOn(socket);
      return connection;
    },
    writes: () => [...open].reduce((sum, socket) => sum + socket.writes, writesOfClosed),
  };
}
