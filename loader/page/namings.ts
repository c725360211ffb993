// How the page names each resource. One that was preloaded is fetched as its preload says, but the page waits for it as
// the element or rule says that uses it.

import type { Naming, Reference } from '../scan/reference.ts';

/** Elements that show an image where they stand. */
const shows = /^(?:img|image|source|input|video) /;

/** An image of the document; others, such as backgrounds, have no known place. */
export const isShownInPlace = ({ from = '' }: Naming): boolean => shows.test(from);

export class Namings {
  readonly #byUrl = new Map<string, Naming>();

  /** The first naming of a URL, by which it was requested. */
  first(url: string, how: Naming): void {
    this.#byUrl.set(url, how);
  }

  /** A later one: what it says of the place in the page is added to the first. */
  again(reference: Reference): void {
    const how = this.#byUrl.get(reference.url);
    if (how === undefined) return;
    if (reference.isBlocking) how.isBlocking = true;
    if (isShownInPlace(how) || !isShownInPlace(reference)) return;
    how.from = reference.from;
    how.offset = reference.offset;
  }
}
