// What a prefetch may cost, and what is never prefetched. Everything is bounded: a hint is somebody else's
// word, and a prefetched page that nobody opens is waste.

import { share, trueOrFalse, wholeNumber } from '../../options/kinds.ts';
import { defaultsOf, option, type TableOf } from '../../options/options.ts';
import { type DenyListOptions, denyKind } from '../../prefetchd/rules/deny-list.ts';

export interface PrefetchOptions {
  /** Hints below this are not followed, 0..1. */
  minProbability?: number;
  /** Bodies asked for behind one page, at most; each may come in several parts. */
  maxRequests?: number;
  /** Bytes of bodies, as they come, behind one page, at most. */
  maxBytes?: number;
  /** Bytes of one body, as it comes, at most. */
  maxResourceBytes?: number;
  /** Bytes of one body that cannot come in parts, such as a document, as it comes, at most. */
  maxWholeBytes?: number;
  /** Requests at a time. */
  concurrency?: number;
  /** What a prefetched document needs is prefetched, too. */
  subresources?: boolean;
  /** URLs with a query may be prefetched. */
  queries?: boolean;
  /** What is never prefetched, besides or instead of logout, delete, cart and their kind. */
  deny?: DenyListOptions;
  /** Obey the site's robots.txt (RFC 9309). */
  robots?: boolean;
  /** Leave out what the page links to with rel=nofollow, or all where the page says so. */
  nofollow?: boolean;
  /** Share of the processor time it could have that the thread uses, 0..1, from which on nothing is prefetched. */
  maxLoad?: number;
}

export const prefetchTable = {
  minProbability: option(share(), 0.25, 'Least probability of a hint that is followed.'),
  maxRequests: option(
    wholeNumber({ most: 1_000 }),
    16,
    'Bodies prefetched per page; a body in several parts counts once.',
  ),
  maxBytes: option(
    wholeNumber({}),
    4 * 1024 * 1024,
    'All bodies prefetched per page together, encoded; at most a quarter of the cache.',
  ),
  maxResourceBytes: option(wholeNumber({}), 1024 * 1024, 'One body, encoded.'),
  maxWholeBytes: option(
    wholeNumber({}),
    64 * 1024,
    'One body that cannot be fetched [in parts](prefetching.md#in-parts), encoded: a document, or a response without a strong validator.',
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
  queries: option(trueOrFalse(), false, 'Prefetch URLs with a query.'),
  deny: option(
    denyKind,
    {},
    "URLs never prefetched, in addition to logout, delete, cart and similar words: `{ extra: ['/admin', 'vote', /regular/], allow: [...] }`. `replace: [...]` replaces the built-in words.",
  ),
  robots: option(
    trueOrFalse(),
    false,
    "Prefetch only what the site's robots.txt allows (RFC 9309).",
  ),
  nofollow: option(
    trueOrFalse(),
    false,
    'Skip links with `rel=nofollow`, `ugc` or `sponsored`, and all links of a page that says nofollow.',
  ),
  maxLoad: option(
    share(),
    0.7,
    'Load of the thread, as a share of its available processor time, at which prefetching stops. 0: never prefetch; 1: ignore the load.',
  ),
} satisfies TableOf<PrefetchOptions>;

export const prefetchDefaults: Readonly<Required<PrefetchOptions>> = defaultsOf(prefetchTable);
