// The options of prefetching: limits on its cost, and URLs that are excluded. Every cost is limited, because hints are
// untrusted and a prefetched page that nobody opens is wasted.

import { share, trueOrFalse, wholeNumber } from '../../options/kinds.ts';
import { defaultsOf, option, type TableOf } from '../../options/options.ts';
import { type DenyListOptions, denyKind } from '../../prefetchd/rules/deny-list.ts';

export interface PrefetchOptions {
  /** Lowest probability of a hint that is followed, 0..1. */
  minProbability?: number;
  /** Maximum number of bodies requested after one page. */
  maxRequests?: number;
  /** Maximum length of all bodies after one page, as received, bytes. */
  maxBytes?: number;
  /** Maximum length of one body, as received, bytes. */
  maxResourceBytes?: number;
  /** Maximum number of concurrent requests. */
  concurrency?: number;
  /** true: the resources of a prefetched document are prefetched, too. */
  subresources?: boolean;
  /** true: any URL with a query may be prefetched; false: only versioned files, and pages with harmless query names. */
  queries?: boolean;
  /** URLs that are never prefetched, in addition to or instead of logout, delete, cart and similar URLs. */
  deny?: DenyListOptions;
  /**
   * Load of the thread at which prefetching stops: the share of the available processor time in use, 0..1.
   */
  maxLoad?: number;
}

export const prefetchTable = {
  minProbability: option(share(), 0.25, 'Least probability of a hint that is followed.'),
  maxRequests: option(wholeNumber({ most: 1_000 }), 16, 'Bodies prefetched per page.'),
  maxBytes: option(
    wholeNumber({}),
    4 * 1024 * 1024,
    'All bodies prefetched per page together, encoded; at most a quarter of the cache.',
  ),
  maxResourceBytes: option(
    wholeNumber({}),
    64 * 1024,
    'One body, encoded. What is under way of it when a page begins delays the page.',
  ),
  concurrency: option(
    wholeNumber({ least: 1, most: 16 }),
    1,
    'Simultaneous requests, each on its own connection.',
  ),
  subresources: option(
    trueOrFalse(),
    false,
    'Also prefetch the same-origin images, styles and scripts of a prefetched document.',
  ),
  queries: option(
    trueOrFalse(),
    false,
    'Prefetch every URL with a query. false: pages whose query is harmless by name, and versioned files.',
  ),
  deny: option(
    denyKind,
    {},
    "URLs never prefetched, in addition to logout, delete, cart and similar words: `{ extra: ['/admin', 'vote', /regular/], allow: [...] }`. `replace: [...]` replaces the built-in words.",
  ),
  maxLoad: option(
    share(),
    0.7,
    'Load of the thread, as a share of its available processor time, at which prefetching stops. 0: never prefetch; 1: ignore the load.',
  ),
} satisfies TableOf<PrefetchOptions>;

export const prefetchDefaults: Readonly<Required<PrefetchOptions>> = defaultsOf(prefetchTable);
