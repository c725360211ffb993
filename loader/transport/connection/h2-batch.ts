// Batches of HTTP/2 requests: nghttp2 collects frames until the turn ends, so a batch is the requests of one turn or
// one scanned chunk. nghttp2 does not report their size, so `bytes` stays 0.

import type { Batch, Carrier, Exchange } from '../exchange.ts';

export class H2Batch {
  readonly #connection: Carrier;
  #open: Batch | null = null;
  #held = false;

  constructor(connection: Carrier) {
    this.#connection = connection;
  }

  /** More requests will follow: keep the batch open. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    this.flush();
  }

  /** The exchange's frames are being written to the buffer. */
  announce(exchange: Exchange): void {
    if (this.#open === null) {
      this.#open = { connection: this.#connection, exchanges: [], bytes: 0, sentAt: 0 };
      if (!this.#held) queueMicrotask(() => this.flush());
    }
    this.#open.exchanges.push(exchange);
    exchange.attempts++;
    exchange.attempt.batch = this.#open;
  }

  /** Closes the batch. */
  flush(): void {
    const batch = this.#open;
    if (batch === null) return;
    this.#open = null;
    batch.sentAt = performance.now();
    for (const exchange of batch.exchanges) exchange.handler.onSent?.(batch);
  }
}
