// The options of prefetching: limits on its cost, and URLs that are excluded. Every cost is limited, because hints are
// untrusted and a prefetched page that nobody opens is wasted.

import { bytes, share, trueOrFalse, wholeNumber } from '../../options/kinds.ts';
import {
  type Kind,
  type OptionsOf,
  objectOf,
  option,
  type ValuesOf,
} from '../../options/options.ts';
import { denyKind } from '../../prefetchd/rules/deny-list.ts';

export const prefetchTable = {
  /** A hint is followed only if its probability is at least this; p in Padmanabhan 1995. */
  threshold: option(share(), 0.25, {
    flag: '--threshold <p>',
    help: 'follow hints of at least this probability',
  }),
  /** Limit on all bodies prefetched after one page together, encoded; never more than a quarter of the cache. */
  maxBytes: option(wholeNumber({}), 4 * 1024 * 1024, {
    flag: '--max-bytes <n>',
    help: 'bytes prefetched per page at most',
    written: bytes({}),
  }),
  /** Limit on one prefetched body, encoded. Its bytes that are in flight when a page begins delay that page. */
  maxResourceBytes: option(wholeNumber({}), 64 * 1024),
  /** Also prefetch the same-origin images, styles and scripts of a prefetched document. */
  subresources: option(trueOrFalse(), false, {
    flag: '--subresources',
    help: 'prefetch the resources of prefetched pages too',
  }),
  /**
   * URLs never prefetched, in addition to logout, delete, cart and similar words: `{ extra: ['/admin', 'vote',
   * /regular/], allow: [...] }`. `replace: [...]` replaces the built-in words.
   */
  deny: option(denyKind, {}),
};

/** Settings that no caller needs to change; only tests and measurements do (`withConstants`). */
export const prefetchConstants = {
  /** How busy the thread is, as a share of its processor time, when prefetching begins to wait; 1: it never waits. */
  prefetchMaxLoad: 0.7,
};

export type PrefetchOptions = OptionsOf<typeof prefetchTable>;
export type PrefetchSettings = ValuesOf<typeof prefetchTable>;

export const prefetchKind: Kind<PrefetchSettings, PrefetchOptions> = objectOf(prefetchTable);
