// One request out, one response in: the loader's only way to the network. A pool for each origin.

import { LoaderError } from '../errors.ts';
import type { ResolvedOptions } from '../options.ts';
import { createConnector } from './connector.ts';
import type { Exchange } from './exchange.ts';
import { OriginPool } from './origin-pool.ts';

export class Transport {
  readonly #options: ResolvedOptions;
  readonly #connect: ReturnType<typeof createConnector>;
  readonly #pools = new Map<string, OriginPool>();
  #connections = 0;
  #holds = 0;

  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.#connect = createConnector(options);
  }

  submit(exchange: Exchange): void {
    const { origin } = exchange.url;
    let pool = this.#pools.get(origin);
    if (pool === undefined) {
      pool = new OriginPool(
        new URL(origin),
        this.#options,
        this.#connect,
        () => ++this.#connections,
      );
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
    for (const exchange of exchanges) exchange.cancelled = true;
    for (const exchange of exchanges) {
      this.#pools.get(exchange.url.origin)?.cancel(exchange, error);
    }
  }

  /** Resolves when every response so far is known to be in step, or is being fetched again. */
  async settle(last: boolean): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.settle(last)));
  }

  close(error = new LoaderError('loader-closed', 'the loader was closed')): void {
    for (const pool of this.#pools.values()) pool.close(error);
    this.#pools.clear();
  }
}
