// Keeps the lines (connections) of a server: the state of each, and the timers of those that are held open for further
// requests. For the state table, a pipelined request arrives when the reply before it has been sent, so a line with a
// pending request is never held. If more lines are held than allowed, the one that has been held longest is closed.

import type { Socket } from 'node:net';
import { type LineEdges, nextState } from '../../http/hold-line.ts';

type Arrival = 'rcv std' | 'rcv hl';

interface HeldConnection {
  state: HeldLineState;
  /** Requests that arrived before the previous request was answered. */
  readonly pipelined: Arrival[];
}

interface Held {
  readonly timer: NodeJS.Timeout;
  /** Monotonic time since which the connection is held open, ms. */
  readonly since: number;
}

export class HeldLines {
  readonly #most: number;
  readonly #connections = new WeakMap<Socket, HeldConnection>();
  /** The connections that are held open, the one that has been held longest first. */
  readonly #held = new Map<Socket, Held>();
  closedEarly = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get held(): number {
    return this.#held.size;
  }

  /** How long the connection that is held longest has been held, seconds; 0 if none is held. */
  get oldestSeconds(): number {
    const [oldest] = this.#held.values();
    return oldest === undefined ? 0 : (performance.now() - oldest.since) / 1000;
  }

  /** Notes that a request has arrived on a connection, which is then no longer held. @returns Whether it was held */
  receive(socket: Socket, event: Arrival): boolean {
    const known = this.#connections.get(socket);
    const connection: HeldConnection = known ?? { state: 'open', pipelined: [] };
    if (known === undefined) {
      this.#connections.set(socket, connection);
      socket.once('close', () => this.#release(socket));
    }
    if (isBusy(connection)) {
      connection.pipelined.push(event);
      return false;
    }
    const wasHeld = this.#release(socket);
    arrive(connection, event);
    return wasHeld;
  }

  /**
   * Notes that a reply was sent or its client is gone, and holds the connection open if the reply says so.
   * @param seconds Value of the reply's Hold-Line field; null: it has none
   */
  replied(socket: Socket, seconds: number | null): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined || !isBusy(connection)) return;
    move(connection, seconds === null ? 'reply std' : 'reply hl');
    const next = connection.pipelined.shift();
    if (next !== undefined) arrive(connection, next);
    else if (seconds !== null && !socket.destroyed) this.#hold(socket, seconds);
  }

  #hold(socket: Socket, seconds: number): void {
    const timer = setTimeout(() => this.#close(socket), 1000 * seconds).unref();
    // The server's own timeout is switched off, because it would close the held connection earlier.
    socket.setTimeout(0);
    this.#held.set(socket, { timer, since: performance.now() });
    const [oldest] = this.#held.keys();
    if (this.#held.size > this.#most && oldest !== undefined) {
      this.closedEarly++;
      this.#close(oldest);
    }
  }

  #close(socket: Socket): void {
    if (!this.#release(socket)) return;
    const connection = this.#connections.get(socket);
    if (connection !== undefined) move(connection, 'hl timeout');
    socket.destroySoon();
  }

  /** Stops the timer that would close a held connection, and forgets that it is held. @returns Whether it was held */
  #release(socket: Socket): boolean {
    clearTimeout(this.#held.get(socket)?.timer);
    return this.#held.delete(socket);
  }
}

const isBusy = ({ state }: HeldConnection): boolean => state === 'standard' || state === 'asked';

function arrive(connection: HeldConnection, event: Arrival): void {
  // Hauck's diagram closes a connection after a reply without Hold-Line, but HTTP alone may have kept it open.
  if (connection.state === 'closed') connection.state = 'open';
  move(connection, event);
}

function move(connection: HeldConnection, event: HeldLineEvent): void {
  connection.state = nextState(edges, connection.state, event);
}

/**
 * The states of a connection on the server's side in Hauck's diagram (1994, figure 2.1). The edges have his names;
 * `error` is added, for a client that is gone.
 */
export type HeldLineState = 'open' | 'standard' | 'asked' | 'held' | 'closed';

export type HeldLineEvent =
  /** A request without Hold-Line arrived. */
  | 'rcv std'
  /** A request with Hold-Line arrived. */
  | 'rcv hl'
  /** A reply without Hold-Line was sent: HTTP alone manages the connection again. */
  | 'reply std'
  /** A reply with Hold-Line was sent. */
  | 'reply hl'
  /** No request came on an open connection in time. */
  | 'timeout'
  /** The time for which a connection was to be held is over. */
  | 'hl timeout'
  | 'error';

/** The states that events lead to, by state and event. An accepted connection is `open`. */
export const edges: LineEdges<HeldLineState, HeldLineEvent> = {
  open: { 'rcv std': 'standard', 'rcv hl': 'asked', timeout: 'closed', error: 'closed' },
  standard: { 'reply std': 'closed', error: 'closed' },
  asked: { 'reply std': 'closed', 'reply hl': 'held', error: 'closed' },
  held: { 'rcv std': 'standard', 'rcv hl': 'asked', 'hl timeout': 'closed', error: 'closed' },
  closed: {},
};
