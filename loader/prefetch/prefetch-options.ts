// The options of prefetching: limits on its cost, and URLs that are excluded. Every cost is limited, because hints are
// untrusted and a prefetched page that nobody opens is wasted.

import { share, trueOrFalse, wholeNumber } from '../../options/kinds.ts';
import {
  type Kind,
  type OptionsOf,
  objectOf,
  option,
  type ValuesOf,
} from '../../options/options.ts';
import { denyKind } from '../../prefetchd/rules/deny-list.ts';

export const prefetchTable = {
  /** Least probability of a hint that is followed. */
  minProbability: option(share(), 0.25),
  /** Bodies prefetched per page. */
  maxRequests: option(wholeNumber({ most: 1_000 }), 16),
  /** All bodies prefetched per page together, encoded; at most a quarter of the cache. */
  maxBytes: option(wholeNumber({}), 4 * 1024 * 1024),
  /** One body, encoded. Its bytes that are under way when a page begins delay the page. */
  maxResourceBytes: option(wholeNumber({}), 64 * 1024),
  /** Simultaneous requests, each on its own connection. */
  concurrency: option(wholeNumber({ least: 1, most: 16 }), 1),
  /** Also prefetch the same-origin images, styles and scripts of a prefetched document. */
  subresources: option(trueOrFalse(), false),
  /**
   * URLs never prefetched, in addition to logout, delete, cart and similar words: `{ extra: ['/admin', 'vote',
   * /regular/], allow: [...] }`. `replace: [...]` replaces the built-in words.
   */
  deny: option(denyKind, {}),
  /**
   * Load of the thread, as a share of its available processor time, at which prefetching stops. 0: never prefetch; 1:
   * ignore the load.
   */
  maxLoad: option(share(), 0.7),
};

export type PrefetchOptions = OptionsOf<typeof prefetchTable>;
export type PrefetchSettings = ValuesOf<typeof prefetchTable>;

export const prefetchKind: Kind<PrefetchSettings, PrefetchOptions> = objectOf(prefetchTable);
