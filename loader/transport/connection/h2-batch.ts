// HTTP/2 frames are gathered by nghttp2 until the turn ends; a batch is what one turn, or one scanned
// chunk, yielded. Their size is nghttp2's secret: `bytes` stays 0.

import type { Batch, Carrier, Exchange } from '../exchange.ts';

export class H2Batch {
  readonly #connection: Carrier;
  #open: Batch | null = null;
  #held = false;

  constructor(connection: Carrier) {
    this.#connection = connection;
  }

  /** More will come: wait for it. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    this.flush();
  }

  /** Its frames are on their way to the buffer. */
  announce(exchange: Exchange): void {
    if (this.#open === null) {
      this.#open = { connection: this.#connection, exchanges: [], bytes: 0, sentAt: 0 };
      if (!this.#held) queueMicrotask(() => this.flush());
    }
    this.#open.exchanges.push(exchange);
    exchange.attempts++;
    exchange.attempt.batch = this.#open;
  }

  /** The batch is complete. */
  flush(): void {
    const batch = this.#open;
    if (batch === null) return;
    this.#open = null;
    batch.sentAt = performance.now();
    for (const exchange of batch.exchanges) exchange.handler.onSent?.(batch);
  }
}
