// Poor man's multiplexing (Nielsen, Gettys et al. 1997, "Range Requests"): the first bytes of every image
// tell its width and height, so a page can be laid out long before its images are there. The rests follow
// in the order of the document, once the document has named all there is.

import { ifRangeOf } from '../cache/policy/if-range.ts';
import { plainPlan, type RequestPlan, restPlan } from '../request/request-plan.ts';
import type { Resource } from './resource.ts';

export interface Rest {
  /** What the first bytes came for. */
  part: Resource;
  plan: RequestPlan;
}

export class SizesFirst {
  readonly #firstBytes: number | null;
  /** Origins that answered a range with the whole, or with what cannot be put together. */
  readonly #whole = new Set<string>();
  /** Not asked for yet. */
  #rests: Rest[] = [];
  /** Asked for, and what they complete. */
  readonly #parts = new Map<Resource, Resource>();

  /** @param firstBytes null: images are asked for whole. */
  constructor(firstBytes: number | null) {
    this.#firstBytes = firstBytes;
  }

  /** How many bytes of this image to ask for first; null: all. */
  firstBytes(url: URL): number | null {
    // (SVG comes compressed, and its size stands in text.)
    if (this.#whole.has(url.origin) || url.pathname.endsWith('.svg')) return null;
    return this.#firstBytes;
  }

  /** Learns from how a range was answered. @returns how to ask for what is missing; null: nothing is. */
  missing(resource: Resource): RequestPlan | null {
    const { plan, status, contentRange, row } = resource;
    if (plan.range?.first !== 0 || row.fromCache || row.error !== null) return null;
    const { origin } = new URL(row.url);
    if (status === 200) this.#whole.add(origin);
    if (contentRange === null || resource.isWhole) return null;
    const ifRange = ifRangeOf(row.responseHeaders);
    const begun = resource.encodedBody;
    if (ifRange !== null && begun !== null) return restPlan(begun, contentRange.total, ifRange);
    // Parts without a strong validator may be of two representations (RFC 9110 15.3.7.3).
    this.#whole.add(origin);
    return plainPlan;
  }

  /** @returns how many wait now. */
  keep(rest: Rest): number {
    return this.#rests.push(rest);
  }

  /** Those that wait, in the order of the page's rows. */
  take(rows: readonly Resource[]): Rest[] {
    const rests = this.#rests;
    this.#rests = [];
    const place = new Map(rows.map((resource, index) => [resource, index]));
    return rests.toSorted((a, b) => (place.get(a.part) ?? 0) - (place.get(b.part) ?? 0));
  }

  asked(rest: Resource, part: Resource): void {
    this.#parts.set(rest, part);
  }

  /** What a request was to complete; undefined: nothing. */
  partOf(rest: Resource): Resource | undefined {
    return this.#parts.get(rest);
  }

  /** What the rest told about an image belongs to the row that began it. */
  complete(part: Resource, rest: Resource): void {
    part.sizedAt ??= rest.sizedAt;
    part.row.width ??= rest.row.width;
    part.row.height ??= rest.row.height;
  }
}
