// Shuts down an http.Server without losing a request (RFC 9112 9.6). It stops accepting connections. Requests that
// still arrive on open connections for a short time were sent before the client could know: they are answered with
// `Connection: close`. Then idle connections are closed, pending requests may finish, and the rest is cut off.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface ShutdownTimes {
  /** How long idle connections stay open after shutdown begins, for requests in transit, ms. */
  drainMs: number;
  /** How long pending requests may take to finish, ms. */
  closeMs: number;
}

/** Limit on turns of the event loop spent accepting at shutdown, so that a flood of connections does not delay it. */
const mostTurns = 100;
/** Interval for checking connections during shutdown, ms. */
const lookMs = 50;

export class GracefulShutdown {
  readonly #server: Server;
  readonly #closeIdle: () => void;
  /** Connections without any request so far, which http.Server considers busy. */
  readonly #silent = new Set<Socket>();
  #accepted = 0;
  #isEnding = false;
  #isCut = false;

  /** Watches the server; must be called before the server listens, and before other request listeners are added. */
  constructor(server: Server) {
    this.#server = server;
    this.#closeIdle = server.closeIdleConnections.bind(server);
    // Node's close() calls this, and would cut connections with a request in transit.
    server.closeIdleConnections = () => {};
    server.on('connection', (socket: Socket) => {
      this.#accepted++;
      if (this.#isCut) socket.destroy();
      this.#silent.add(socket);
      socket.once('close', () => this.#silent.delete(socket));
    });
    server.prependListener('request', (request, response) => this.#onRequest(request, response));
  }

  #onRequest({ socket }: IncomingMessage, response: ServerResponse): void {
    this.#silent.delete(socket);
    if (this.#isEnding) response.setHeader('Connection', 'close');
  }

  async shutDown({ drainMs, closeMs }: ShutdownTimes): Promise<void> {
    const server = this.#server;
    await this.#acceptWaiting();
    this.#isEnding = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    let idle: NodeJS.Timeout | undefined;
    const drained = setTimeout(
      () => {
        for (const socket of this.#silent) socket.destroy();
        this.#closeIdle();
        // Connections with pending requests become idle once the last response is sent. To notice each response would
        // slow down every request, so idle connections are looked for at intervals.
        idle = setInterval(this.#closeIdle, lookMs);
      },
      Math.min(drainMs, closeMs / 2),
    );
    const deadline = setTimeout(() => server.closeAllConnections(), closeMs);
    await closed;
    clearTimeout(drained);
    clearInterval(idle);
    clearTimeout(deadline);
  }

  /** Closes every connection at once. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#silent) socket.destroy();
    this.#server.closeAllConnections();
  }

  /** Accepts connections that the kernel has already established; closing the server would reset them. */
  async #acceptWaiting(): Promise<void> {
    await nextTurn();
    for (let turn = 0, before = -1; turn < mostTurns && this.#accepted > before; turn++) {
      before = this.#accepted;
      await nextTurn();
    }
  }
}
