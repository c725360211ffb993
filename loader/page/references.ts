// Decides which references of a page are followed, and in which order. Each URL is followed once, up to
// `maxReferences`: a hostile page may name millions; the first reference beyond the limit gets a row, later ones are
// ignored. First come those that block rendering, then the others by the priority that a browser gives them, else in
// the order of the page. How the page refers to each URL is kept, since a preloaded resource is fetched as its preload
// says, but blocks rendering as the element or rule says that uses it.

import type { LoaderLimits } from '../options.ts';
import type { ResourceError, ResourceKind } from '../page-load.ts';
import type { Naming, Reference } from '../scan/reference.ts';

/** A reference that is not followed, with the reason. */
export interface Refusal {
  /** The URL, truncated if it is too long. */
  shown: string;
  error: ResourceError;
}

export class References {
  readonly #limits: LoaderLimits;
  readonly #urls = new Set<string>();
  #isFull = false;

  constructor(limits: LoaderLimits) {
    this.#limits = limits;
  }

  /**
   * Decides whether a URL is followed.
   * @returns `known`: the URL was named before or is beyond the limit; nothing is to be done.
   */
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
      const message = `the page names more than ${maxReferences} resources`;
      return { shown: url, error: { code: 'too-many-references', message } };
    }
    return 'follow';
  }
}

/** Matches a `from`, such as `img srcset`, whose element shows an image at its own position. */
const shows = /^(?:img|image|source|input|video) /;

/** Whether this is an image in the document's flow; other images, such as backgrounds, have no known position. */
export const isShownInPlace = ({ from = '' }: Naming): boolean => shows.test(from);

export class Namings {
  readonly #byUrl = new Map<string, Naming>();

  /** Records the first reference to a URL, with which it was requested. */
  first(url: string, how: Naming): void {
    this.#byUrl.set(url, how);
  }

  /** Adds to the first reference to a URL what a later one says about blocking and about the position in the page. */
  again(reference: Reference): void {
    const how = this.#byUrl.get(reference.url);
    if (how === undefined) return;
    if (reference.isBlocking) how.isBlocking = true;
    if (isShownInPlace(how) || !isShownInPlace(reference)) return;
    how.from = reference.from;
    how.offset = reference.offset;
  }
}

const ranks = { highest: 1, high: 2, medium: 3, low: 4, lowest: 5 } as const;

/** Returns the rank of a resource, from 0; resources of lower rank are requested first. */
export function rankOf({ isBlocking, priority = 'low' }: Naming): number {
  return isBlocking ? 0 : ranks[priority];
}

const urgencies = { highest: 'u=0', high: 'u=1', medium: 'u=2', low: '', lowest: 'u=4' } as const;
/** Kinds of resources that cannot be used before they are complete. */
const wholes = new Set<ResourceKind>(['script', 'stylesheet', 'font']);

/** Returns the Priority field (RFC 9218 4) as Chromium 156 sends it; '' stands for the default, u=3. */
export function urgencyOf(kind: ResourceKind, { priority = 'low' }: Naming): string {
  const parts = [urgencies[priority], wholes.has(kind) ? '' : 'i'];
  return parts.filter((part) => part !== '').join(', ');
}
