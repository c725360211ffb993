// Decides which references of a page are followed: each URL once, up to `maxReferences`. A hostile page may name
// millions; the first reference beyond the limit gets a row, later ones are ignored.

import type { Limits } from '../options.ts';
import type { ResourceError } from '../page-load.ts';

/** A reference that is not followed, with the reason. */
export interface Refusal {
  /** The URL, truncated if it is too long. */
  shown: string;
  error: ResourceError;
}

export class References {
  readonly #limits: Limits;
  readonly #urls = new Set<string>();
  #isFull = false;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** @returns `known`: the URL was named before or is beyond the limit; nothing is to be done. */
  admit(url: string): 'follow' | 'known' | Refusal {
    if (this.#isFull || this.#urls.has(url)) return 'known';
    this.#urls.add(url);
    const { maxReferences, maxUrlCharacters } = this.#limits;
    if (url.length > maxUrlCharacters) {
      const message = `a URL of ${url.length} characters, at most ${maxUrlCharacters} are fetched`;
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
