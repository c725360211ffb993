// Facts from the responses of pages and objects that matter for prefetching or preloading them, by host and URL;
// bounded.

import { LRUCache } from 'lru-cache';
import type { Head } from './head-hook.ts';

interface PageFact {
  /**
   * The response has neither a freshness lifetime nor a validator. A page without them that is prefetched by Link is
   * fetched again when it is shown (Chromium 156), so only speculation rules may name it. Such an object is fetched
   * twice if a 103 names it, because those preloads go through the HTTP cache, and once if Link of the page names it.
   */
  isFetchedTwice: boolean;
  /** No-Vary-Search; undefined: none. */
  noVarySearch: string | undefined;
}

const mostPages = 4000;

export class PageFacts {
  readonly #pages = new LRUCache<string, PageFact>({ max: mostPages });

  /** The facts about one host. */
  of(host = ''): FactsOfHost {
    return new FactsOfHost(this.#pages, host);
  }
}

export class FactsOfHost {
  readonly #pages: LRUCache<string, PageFact>;
  readonly #host: string;

  constructor(pages: LRUCache<string, PageFact>, host: string) {
    this.#pages = pages;
    this.#host = host;
  }

  isFetchedTwice(url: string): boolean {
    return this.#pages.get(this.#host + url)?.isFetchedTwice === true;
  }

  noVarySearch(url: string): string | undefined {
    return this.#pages.get(this.#host + url)?.noVarySearch;
  }

  /** Notes the complete response of a page or an object. @param freshMs its lifetime (lifetime.ts) */
  note(path: string, head: Head, freshMs: number): void {
    const url = this.#host + path;
    const isReused =
      head.field('etag') !== undefined || head.field('last-modified') !== undefined || freshMs > 0;
    const said = head.text('no-vary-search');
    const noVarySearch = /^[\x20-\x7e]{1,256}$/.test(said) ? said : undefined;
    if (isReused && noVarySearch === undefined) this.#pages.delete(url);
    else {
      const known = this.#pages.get(url);
      // Most responses of a page have the same facts as the response before.
      if (known?.isFetchedTwice === !isReused && known.noVarySearch === noVarySearch) return;
      this.#pages.set(url, { isFetchedTwice: !isReused, noVarySearch });
    }
  }
}
