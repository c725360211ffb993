// The lines of a server: the state of each connection, and the timers of those that are held. The oldest held line is
// closed when more are held than may be.

import type { Socket } from 'node:net';
import { Line } from './line-states.ts';

export class HeldLines {
  readonly #most: number;
  readonly #lines = new WeakMap<Socket, Line>();
  /** Oldest first. */
  readonly #held = new Map<Socket, NodeJS.Timeout>();
  closedEarly = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get held(): number {
    return this.#held.size;
  }

  /** A request arrived. @returns Whether its line was held for it */
  take(socket: Socket, event: 'rcv std' | 'rcv hl'): boolean {
    const known = this.#lines.get(socket);
    // A reply without Hold-Line gave the line back to the protocol, which may have kept it.
    const line = known === undefined || known.state === 'closed' ? new Line() : known;
    if (line !== known) this.#lines.set(socket, line);
    if (known === undefined) socket.once('close', () => this.#release(socket));
    // A pipelined request came before the reply to the one before it.
    if (line.state === 'standard' || line.state === 'asked') return false;
    const wasHeld = this.#release(socket);
    line.take(event);
    return wasHeld;
  }

  /** A reply with Hold-Line is out. */
  hold(socket: Socket, seconds: number): void {
    const line = this.#lines.get(socket);
    if (line?.state !== 'asked' || socket.destroyed) {
      this.drop(socket);
      return;
    }
    line.take('reply hl');
    const timer = setTimeout(() => this.#end(socket), 1000 * seconds).unref();
    // The server's own time-out would come first.
    socket.setTimeout(0);
    this.#held.set(socket, timer);
    const [oldest] = this.#held.keys();
    if (this.#held.size > this.#most && oldest !== undefined) {
      this.closedEarly++;
      this.#end(oldest);
    }
  }

  /** A reply without Hold-Line is out, or the client is gone. */
  drop(socket: Socket): void {
    this.#release(socket);
    const line = this.#lines.get(socket);
    if (line?.state === 'standard' || line?.state === 'asked') line.take('reply std');
  }

  #end(socket: Socket): void {
    if (!this.#release(socket)) return;
    this.#lines.get(socket)?.take('hl timeout');
    socket.destroySoon();
  }

  /** @returns Whether it was held */
  #release(socket: Socket): boolean {
    clearTimeout(this.#held.get(socket));
    return this.#held.delete(socket);
  }
}
