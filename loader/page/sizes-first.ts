// Poor man's multiplexing (Nielsen, Gettys et al. 1997, "Range Requests"). The first bytes of every image contain
// its width and height, so a page can be laid out long before its images are complete. The rests are requested in
// document order once the document is complete.

import { ifRangeOf } from '../cache/policy/if-range.ts';
import { plainPlan, type RequestPlan, restPlan } from '../request/request-plan.ts';
import type { Resource } from './resource.ts';

export interface Rest {
  /** The resource whose first bytes arrived. */
  part: Resource;
  plan: RequestPlan;
}

export class SizesFirst {
  readonly #firstBytes: number | null;
  /** Origins that answered a range request with the whole, or with parts that cannot be combined. */
  readonly #whole = new Set<string>();
  /** Rests that have not been requested yet. */
  #rests: Rest[] = [];
  /** Rests that have been requested, with the parts that they complete. */
  readonly #parts = new Map<Resource, Resource>();

  /** @param firstBytes null: images are requested whole. */
  constructor(firstBytes: number | null) {
    this.#firstBytes = firstBytes;
  }

  /** Number of leading bytes of this image to request first; null: the whole image. */
  firstBytes(url: URL): number | null {
    // SVG is compressed, and states its size in text.
    if (this.#whole.has(url.origin) || url.pathname.endsWith('.svg')) return null;
    return this.#firstBytes;
  }

  /** Records how the server answered a range. @returns The plan for the missing bytes; null: none are missing. */
  missing(resource: Resource): RequestPlan | null {
    const { plan, status, contentRange, row } = resource;
    if (plan.range?.first !== 0 || row.fromCache || row.error !== null) return null;
    const { origin } = new URL(row.url);
    if (status === 200) this.#whole.add(origin);
    if (contentRange === null || resource.isWhole) return null;
    const ifRange = ifRangeOf(row.responseHeaders);
    const begun = resource.encodedBody;
    if (ifRange !== null && begun !== null) return restPlan(begun, contentRange.total, ifRange);
    // Without a strong validator, two parts may be of different representations (RFC 9110 15.3.7.3).
    this.#whole.add(origin);
    return plainPlan;
  }

  /** @returns The number of rests that are waiting. */
  keep(rest: Rest): number {
    return this.#rests.push(rest);
  }

  /** The waiting rests, in row order. */
  take(rows: readonly Resource[]): Rest[] {
    const rests = this.#rests;
    this.#rests = [];
    const place = new Map(rows.map((resource, index) => [resource, index]));
    return rests.toSorted((a, b) => (place.get(a.part) ?? 0) - (place.get(b.part) ?? 0));
  }

  asked(rest: Resource, part: Resource): void {
    this.#parts.set(rest, part);
  }

  /** The part that a request completes; undefined: none. */
  partOf(rest: Resource): Resource | undefined {
    return this.#parts.get(rest);
  }

  /** Copies an image's size from the rest to the row with its first bytes. */
  complete(part: Resource, rest: Resource): void {
    part.sizedAt ??= rest.sizedAt;
    part.row.width ??= rest.row.width;
    part.row.height ??= rest.row.height;
  }
}
