// Sends requests over our own connections. Knowledge of each origin lasts from page to page; each page has a pool of
// connections per origin.

import { LoaderError } from '../errors.ts';
import { type Connect, createConnector } from './connect/connector.ts';
import { DispatcherTransport } from './dispatcher-transport.ts';
import type { Exchange } from './exchange.ts';
import { KnownOrigin } from './pool/known-origin.ts';
import { OriginPool } from './pool/origin-pool.ts';
import type { PageTransport, Transport } from './transport.ts';
import type { TransportOptions } from './transport-options.ts';

/** Our own connections, or the dispatcher that the options give. */
export function createTransport(options: TransportOptions): Transport {
  const { dispatcher } = options;
  return dispatcher === null
    ? new SocketTransport(options)
    : new DispatcherTransport(dispatcher, options);
}

export class SocketTransport implements Transport {
  readonly #options: TransportOptions;
  readonly #connect: Connect;
  readonly #origins = new Map<string, KnownOrigin>();
  readonly #pages = new Set<SocketPage>();
  #connections = 0;
  /** Number of known origins at which those without any knowledge are dropped. */
  #forgetAt = 64;

  /** @param connect Opens connections. */
  constructor(options: TransportOptions, connect: Connect = createConnector(options)) {
    this.#options = options;
    this.#connect = connect;
  }

  beginPage(): PageTransport {
    const page = new SocketPage(
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

class SocketPage implements PageTransport {
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
      // This is deferred because the caller has not recorded the exchange yet.
      queueMicrotask(() => exchange.handler.onError(closed, performance.now()));
      return;
    }
    this.#pool(exchange.url.origin).submit(exchange);
  }

  preconnect(origin: string): void {
    if (this.#closed === null) this.#pool(origin).preconnect();
  }

  hasWayAround(exchange: Exchange): boolean {
    return this.#pools.get(exchange.url.origin)?.hasWayAround(exchange) ?? true;
  }

  #pool(origin: string): OriginPool {
    const known = this.#pools.get(origin);
    if (known !== undefined) return known;
    const pool = new OriginPool(this.#originOf(origin), this.#options);
    if (this.#holds > 0) pool.hold();
    this.#pools.set(origin, pool);
    return pool;
  }

  batch(scan: () => void): void {
    if (this.#holds++ === 0) for (const pool of this.#pools.values()) pool.hold();
    try {
      scan();
    } finally {
      if (--this.#holds === 0) for (const pool of this.#pools.values()) pool.release();
    }
  }

  flush(): void {
    for (const pool of this.#pools.values()) pool.flush();
  }

  cancel(exchanges: Exchange[], error: LoaderError): void {
    for (const exchange of exchanges) exchange.cancel();
    for (const exchange of exchanges) {
      this.#pools.get(exchange.url.origin)?.cancel(exchange, error);
    }
  }

  stop(exchanges: Exchange[], error: LoaderError): void {
    for (const pool of this.#pools.values()) pool.stop(error);
    this.cancel(exchanges, error);
  }

  async settle(how: { last: boolean }): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.settle(how)));
  }

  async rest(origin: string): Promise<void> {
    const pool = this.#pools.get(origin);
    if (pool === undefined) return;
    await pool.settle({ last: false });
    if (this.#pools.get(origin) !== pool || !pool.isQuiet) return;
    this.#pools.delete(origin);
    pool.leave();
  }

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
