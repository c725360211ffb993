// Actions to run once a response is known to belong to its request: at once, or when its connection is known to be
// in sync. Bounded in number and bytes; beyond that, actions are given up.

import type { Exchange } from '../transport/exchange.ts';

const mostWaiting = 1_000;
const mostWaitingBytes = 32 * 1024 * 1024;

interface Waiting {
  bytes: number;
  act: () => void;
  giveUp: () => void;
}

export class PendingCommits {
  readonly #waiting = new Map<Exchange, Waiting>();
  #bytes = 0;

  /** @param bytes Memory that `act` retains. @param giveUp Called if `act` will never run. */
  add(exchange: Exchange, bytes: number, act: () => void, giveUp: () => void): void {
    if (exchange.attempt.inStep) {
      act();
      return;
    }
    this.#waiting.set(exchange, { bytes, act, giveUp });
    this.#bytes += bytes;
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size <= mostWaiting && this.#bytes <= mostWaitingBytes) return;
      this.drop(oldest);
    }
  }

  drop(exchange: Exchange): void {
    const waiting = this.#waiting.get(exchange);
    this.#remove(exchange);
    waiting?.giveUp();
  }

  /** Runs the actions that may run now and drops those that never will. */
  settle(): void {
    for (const [exchange, { act, giveUp }] of this.#waiting) {
      const ended =
        exchange.attempt.connection === null || exchange.attempt.connection.endedAt !== null;
      if (!exchange.attempt.inStep && !ended) continue;
      this.#remove(exchange);
      if (exchange.attempt.inStep) act();
      else giveUp();
    }
  }

  #remove(exchange: Exchange): void {
    this.#bytes -= this.#waiting.get(exchange)?.bytes ?? 0;
    this.#waiting.delete(exchange);
  }
}
