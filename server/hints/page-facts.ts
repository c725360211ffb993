// Remembers, by host and URL and up to a limit, what responses say about fetching their URLs ahead; and computes how
// long a browser uses a response without revalidating it.

import { CacheDirectives } from '../../http/cache-directives.ts';
import { LatestMap } from '../../process/latest-map.ts';
import { TextMemo } from '../../process/text-memo.ts';
import type { Head } from './response-hooks.ts';

interface PageFact {
  /**
   * The response has neither a freshness lifetime nor a validator. A page without them that is prefetched by Link is
   * fetched again when it is shown (Chromium 156), so only speculation rules may name it. An embedded object without
   * them is fetched twice if a 103 names it, because a 103 preloads into the HTTP cache, and once if Link names it.
   */
  isFetchedTwice: boolean;
  /** Value of No-Vary-Search; undefined: the response has none. */
  noVarySearch: string | undefined;
}

const mostPages = 4000;

export class PageFacts {
  readonly #pages = new LatestMap<string, PageFact>(mostPages);

  isFetchedTwice(host: string | undefined, url: string): boolean {
    return this.#pages.get((host ?? '') + url)?.isFetchedTwice === true;
  }

  noVarySearch(host: string | undefined, url: string): string | undefined {
    return this.#pages.get((host ?? '') + url)?.noVarySearch;
  }

  /** Remembers what a response says about fetching its URL ahead. @param freshMs Its freshness lifetime, ms */
  note(host: string | undefined, path: string, head: Head, freshMs: number): void {
    const url = (host ?? '') + path;
    const isReused =
      head.field('etag') !== undefined || head.field('last-modified') !== undefined || freshMs > 0;
    const said = head.text('no-vary-search');
    const noVarySearch = /^[\x20-\x7e]{1,256}$/.test(said) ? said : undefined;
    if (isReused && noVarySearch === undefined) this.#pages.delete(url);
    else {
      const known = this.#pages.get(url);
      // Most responses repeat what the page's previous response said, so there is nothing to store.
      if (known?.isFetchedTwice === !isReused && known.noVarySearch === noVarySearch) return;
      this.#pages.set(url, { isFetchedTwice: !isReused, noVarySearch });
    }
  }
}

/** What a value of Cache-Control says: the lifetime in seconds, null if it gives none; and for which caches it is. */
const caching = new TextMemo((text) => {
  const directives = new CacheDirectives(text);
  const isStale = directives.has('no-store') || directives.isUnqualified('no-cache');
  return {
    seconds: isStale ? 0 : directives.seconds('max-age'),
    isPublic: directives.has('public'),
    isForShared: (directives.seconds('s-maxage') ?? 0) > 0,
  };
}, 500);

/**
 * Returns whether a shared cache may give the response to others without revalidation (RFC 9111 3, 4.2.1): `public` and
 * `s-maxage` say that it is meant for shared caches; a lifetime alone only permits it.
 */
export function sharingOf(head: Head): 'public' | 'possible' | 'none' {
  const { isPublic, isForShared } = caching.get(head.text('cache-control'));
  if (isForShared) return 'public';
  if (freshMsOf(head) > 0) return isPublic ? 'public' : 'possible';
  return 'none';
}

/**
 * Returns how long a browser may use a response without revalidating it, ms (RFC 9111 4.2): max-age, else Expires, else
 * a tenth of the time since its last modification (4.2.2), as in Chromium and Firefox.
 */
export function freshMsOf(head: Head): number {
  const text = head.text('cache-control');
  const { seconds } = caching.get(text);
  if (seconds !== null) return 1000 * seconds;
  const expires = head.text('expires');
  const dateMs = Date.parse(head.text('date')) || Date.now();
  if (expires !== '') return Math.max(0, Date.parse(expires) - dateMs) || 0;
  const changed = head.text('last-modified');
  if (changed === '' || /\bmust-revalidate\b/i.test(text)) return 0;
  return Math.max(0, (dateMs - Date.parse(changed)) / 10) || 0;
}
