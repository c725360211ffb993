// The prefetcher's connections, separate from those of pages: one for each origin with one request at a time, so that
// prefetches never delay a page's pipeline. Idle connections are kept for the next prefetches.

import { LoaderError } from '../errors.ts';
import type { ResolvedOptions } from '../options.ts';
import type { Batch, Carrier, Exchange } from '../transport/exchange.ts';
import { type PageTransport, Transport } from '../transport/transport.ts';

export class PrefetchConnections {
  /** Number of connections used for prefetches so far. */
  connections = 0;
  readonly #transport: Transport;
  #session: PageTransport | null = null;
  readonly #known = new WeakSet<Carrier>();
  #unproven = 0;
  #closed: LoaderError | null = null;

  constructor(options: ResolvedOptions) {
    const protocol = options.protocol === 'h2' ? 'h2' : 'persistent';
    // Faulty responses are not tolerated, because one that was read tolerantly could not be stored.
    this.#transport = new Transport({ ...options, protocol, connections: 1, tolerant: false });
  }

  /** Whether some received response is not yet known to answer its own request; while one is not, nothing is sent. */
  get isWatched(): boolean {
    return this.#unproven > 0;
  }

  submit(exchange: Exchange): void {
    const closed = this.#closed;
    if (closed !== null) {
      queueMicrotask(() => exchange.handler.onError(closed, performance.now()));
      return;
    }
    this.#session ??= this.#transport.beginPage();
    this.#session.submit(exchange);
  }

  sent({ connection }: Batch): void {
    if (this.#known.has(connection)) return;
    this.#known.add(connection);
    this.connections++;
  }

  giveUp(exchange: Exchange, reason: string): void {
    // This is deferred because the parser is delivering the exchange's bytes right now.
    const error = new LoaderError('aborted', `prefetch: ${reason}`);
    queueMicrotask(() => this.#session?.cancel([exchange], error));
  }

  /** Calls `then` once the received responses are known to answer their own requests. */
  prove(then: () => void): void {
    if (this.#session === null) {
      then();
      return;
    }
    this.#unproven++;
    this.#session.settle({ last: false }).then(() => {
      this.#unproven--;
      then();
    });
  }

  /** Called when no prefetch is in flight: the transport keeps the connections that later prefetches can reuse. */
  rest(): void {
    this.#session?.leave();
    this.#session = null;
  }

  close(): void {
    this.#closed = new LoaderError('loader-closed', 'the loader was closed');
    this.#transport.close();
  }
}
