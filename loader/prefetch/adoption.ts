// Delivers a prefetch to the page that adopted it: past and future events in order, each after the previous one was
// processed. Events of an earlier attempt never reach the page.

import type { LoaderError } from '../errors.ts';
import type { ExchangeHandler, ResponseHead } from '../transport/exchange.ts';

export class Adoption {
  readonly resource: ExchangeHandler;
  readonly #unfit: () => void;
  readonly #onFailed: (error: LoaderError) => void;
  /** Resolves when the page has processed all events so far. */
  #tail: Promise<void> = Promise.resolve();
  /** Identity of the current attempt; null once the adoption is over. */
  #attempt: object | null = {};
  #begun = false;

  /**
   * @param unfit Called if the prefetch is unusable, so that the page sends its own request.
   * @param onFailed Called if the page could not process an event.
   */
  constructor(
    resource: ExchangeHandler,
    unfit: () => void,
    onFailed: (error: LoaderError) => void,
  ) {
    this.resource = resource;
    this.#unfit = unfit;
    this.#onFailed = onFailed;
  }

  begin(head: ResponseHead, chunks: Iterable<Buffer>): void {
    this.#begun = true;
    this.resource.onHeaders(head);
    for (const chunk of chunks) this.pass((resource) => resource.onData(chunk));
  }

  pass(step: (resource: ExchangeHandler) => void | Promise<void>): Promise<void> {
    if (!this.#begun) return Promise.resolve();
    const attempt = this.#attempt;
    const next = this.#tail.then(() =>
      attempt !== null && attempt === this.#attempt ? step(this.resource) : undefined,
    );
    this.#tail = next.catch((error: LoaderError) => {
      if (attempt === this.#attempt) this.#onFailed(error);
    });
    return this.#tail;
  }

  /** Drops the pending events, as the response starts over, and has the page start over, too. */
  restart(): void {
    this.#attempt = {};
    this.#tail = Promise.resolve();
    if (this.#begun) this.resource.onRestart();
    this.#begun = false;
  }

  /** Stops delivering events to the page. */
  end(): void {
    this.#attempt = null;
  }

  /** Tells the page to send its own request. */
  isUnfit(): void {
    if (this.#begun) this.resource.onRestart();
    this.#unfit();
  }
}
