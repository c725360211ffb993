// The end of an http.Server without a request lost (RFC 9112 9.6): nothing new is accepted; what comes on open
// connections for a little while yet was sent before its client could know, so it is answered, and told that it
// was the last; then idle connections are closed, what was begun may finish, and the rest is cut.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface ShutdownTimes {
  /** Idle connections are kept for so long, ms. */
  drainMs: number;
  /** Begun requests may finish for so long, ms. */
  closeMs: number;
}

/** Who floods a server with connections does not keep it from ending. */
const mostTurns = 100;
/** While connections end, ms. */
const lookMs = 50;

export class GracefulShutdown {
  readonly #server: Server;
  readonly #closeIdle: () => void;
  /** Connections that never asked anything: http.Server takes them for busy. */
  readonly #silent = new Set<Socket>();
  #accepted = 0;
  #isEnding = false;
  #isCut = false;

  /** Before the server listens, and before others listen to its requests. */
  constructor(server: Server) {
    this.#server = server;
    this.#closeIdle = server.closeIdleConnections.bind(server);
    // close() would cut those that have a request on the way.
    server.closeIdleConnections = () => {};
    server.on('connection', (socket: Socket) => {
      this.#accepted++;
      if (this.#isCut) socket.destroy();
      this.#silent.add(socket);
      socket.once('close', () => this.#silent.delete(socket));
    });
    server.prependListener('request', (request, response) => this.#take(request, response));
  }

  #take({ socket }: IncomingMessage, response: ServerResponse): void {
    this.#silent.delete(socket);
    if (this.#isEnding) response.setHeader('Connection', 'close');
  }

  async end({ drainMs, closeMs }: ShutdownTimes): Promise<void> {
    const server = this.#server;
    await this.#acceptWaiting();
    this.#isEnding = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    let idle: NodeJS.Timeout | undefined;
    const drained = setTimeout(
      () => {
        for (const socket of this.#silent) socket.destroy();
        this.#closeIdle();
        // What is answered later leaves an idle connection, too. (To note each response would cost every request.)
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

  /** Nothing is waited for: every connection ends now. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#silent) socket.destroy();
    this.#server.closeAllConnections();
  }

  /** Connections that the kernel has accepted already are taken first: closing would reset them. */
  async #acceptWaiting(): Promise<void> {
    await nextTurn();
    for (let turn = 0, before = -1; turn < mostTurns && this.#accepted > before; turn++) {
      before = this.#accepted;
      await nextTurn();
    }
  }
}
