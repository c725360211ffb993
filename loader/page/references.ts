// Which references of a page are followed: each URL once, and no more than a page may name. A hostile page
// names millions; the first one beyond the limit still shows, and from there on all are passed over.

import type { LimitOptions } from '../options.ts';
import type { ResourceError } from '../page-load.ts';

/** It is not followed, and the record says why. */
export interface Refusal {
  /** The URL, shortened where it is its length that is wrong. */
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

  /** @returns `known`: named before, or beyond the limit: nothing to do. */
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
