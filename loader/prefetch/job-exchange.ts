// One request of a prefetch. What is told of it counts while it is the last one of its prefetch; of an earlier one,
// whose part is there, all that can still come is doubt: it may be another's answer.

import type { HeaderPair } from '../../http/header-pairs.ts';
import type { LoaderError } from '../errors.ts';
import {
  type Batch,
  Exchange,
  type ExchangeHandler,
  type ResponseHead,
} from '../transport/exchange.ts';
import type { PrefetchJob } from './prefetch-job.ts';

/** @param partBytes how much to ask for, where it may come in parts. */
export function exchangeOf(job: PrefetchJob, partBytes: number): Exchange {
  const how = { urgent: true, priority: 0 };
  const purpose: HeaderPair[] =
    job.target.isRules || job.isWanted ? [] : [['sec-purpose', 'prefetch']];
  const fields = [...job.request.headers, ...purpose, ...job.ask(partBytes)];
  const handler = new LastExchange(job);
  const exchange = new Exchange(new URL(job.target.url), fields.flat(), how, handler);
  handler.exchange = exchange;
  job.asked(exchange);
  return exchange;
}

class LastExchange implements ExchangeHandler {
  exchange: Exchange | null = null;
  readonly #job: PrefetchJob;

  constructor(job: PrefetchJob) {
    this.#job = job;
  }

  get #last(): PrefetchJob | null {
    return this.#job.exchange === this.exchange ? this.#job : null;
  }

  onSent(batch: Batch): void {
    this.#last?.onSent(batch);
  }

  onInterim(status: number, headers: HeaderPair[]): void {
    this.#last?.onInterim(status, headers);
  }

  onHeaders(head: ResponseHead): void {
    this.#last?.onHeaders(head);
  }

  onData(chunk: Buffer): void | Promise<void> {
    return this.#last?.onData(chunk);
  }

  onEnd(endedAt: number): void {
    this.#last?.onEnd(endedAt);
  }

  onRestart(): void {
    if (this.#last !== null && !this.#job.isWaiting) {
      this.#job.onRestart();
      return;
    }
    // It is not asked for again.
    if (this.exchange !== null) this.exchange.cancel();
    this.#job.doubted();
  }

  onError(error: LoaderError, atMs: number): void {
    if (!this.#job.isWaiting) this.#last?.onError(error, atMs);
  }
}
