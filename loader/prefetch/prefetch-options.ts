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
  /** Least probability of a hint that is followed; the paper's p. */
  threshold: option(share(), 0.25),
  /** All bodies prefetched per page together, encoded; at most a quarter of the cache. */
  maxBytes: option(wholeNumber({}), 4 * 1024 * 1024),
  /** One body, encoded. Its bytes that are under way when a page begins delay the page. */
  maxResourceBytes: option(wholeNumber({}), 64 * 1024),
  /** Also prefetch the same-origin images, styles and scripts of a prefetched document. */
  subresources: option(trueOrFalse(), false),
  /**
   * URLs never prefetched, in addition to logout, delete, cart and similar words: `{ extra: ['/admin', 'vote',
   * /regular/], allow: [...] }`. `replace: [...]` replaces the built-in words.
   */
  deny: option(denyKind, {}),
};

/** What no caller needs to set; tests and measurements do (`withConstants`). */
export const prefetchConstants = {
  /** Load of the thread, as a share of its available processor time, at which prefetching waits; 1: it never does. */
  prefetchMaxLoad: 0.7,
};

export type PrefetchOptions = OptionsOf<typeof prefetchTable>;
export type PrefetchSettings = ValuesOf<typeof prefetchTable>;

export const prefetchKind: Kind<PrefetchSettings, PrefetchOptions> = objectOf(prefetchTable);
