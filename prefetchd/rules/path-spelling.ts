// One spelling for each path with percent escapes. `/%d0%bf`, `/%D0%BF` and `/п` are one page (RFC 3986 6.2.2), but a
// browser finds a prefetched page only under the spelling of the link that is clicked. So hints have the spelling in
// which the page was first requested; a table remembers the latest pages. A page that is known in its normal form keeps
// that form, so that nobody changes it by requesting `/%6eews`.

import { LRUCache } from 'lru-cache';
import { ownText } from '../../process/text-memo.ts';

const mostPaths = 5_000;

export class PathSpelling {
  readonly #isKnown: (path: string) => boolean;
  readonly #spellings = new LRUCache<string, string>({ max: mostPaths });

  constructor(isKnown: (path: string) => boolean) {
    this.#isKnown = isKnown;
  }

  /** True if this normal path has another spelling. @param url may have a query */
  isSpelledOtherwise(url: string): boolean {
    if (this.#spellings.size === 0) return false;
    const end = url.indexOf('?');
    const path = end === -1 ? url : url.slice(0, end);
    return (this.#spellings.get(path) ?? path) !== path;
  }

  /** @param path the path with its escapes as they were sent */
  of(normal: string, path: string): string {
    const known = this.#spellings.get(normal);
    if (known !== undefined) return known;
    if (!path.includes('%') || (path !== normal && this.#isKnown(normal))) return normal;
    this.#spellings.set(ownText(normal), ownText(path));
    return path;
  }
}
