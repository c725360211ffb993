// The loader's only access to the network: requests out, responses in. `Transport` lasts from page to page;
// `PageTransport` is one page's share of it.

import type { LoaderError } from '../errors.ts';
import type { Exchange } from './exchange.ts';

export interface Transport {
  beginPage(): PageTransport;
  /** Ends all exchanges in flight. */
  close(error?: LoaderError): void;
}

export interface PageTransport {
  submit(exchange: Exchange): void;
  /** Opens a connection to this origin if the page has none. */
  preconnect(origin: string): void;
  /** Whether a later request to the origin may be answered before this one: on another connection or stream. */
  hasWayAround(exchange: Exchange): boolean;
  /** Sends the requests that `scan` submits together, according to the batch rules. */
  batch(scan: () => void): void;
  /** Sends the batches now, as nothing more will join them. */
  flush(): void;
  /** Cancels these exchanges. None of them is resent when the end of another one closes their connection. */
  cancel(exchanges: Exchange[], error: LoaderError): void;
  /** Stops the page without time to check for sync, so responses in doubt fail as well. */
  stop(exchanges: Exchange[], error: LoaderError): void;
  /** Resolves when every response so far is known to be in sync or is being fetched again. */
  settle(how: { last: boolean }): Promise<void>;
  /**
   * For users without pages, after each response: verifies the responses of this origin, and releases its
   * connections when nothing is in flight.
   */
  rest(origin: string): Promise<void>;
  /** Called at the end of the page: reusable connections are kept. */
  leave(): void;
}
