// How the page refers to each resource. A preloaded resource is fetched as its preload says, but blocks rendering as
// the element or rule says that uses it.

import type { Naming, Reference } from '../scan/reference.ts';

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
