// What the responses of pages and objects said that matters for a prefetch or a preload of them, by host and URL;
// bounded.

import { LRUCache } from 'lru-cache';
import type { Head } from './head-hook.ts';

interface PageFact {
  /**
   * Neither a freshness lifetime nor a validator. A page: a browser that prefetches it by Link fetches it again when it
   * is shown (Chromium 156), so only speculation rules may name it. An object: so it is if a 103 named it, whose
   * preloads come by the HTTP cache; in Link of the page it is fetched once.
   */
  isFetchedTwice: boolean;
  /** No-Vary-Search; undefined: none. */
  noVarySearch: string | undefined;
}

const mostPages = 4000;

export class PageFacts {
  readonly #pages = new LRUCache<string, PageFact>({ max: mostPages });

  /** Those of one host. */
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

  /** The complete response of a page or an object. @param freshMs its lifetime (lifetime.ts) */
  note(path: string, head: Head, freshMs: number): void {
    const url = this.#host + path;
    const isReused =
      head.field('etag') !== undefined || head.field('last-modified') !== undefined || freshMs > 0;
    const said = head.text('no-vary-search');
    const noVarySearch = /^[\x20-\x7e]{1,256}$/.test(said) ? said : undefined;
    if (isReused && noVarySearch === undefined) this.#pages.delete(url);
    else {
      const known = this.#pages.get(url);
      // Most responses of a page say what the one before said.
      if (known?.isFetchedTwice === !isReused && known.noVarySearch === noVarySearch) return;
      this.#pages.set(url, { isFetchedTwice: !isReused, noVarySearch });
    }
  }
}
