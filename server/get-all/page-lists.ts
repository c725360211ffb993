// What belongs to which page, so that no page is read twice. A list holds for one ETag of the page, and of each style
// sheet and module that added to it; a page without one is read each time.

import { LRUCache } from 'lru-cache';
import type { Wanted } from './wanted.ts';

export interface PageList {
  readonly etag: string;
  readonly wanted: readonly Wanted[];
  /** ETags of what was read for more, by its path and query. */
  readonly read: ReadonlyMap<string, string>;
}

const mostCharacters = 4 * 1024 * 1024;
/** Of an entry, besides its texts. */
const overhead = 100;

export class PageLists {
  readonly #lists = new LRUCache<string, PageList>({
    maxSize: mostCharacters,
    sizeCalculation: ({ wanted, read }, url) =>
      wanted.reduce((sum, { target }) => sum + target.length + overhead, url.length + overhead) +
      read.size * overhead,
  });

  /** @param url Of the page, absolute @param etag '' for none */
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
