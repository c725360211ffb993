// One request out, one response in: the loader's only way to the network. `Transport` is what lasts
// from page to page; `PageTransport` is one page's share of it, a pool for each origin.

import { LoaderError } from '../errors.ts';
import { type Connect, createConnector } from './connect/connector.ts';
import type { Exchange } from './exchange.ts';
import { KnownOrigin } from './pool/known-origin.ts';
import { OriginPool } from './pool/origin-pool.ts';
import type { TransportOptions } from './transport-options.ts';

export class Transport {
  readonly #options: TransportOptions;
  readonly #connect: Connect;
  readonly #origins = new Map<string, KnownOrigin>();
  readonly #pages = new Set<PageTransport>();
  #connections = 0;
  /** So many origins known: time to forget those that nothing is known of. */
  #forgetAt = 64;

  /** @param connect opens connections. */
  constructor(options: TransportOptions, connect: Connect = createConnector(options)) {
    this.#options = options;
    this.#connect = connect;
  }

  beginPage(): PageTransport {
    const page = new PageTransport(
      this.#options,
      (origin) => this.#origin(origin),
      () => {
        this.#pages.delete(page);
        this.#forget();
      },
    );
    this.#pages.add(page);
    return page;
  }

  close(error = new LoaderError('loader-closed', 'the loader was closed')): void {
    for (const page of this.#pages) page.close(error);
    for (const origin of this.#origins.values()) {
      for (const connection of origin.borrow()) connection.destroy(error);
    }
  }

  #origin(name: string): KnownOrigin {
    let origin = this.#origins.get(name);
    if (origin === undefined) {
      if (this.#origins.size >= this.#forgetAt) this.#forget();
      origin = new KnownOrigin(
        new URL(name),
        this.#options,
        this.#connect,
        () => ++this.#connections,
      );
      this.#origins.set(name, origin);
    }
    return origin;
  }

  #forget(): void {
    for (const [name, origin] of this.#origins) {
      if (origin.isForgettable) this.#origins.delete(name);
    }
    this.#forgetAt = Math.max(64, 2 * this.#origins.size);
  }
}

export class PageTransport {
  readonly #options: TransportOptions;
  readonly #originOf: (name: string) => KnownOrigin;
  readonly #onLeave: () => void;
  readonly #pools = new Map<string, OriginPool>();
  #holds = 0;
  #closed: LoaderError | null = null;

  constructor(
    options: TransportOptions,
    originOf: (name: string) => KnownOrigin,
    onLeave: () => void,
  ) {
    this.#options = options;
    this.#originOf = originOf;
    this.#onLeave = onLeave;
  }

  submit(exchange: Exchange): void {
    const closed = this.#closed;
    if (closed !== null) {
      exchange.done = true;
      // Not from inside the call: the caller has not noted yet what it asked for.
      queueMicrotask(() => exchange.handler.onError(closed, performance.now()));
      return;
    }
    const { origin } = exchange.url;
    let pool = this.#pools.get(origin);
    if (pool === undefined) {
      pool = new OriginPool(this.#originOf(origin), this.#options);
      if (this.#holds > 0) pool.hold();
      this.#pools.set(origin, pool);
    }
    pool.submit(exchange);
  }

  /** What `scan` submits leaves together, by the batch rules. */
  batch(scan: () => void): void {
    if (this.#holds++ === 0) for (const pool of this.#pools.values()) pool.hold();
    try {
      scan();
    } finally {
      if (--this.#holds === 0) for (const pool of this.#pools.values()) pool.release();
    }
  }

  /** Nothing more will join the batches: send them. */
  flush(): void {
    for (const pool of this.#pools.values()) pool.flush();
  }

  /** Give these up: none of them is sent again because another's end broke its connection. */
  cancel(exchanges: Exchange[], error: LoaderError): void {
    for (const exchange of exchanges) exchange.cancel();
    for (const exchange of exchanges) {
      this.#pools.get(exchange.url.origin)?.cancel(exchange, error);
    }
  }

  /** The page is given up, and there is no time to know what is in step: what is in doubt fails, too. */
  stop(exchanges: Exchange[], error: LoaderError): void {
    for (const pool of this.#pools.values()) pool.stop(error);
    this.cancel(exchanges, error);
  }

  /** Resolves when every response so far is known to be in step, or is being fetched again. */
  async settle(how: { last: boolean }): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.settle(how)));
  }

  /**
   * For whom there are no pages, after each response: prove what came from this origin, and when nothing
   * is under way with it let others have its connections.
   */
  async rest(origin: string): Promise<void> {
    const pool = this.#pools.get(origin);
    if (pool === undefined) return;
    await pool.settle({ last: false });
    if (this.#pools.get(origin) !== pool || !pool.isQuiet) return;
    this.#pools.delete(origin);
    pool.leave();
  }

  /** The page is over: what is fit for the next one is kept. */
  leave(): void {
    this.#closed ??= new LoaderError('loader-closed', 'the page is over');
    for (const pool of this.#pools.values()) pool.leave();
    this.#pools.clear();
    this.#onLeave();
  }

  close(error: LoaderError): void {
    this.#closed ??= error;
    for (const pool of this.#pools.values()) pool.close(error);
  }
}
