// Which references the caller wants to be fetched: by origin and by pattern. Patterns match a part of a URL; `*` is any
// characters.

import type { DiscoveryOptions } from '../discovery-options.ts';
import { requestSite } from '../request/referrer.ts';

type FilterOptions = Pick<DiscoveryOptions, 'origins' | 'include' | 'exclude'>;

export class ReferenceFilter {
  readonly #origins: FilterOptions['origins'];
  readonly #include: ReadonlyArray<readonly string[]>;
  readonly #exclude: ReadonlyArray<readonly string[]>;

  constructor({ origins, include, exclude }: FilterOptions) {
    this.#origins = origins;
    this.#include = include.map(partsOf);
    this.#exclude = exclude.map(partsOf);
  }

  /** @param page URL of the document. @returns Why it is not fetched; null: it is */
  refuses(url: string, page: string): string | null {
    const why = this.#refusesOrigin(url, page);
    if (why !== null) return why;
    if (this.#exclude.some((parts) => hasParts(url, parts))) return 'excluded';
    const isIncluded =
      this.#include.length === 0 || this.#include.some((parts) => hasParts(url, parts));
    return isIncluded ? null : 'not included';
  }

  #refusesOrigin(url: string, page: string): string | null {
    if (this.#origins === 'all') return null;
    const site = requestSite(new URL(page), new URL(url));
    if (site === 'same-origin' || site === this.#origins) return null;
    return this.#origins === 'same-site' ? 'on another site' : 'on another origin';
  }
}

const partsOf = (pattern: string): string[] => pattern.split('*').filter((part) => part !== '');

/** Whether the parts follow each other in the text; linear, whatever the pattern. */
function hasParts(text: string, parts: readonly string[]): boolean {
  let at = 0;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return true;
}
