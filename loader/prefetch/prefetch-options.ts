// The options of prefetching: cost limits and exclusions. Everything is bounded, because hints are untrusted and a
// prefetched page that nobody opens is waste.

import { share, trueOrFalse, wholeNumber } from '../../options/kinds.ts';
import { defaultsOf, option, type TableOf } from '../../options/options.ts';
import { type DenyListOptions, denyKind } from '../../prefetchd/rules/deny-list.ts';

export interface PrefetchOptions {
  /** Hints with a lower probability are not followed, 0..1. */
  minProbability?: number;
  /** Maximum number of bodies requested after one page; each may come in several parts. */
  maxRequests?: number;
  /** Maximum bytes of all bodies after one page, as received. */
  maxBytes?: number;
  /** Maximum bytes of one body, as received. */
  maxResourceBytes?: number;
  /** Maximum bytes, as received, of a body that cannot come in parts, such as a document. */
  maxWholeBytes?: number;
  /** Concurrent requests. */
  concurrency?: number;
  /** Also prefetch the resources of a prefetched document. */
  subresources?: boolean;
  /** URLs with a query may be prefetched. */
  queries?: boolean;
  /** URLs that are never prefetched, in addition to or instead of logout, delete, cart and similar ones. */
  deny?: DenyListOptions;
  /** Obey the site's robots.txt (RFC 9309). */
  robots?: boolean;
  /** Leave out links with rel=nofollow, or all links if the page says so. */
  nofollow?: boolean;
  /**
   * Load of the thread from which on nothing is prefetched: the share of the available processor time in use, 0..1.
   */
  maxLoad?: number;
}

export const prefetchTable = {
  minProbability: option(share(), 0.25, 'Hints that are less probable are not followed.'),
  maxRequests: option(
    wholeNumber({ most: 1_000 }),
    16,
    'Bodies asked for behind one page; each part of one is a request, but counts no more.',
  ),
  maxBytes: option(
    wholeNumber({}),
    4 * 1024 * 1024,
    'Bodies behind one page together, as they come; never more than a quarter of the cache.',
  ),
  maxResourceBytes: option(wholeNumber({}), 1024 * 1024, 'One body, as it comes.'),
  maxWholeBytes: option(
    wholeNumber({}),
    64 * 1024,
    'One body that cannot come [in parts](prefetching.md#in-parts), as it comes: a document, and what no strong validator names. All of it may be on its way when a page begins.',
  ),
  concurrency: option(
    wholeNumber({ least: 1, most: 16 }),
    1,
    'Requests at a time, each on a connection of its own.',
  ),
  subresources: option(
    trueOrFalse(),
    false,
    'Prefetch what a prefetched document needs of its own origin, too.',
  ),
  queries: option(trueOrFalse(), false, 'Prefetch URLs with a query.'),
  deny: option(
    denyKind,
    {},
    "What is never prefetched, beside logout, delete, cart and their kind: `{ extra: ['/admin', 'vote', /regular/], allow: [...] }`; `replace: [...]` takes the place of the usual words.",
  ),
  robots: option(
    trueOrFalse(),
    false,
    "Prefetch only what the site's robots.txt allows (RFC 9309).",
  ),
  nofollow: option(
    trueOrFalse(),
    false,
    'Leave out links with rel=nofollow, ugc or sponsored, and all of a page that says nofollow.',
  ),
  maxLoad: option(
    share(),
    0.7,
    'Share of the processor time it could have that the thread uses, from which on nothing is sent. 0: nothing ever; 1: regardless of load.',
  ),
} satisfies TableOf<PrefetchOptions>;

export const prefetchDefaults: Readonly<Required<PrefetchOptions>> = defaultsOf(prefetchTable);
