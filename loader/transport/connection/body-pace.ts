// One body handed on at its reader's pace. While the reader works on a piece nothing more is read from the
// connection, the response's clock does not blame the server, and the pieces that came meanwhile wait their
// turn, the end of the body behind them. When all of a body is here its connection is free for others, however
// long the reader takes.

import type { Exchange } from '../exchange.ts';

/** What holds back the bytes: each `pause` has one `resume`. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

export class BodyPace {
  readonly #exchange: Exchange;
  readonly #onError: (error: unknown) => void;
  /** The reader's unfinished work on earlier pieces; null: it is done with all. */
  #tail: Promise<void> | null = null;
  /** What is held back; null: nothing is. */
  #paused: Pausable | null = null;

  /** @param onError the reader cannot go on: its connection is told, not the reader. */
  constructor(exchange: Exchange, onError: (error: unknown) => void) {
    this.#exchange = exchange;
    this.#onError = onError;
  }

  /** @throws what the reader threw at once. */
  take(chunk: Buffer, source: Pausable): void {
    const { handler, attempt } = this.#exchange;
    const work =
      this.#tail === null ? handler.onData(chunk) : this.#tail.then(() => this.#hand(chunk));
    if (work === undefined) return;
    if (this.#paused === null) source.pause();
    this.#paused = source;
    attempt.clock?.hold();
    const mine = work.then(
      () => {
        if (this.#tail !== mine) return;
        this.#tail = null;
        this.#exchange.attempt.clock?.release();
        this.#resume();
      },
      (error) => {
        this.#resume();
        this.#onError(error);
      },
    );
    this.#tail = mine;
  }

  /** All of it came. */
  end(endedAt: number): void {
    this.#resume();
    if (this.#tail === null) this.#finish(endedAt);
    else this.#tail.then(() => this.#exchange.done && this.#finish(endedAt));
  }

  /** It may have been given up while it waited. */
  #hand(chunk: Buffer): void | Promise<void> {
    return this.#exchange.told ? undefined : this.#exchange.handler.onData(chunk);
  }

  #finish(endedAt: number): void {
    if (this.#exchange.told) return;
    this.#exchange.told = true;
    this.#exchange.handler.onEnd(endedAt);
  }

  #resume(): void {
    this.#paused?.resume();
    this.#paused = null;
  }
}
