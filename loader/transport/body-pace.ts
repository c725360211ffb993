// One body handed on at its reader's pace. While the reader works on a piece nothing more is read from the
// connection, the response's clock does not blame the server, and the pieces that came meanwhile wait their
// turn, the end of the body behind them.

import type { Exchange } from './exchange.ts';

export interface PaceEvents {
  /** The reader cannot go on: its connection is told, not the reader. */
  onError(error: unknown): void;
  /** The exchange is still this connection's: what it paused may go on. */
  isCurrent(): boolean;
}

/** What holds back the connection's bytes. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

export class BodyPace {
  readonly #exchange: Exchange;
  readonly #events: PaceEvents;
  /** The reader's unfinished work on earlier pieces; null: it is done with all. */
  #tail: Promise<void> | null = null;

  constructor(exchange: Exchange, events: PaceEvents) {
    this.#exchange = exchange;
    this.#events = events;
  }

  /** @throws what the reader threw at once. */
  take(chunk: Buffer, source: Pausable): void {
    const { handler } = this.#exchange;
    const work =
      this.#tail === null ? handler.onData(chunk) : this.#tail.then(() => handler.onData(chunk));
    if (work === undefined) return;
    source.pause();
    this.#exchange.clock?.hold();
    const mine = work.then(
      () => {
        if (this.#tail !== mine) return;
        this.#tail = null;
        this.#exchange.clock?.release();
        if (this.#events.isCurrent()) source.resume();
      },
      (error) => this.#events.onError(error),
    );
    this.#tail = mine;
  }

  /** All of it came. */
  end(endedAt: number): void {
    const exchange = this.#exchange;
    if (this.#tail === null) exchange.handler.onEnd(endedAt);
    else this.#tail.then(() => exchange.done && exchange.handler.onEnd(endedAt));
  }
}
