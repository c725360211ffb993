// The loader's only way to the network: requests out, responses in. `Transport` lasts from page to page;
// `PageTransport` is one page's share of it.

import type { LoaderError } from '../errors.ts';
import type { Exchange } from './exchange.ts';

export interface Transport {
  beginPage(): PageTransport;
  /** Ends everything in flight. */
  close(error?: LoaderError): void;
}

export interface PageTransport {
  submit(exchange: Exchange): void;
  /** Opens a connection to this origin if the page has none. */
  preconnect(origin: string): void;
  /** Whether another request to its origin may be answered before this one: on another connection, or a stream. */
  hasWayAround(exchange: Exchange): boolean;
  /** Sends what `scan` submits together, by the batch rules. */
  batch(scan: () => void): void;
  /** Sends the batches now; nothing more will join them. */
  flush(): void;
  /** Cancels these exchanges. None of them is resent after another's end closes their connection. */
  cancel(exchanges: Exchange[], error: LoaderError): void;
  /** Stops the page without time to check for sync: responses in doubt fail too. */
  stop(exchanges: Exchange[], error: LoaderError): void;
  /** Resolves when every response so far is known to be in sync or is being fetched again. */
  settle(how: { last: boolean }): Promise<void>;
  /**
   * For users without pages, after each response: verifies the responses of this origin, and releases its
   * connections when nothing is in flight.
   */
  rest(origin: string): Promise<void>;
  /** The page is over: reusable connections are kept. */
  leave(): void;
}
