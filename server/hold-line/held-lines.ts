// The lines of a server: the state of each connection, and the timers of those that are held. For the table of states a
// pipelined request arrives when the reply to the one before it is out, so no line is held that has a request on it.
// The oldest held line is closed when more are held than may be.

import type { Socket } from 'node:net';
import { type LineEdges, LineStates } from '../../http/hold-line.ts';

type Arrival = 'rcv std' | 'rcv hl';

interface Connection {
  line: ServerLine;
  /** Requests that came before the reply to the one before them. */
  readonly pipelined: Arrival[];
}

interface Held {
  readonly timer: NodeJS.Timeout;
  /** Monotonic time, ms. */
  readonly since: number;
}

export class HeldLines {
  readonly #most: number;
  readonly #connections = new WeakMap<Socket, Connection>();
  /** Oldest first. */
  readonly #held = new Map<Socket, Held>();
  closedEarly = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get held(): number {
    return this.#held.size;
  }

  /** How long the oldest of them has been held, seconds; 0: there is none. */
  get oldestSeconds(): number {
    const [oldest] = this.#held.values();
    return oldest === undefined ? 0 : (performance.now() - oldest.since) / 1000;
  }

  /** A request arrived. @returns Whether its line was held for it */
  take(socket: Socket, event: Arrival): boolean {
    const known = this.#connections.get(socket);
    const connection = known ?? { line: new ServerLine(), pipelined: [] };
    if (known === undefined) {
      this.#connections.set(socket, connection);
      socket.once('close', () => this.#release(socket));
    }
    if (isBusy(connection.line)) {
      connection.pipelined.push(event);
      return false;
    }
    const wasHeld = this.#release(socket);
    arrive(connection, event);
    return wasHeld;
  }

  /** A reply is out, or the client is gone. @param seconds For which it has Hold-Line; null: it has none */
  replied(socket: Socket, seconds: number | null): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined || !isBusy(connection.line)) return;
    connection.line.take(seconds === null ? 'reply std' : 'reply hl');
    const next = connection.pipelined.shift();
    if (next !== undefined) arrive(connection, next);
    else if (seconds !== null && !socket.destroyed) this.#hold(socket, seconds);
  }

  #hold(socket: Socket, seconds: number): void {
    const timer = setTimeout(() => this.#end(socket), 1000 * seconds).unref();
    // The server's own time-out would come first.
    socket.setTimeout(0);
    this.#held.set(socket, { timer, since: performance.now() });
    const [oldest] = this.#held.keys();
    if (this.#held.size > this.#most && oldest !== undefined) {
      this.closedEarly++;
      this.#end(oldest);
    }
  }

  #end(socket: Socket): void {
    if (!this.#release(socket)) return;
    this.#connections.get(socket)?.line.take('hl timeout');
    socket.destroySoon();
  }

  /** @returns Whether it was held */
  #release(socket: Socket): boolean {
    clearTimeout(this.#held.get(socket)?.timer);
    return this.#held.delete(socket);
  }
}

const isBusy = ({ state }: ServerLine): boolean => state === 'standard' || state === 'asked';

function arrive(connection: Connection, event: Arrival): void {
  // A reply without Hold-Line gave the line back to the protocol, which has kept it.
  if (connection.line.state === 'closed') connection.line = new ServerLine();
  connection.line.take(event);
}

/**
 * The states of a connection on the server's side, as Hauck draws them (1994, figure 2.1). The names of the edges are
 * his; `error` is ours, for a client that is gone.
 */
export type LineState = 'open' | 'standard' | 'asked' | 'held' | 'closed';

export type LineEvent =
  /** A request without Hold-Line arrived. */
  | 'rcv std'
  /** A request with Hold-Line arrived. */
  | 'rcv hl'
  /** A reply without Hold-Line is out: the line is the protocol's again. */
  | 'reply std'
  /** A reply with Hold-Line is out. */
  | 'reply hl'
  /** No request came in time. */
  | 'timeout'
  /** The time of a held line is over. */
  | 'hl timeout'
  | 'error';

/** From each state, where each event leads. `accept` leads to `open`. */
export const edges: LineEdges<LineState, LineEvent> = {
  open: { 'rcv std': 'standard', 'rcv hl': 'asked', timeout: 'closed', error: 'closed' },
  standard: { 'reply std': 'closed', error: 'closed' },
  asked: { 'reply std': 'closed', 'reply hl': 'held', error: 'closed' },
  held: { 'rcv std': 'standard', 'rcv hl': 'asked', 'hl timeout': 'closed', error: 'closed' },
  closed: {},
};

/** One connection. */
export class ServerLine extends LineStates<LineState, LineEvent> {
  constructor() {
    super(edges, 'open');
  }
}
