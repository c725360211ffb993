// Decides which references of a page are followed: each URL once, up to `maxReferences`. A hostile page may name
// millions; the first reference beyond the limit gets a row, later ones are ignored. How the page refers to each URL is
// kept, since a preloaded resource is fetched as its preload says, but blocks rendering as the element or rule says
// that uses it.

import type { LimitOptions } from '../options.ts';
import type { ResourceError } from '../page-load.ts';
import type { Naming, Reference } from '../scan/reference.ts';

/** A reference that is not followed, with the reason. */
export interface Refusal {
  /** The URL, truncated if it is too long. */
  shown: string;
  error: ResourceError;
}

export class References {
  readonly #limits: LimitOptions;
  readonly #urls = new Set<string>();
  #isFull = false;

  constructor(limits: LimitOptions) {
    this.#limits = limits;
  }

  /** @returns `known`: the URL was named before or is beyond the limit; nothing is to be done. */
  admit(url: string): 'follow' | 'known' | Refusal {
    if (this.#isFull || this.#urls.has(url)) return 'known';
    this.#urls.add(url);
    const { maxReferences, maxUrlCharacters } = this.#limits;
    if (url.length > maxUrlCharacters) {
      const message = `a URL of ${url.length} characters, over limits.maxUrlCharacters (${maxUrlCharacters})`;
      return { shown: `${url.slice(0, 200)}...`, error: { code: 'invalid-url', message } };
    }
    if (this.#urls.size > maxReferences) {
      this.#isFull = true;
      const message = `the page names more than limits.maxReferences (${maxReferences}) resources`;
      return { shown: url, error: { code: 'too-many-references', message } };
    }
    return 'follow';
  }
}

/** Elements that show an image at their own position. */
const shows = /^(?:img|image|source|input|video) /;

/** Whether this is an image in the document's flow; other images, such as backgrounds, have no known position. */
export const isShownInPlace = ({ from = '' }: Naming): boolean => shows.test(from);

export class Namings {
  readonly #byUrl = new Map<string, Naming>();

  /** Records the first reference to a URL, with which it was requested. */
  first(url: string, how: Naming): void {
    this.#byUrl.set(url, how);
  }

  /** Adds to the first reference what a later one says about blocking and about the position in the page. */
  again(reference: Reference): void {
    const how = this.#byUrl.get(reference.url);
    if (how === undefined) return;
    if (reference.isBlocking) how.isBlocking = true;
    if (isShownInPlace(how) || !isShownInPlace(reference)) return;
    how.from = reference.from;
    how.offset = reference.offset;
  }
}
