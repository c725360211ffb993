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
