// The resources of each page, so that no page is scanned twice. A list is valid for one ETag of the page, and of each
// style sheet and module that added to it; a page without an ETag is scanned each time.

import { LRUCache } from 'lru-cache';
import type { Wanted } from './wanted.ts';

export interface PageList {
  readonly etag: string;
  readonly wanted: readonly Wanted[];
  /** ETags of the style sheets and modules that were scanned, by path and query. */
  readonly read: ReadonlyMap<string, string>;
}

const mostCharacters = 4 * 1024 * 1024;
/** Counted for an entry besides its texts, characters. */
const overhead = 100;

export class PageLists {
  readonly #lists = new LRUCache<string, PageList>({
    maxSize: mostCharacters,
    sizeCalculation: ({ wanted, read }, url) =>
      wanted.reduce((sum, { target }) => sum + target.length + overhead, url.length + overhead) +
      read.size * overhead,
  });

  /** @param url Absolute URL of the page @param etag '' for none */
  find(url: string, etag: string): PageList | null {
    const list = etag === '' ? undefined : this.#lists.get(url);
    return list?.etag === etag ? list : null;
  }

  keep(url: string, list: PageList): void {
    const isKnown = list.etag !== '' && ![...list.read.values()].includes('');
    if (isKnown) this.#lists.set(url, list);
  }

  forget(url: string): void {
    this.#lists.delete(url);
  }
}
