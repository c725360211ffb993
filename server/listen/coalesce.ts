// Coalescing for anybody's own server: `coalesce(http.createServer(app))`. Pipelined answers then leave
// in full writes and connections end half by half; the application is not touched.

import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type TLSSocket, Server as TlsServer } from 'node:tls';
import { type CoalesceOptions, CoalescingSocket } from './coalescing-socket.ts';
import { checkLimits } from './limits.ts';

/**
 * Puts `receive` between a server's accepted sockets and the server's own reading of HTTP, which it
 * calls as `proceed` with a socket of its choice.
 */
export function interceptConnections(
  server: HttpServer,
  receive: (socket: Socket | TLSSocket, proceed: (socket: Duplex) => void) => void,
): void {
  // https.Server speaks HTTP on what comes out of TLS.
  const event = server instanceof TlsServer ? 'secureConnection' : 'connection';
  // The server's own listener is its first, made in its constructor.
  const [own] = server.listeners(event);
  if (own === undefined) throw new TypeError(`the server has no listener for '${event}'`);
  server.removeListener(event, own as (...args: unknown[]) => void);
  server.on(event, (socket: Socket | TLSSocket) => {
    receive(socket, (chosen) => own.call(server, chosen));
  });
}

/**
 * Makes an http.Server or https.Server coalesce its answers. Call it before the server listens;
 * returns the server.
 * @throws ServerError 'invalid-option'
 */
export function coalesce<Server extends HttpServer>(
  server: Server,
  options: CoalesceOptions = {},
): Server {
  checkLimits(options);
  interceptConnections(server, (socket, proceed) => {
    proceed(new CoalescingSocket(socket, options));
  });
  return server;
}
