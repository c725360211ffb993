// The loader's only access to the network: requests out, responses in. A transport lasts from page to page, and so does
// its knowledge of each origin; a page has a pool per origin: of connections, or of requests for the user's dispatcher.

import { LoaderError } from '../errors.ts';
import { type Connect, createConnector } from './connect/connector.ts';
import { DispatchedOrigin, DispatcherPool } from './dispatcher-pool.ts';
import type { Exchange } from './exchange.ts';
import { KnownOrigin, OriginPool } from './pool/origin-pool.ts';
import type { TransportOptions } from './transport-options.ts';

/** Methods that a pool on a user's undici Dispatcher lacks, as the Dispatcher connects and writes as it likes. */
type Own = 'preconnect' | 'hold' | 'release' | 'flush' | 'stop' | 'settle';
type Pool = Omit<OriginPool, Own> & Partial<Pick<OriginPool, Own>>;

export class Transport {
  readonly #options: TransportOptions;
  readonly #connect: Connect;
  readonly #origins = new Map<string, KnownOrigin>();
  /** The origins that the user's dispatcher connects to, by URL origin. */
  readonly #dispatched = new Map<string, DispatchedOrigin>();
  readonly #pages = new Set<PageTransport>();
  #connections = 0;
  /** Once this many origins are known, those about which there is nothing to remember are dropped. */
  #forgetAt = 64;

  /** @param connect Opens one connection to an origin each time it is called. */
  constructor(options: TransportOptions, connect: Connect = createConnector(options)) {
    this.#options = options;
    this.#connect = connect;
  }

  beginPage(): PageTransport {
    const page = new PageTransport(
      (origin) => this.#pool(origin),
      () => {
        this.#pages.delete(page);
        this.#forget();
      },
    );
    this.#pages.add(page);
    return page;
  }

  /** Ends all exchanges in flight with this error, and closes all connections. */
  close(error = new LoaderError('loader-closed', 'the loader was closed')): void {
    for (const page of this.#pages) page.close(error);
    for (const origin of this.#origins.values()) {
      for (const connection of origin.borrow()) connection.destroy(error);
    }
  }

  #pool(name: string): Pool {
    const { dispatcher } = this.#options;
    if (dispatcher === null) return new OriginPool(this.#origin(name), this.#options);
    const id = this.#dispatched.size + 1;
    const origin = this.#dispatched.get(name) ?? new DispatchedOrigin(id, new URL(name));
    this.#dispatched.set(name, origin);
    return new DispatcherPool(dispatcher, origin, this.#options);
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

/** One page's use of a transport: its pools, one for each origin. */
export class PageTransport {
  readonly #newPool: (origin: string) => Pool;
  readonly #onLeave: () => void;
  readonly #pools = new Map<string, Pool>();
  #holds = 0;
  #closed: LoaderError | null = null;

  constructor(newPool: (origin: string) => Pool, onLeave: () => void) {
    this.#newPool = newPool;
    this.#onLeave = onLeave;
  }

  submit(exchange: Exchange): void {
    const closed = this.#closed;
    if (closed !== null) {
      exchange.done = true;
      // The error is reported later because the caller has not recorded the exchange yet.
      queueMicrotask(() => exchange.handler.onError(closed, performance.now()));
      return;
    }
    this.#pool(exchange.url.origin).submit(exchange);
  }

  /** Opens a connection to this origin if the page has none. */
  preconnect(origin: string): void {
    if (this.#closed === null) this.#pool(origin).preconnect?.();
  }

  #pool(origin: string): Pool {
    const known = this.#pools.get(origin);
    if (known !== undefined) return known;
    const pool = this.#newPool(origin);
    if (this.#holds > 0) pool.hold?.();
    this.#pools.set(origin, pool);
    return pool;
  }

  /** Calls `scan`, and sends the requests that it submits in one write, as far as the batch options allow. */
  batch(scan: () => void): void {
    if (this.#holds++ === 0) for (const pool of this.#pools.values()) pool.hold?.();
    try {
      scan();
    } finally {
      if (--this.#holds === 0) for (const pool of this.#pools.values()) pool.release?.();
    }
  }

  /** Writes all buffered requests now, as no others will follow that could be sent with them. */
  flush(): void {
    for (const pool of this.#pools.values()) pool.flush?.();
  }

  /** Cancels these exchanges. None of them is resent when the end of another one closes their connection. */
  cancel(exchanges: Exchange[], error: LoaderError): void {
    for (const exchange of exchanges) exchange.cancel();
    for (const exchange of exchanges) {
      this.#pools.get(exchange.url.origin)?.cancel(exchange, error);
    }
  }

  /** Cancels these exchanges of a stopped page. Complete responses that may answer other requests fail, too. */
  stop(exchanges: Exchange[], error: LoaderError): void {
    for (const pool of this.#pools.values()) pool.stop?.(error);
    this.cancel(exchanges, error);
  }

  /** Resolves when each response so far is known to answer its own request, or is being fetched again. */
  async settle(how: { last: boolean }): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.settle?.(how)));
  }

  /**
   * Waits until the responses of this origin are known to answer their own requests, and releases its connections when
   * nothing is in flight. Callers that load no pages call it after each response.
   */
  async rest(origin: string): Promise<void> {
    const pool = this.#pools.get(origin);
    if (pool === undefined) return;
    await pool.settle?.({ last: false });
    if (this.#pools.get(origin) !== pool || !pool.isQuiet) return;
    this.#pools.delete(origin);
    pool.leave();
  }

  /** Ends the page's use of the transport; connections that can be reused are kept. */
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
