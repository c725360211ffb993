// A page that took a prefetch over: it is handed what came and what comes, in order, each when the one before was
// taken. What was begun for an attempt that counts no more never reaches it.

import type { LoaderError } from '../errors.ts';
import type { Exchange, ExchangeHandler, ResponseHead } from '../transport/exchange.ts';

/** What a page makes of it. */
export interface Adopting extends ExchangeHandler {
  exchange: Exchange | null;
}

export class Adoption {
  readonly resource: Adopting;
  readonly #unfit: () => void;
  readonly #onFailed: (error: LoaderError) => void;
  /** Work on earlier bytes. */
  #tail: Promise<void> = Promise.resolve();
  /** Names the attempt; null: it is over. */
  #attempt: object | null = {};
  #begun = false;

  /**
   * @param unfit it is not what the page can use: the page asks for itself.
   * @param onFailed the page could not go on with what it was handed.
   */
  constructor(resource: Adopting, unfit: () => void, onFailed: (error: LoaderError) => void) {
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

  /** The response comes again from its start. */
  restart(): void {
    this.#attempt = {};
    this.#tail = Promise.resolve();
    if (this.#begun) this.resource.onRestart();
    this.#begun = false;
  }

  /** Nothing more is handed to it. */
  end(): void {
    this.#attempt = null;
  }

  /** The page asks for itself. */
  isUnfit(): void {
    if (this.#begun) this.resource.onRestart();
    this.#unfit();
  }
}
