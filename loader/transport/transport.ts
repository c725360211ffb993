// One request out, one response in: the loader's only way to the network. `Transport` is what lasts from page to page;
// `PageTransport` is one page's share of it.

import type { LoaderError } from '../errors.ts';
import type { Exchange } from './exchange.ts';

export interface Transport {
  beginPage(): PageTransport;
  /** Ends all that is under way. */
  close(error?: LoaderError): void;
}

export interface PageTransport {
  submit(exchange: Exchange): void;
  /** What `scan` submits leaves together, by the batch rules. */
  batch(scan: () => void): void;
  /** Nothing more will join the batches: send them. */
  flush(): void;
  /** Give these up: none of them is sent again because another's end broke its connection. */
  cancel(exchanges: Exchange[], error: LoaderError): void;
  /** The page is given up, and there is no time to know what is in step: what is in doubt fails, too. */
  stop(exchanges: Exchange[], error: LoaderError): void;
  /** Resolves when every response so far is known to be in step, or is being fetched again. */
  settle(how: { last: boolean }): Promise<void>;
  /**
   * For whom there are no pages, after each response: prove what came from this origin, and when nothing is under way
   * with it let others have its connections.
   */
  rest(origin: string): Promise<void>;
  /** The page is over: what is fit for the next one is kept. */
  leave(): void;
}
