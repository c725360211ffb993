// Adds coalescing to any existing server: `coalesce(http.createServer(app))`. Pipelined responses are then sent in full
// writes, and each half of a connection is closed separately; the application is unchanged.

import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type TLSSocket, Server as TlsServer } from 'node:tls';
import { CoalescingSocket } from './coalescing-socket.ts';

/**
 * Puts `receive` between a server's accepted sockets and its HTTP parser. `receive` starts the parser by calling
 * `proceed` with a socket of its choice.
 */
export function interceptConnections(
  server: HttpServer,
  receive: (socket: Socket | TLSSocket, proceed: (socket: Duplex) => void) => void,
): void {
  // An https.Server parses HTTP on decrypted sockets.
  const event = server instanceof TlsServer ? 'secureConnection' : 'connection';
  // The server's own listener is the first, added by its constructor.
  const [own] = server.listeners(event);
  if (own === undefined) throw new TypeError(`the server has no listener for '${event}'`);
  server.removeListener(event, own as (...args: unknown[]) => void);
  server.on(event, (socket: Socket | TLSSocket) => {
    receive(socket, (chosen) => own.call(server, chosen));
  });
}

/**
 * Makes an http.Server or https.Server coalesce its responses. Call it before the server listens. Returns the server.
 */
export function coalesce<Server extends HttpServer>(server: Server): Server {
  interceptConnections(server, (socket, proceed) => {
    proceed(new CoalescingSocket(socket));
  });
  return server;
}
