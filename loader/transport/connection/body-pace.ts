// Delivers one body at its reader's pace. While the reader is busy, the connection is not read, the response's clock
// is stopped, and chunks that have arrived are queued together with the end of the body. Once the body has arrived,
// its connection is free for other requests, however slow the reader is.

import type { Exchange } from '../exchange.ts';

/** A source of bytes; each `pause` is followed by one `resume`. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

export class BodyPace {
  readonly #exchange: Exchange;
  readonly #onError: (error: unknown) => void;
  /** The reader's pending work on earlier chunks; null: none. */
  #tail: Promise<void> | null = null;
  /** The paused source; null: none. */
  #paused: Pausable | null = null;

  /** @param onError Reports an error of the reader to the connection, not to the reader. */
  constructor(exchange: Exchange, onError: (error: unknown) => void) {
    this.#exchange = exchange;
    this.#onError = onError;
  }

  /** @throws An error that the reader throws synchronously. */
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

  /** Called when the body has arrived completely. */
  end(endedAt: number): void {
    this.#resume();
    if (this.#tail === null) this.#finish(endedAt);
    else this.#tail.then(() => this.#exchange.done && this.#finish(endedAt));
  }

  /** Delivers a queued chunk, unless the exchange has ended in the meantime. */
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
