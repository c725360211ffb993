// The resources of a page in the order in which they are sent: style sheets, on which rendering waits; scripts on which
// the parser waits; fonts and others; images; and last those that browsers load late, too.

import { lookup } from 'mime-types';
import type { Reference } from '../../loader/scan/reference.ts';

/** A resource of the page's own origin. */
export interface Wanted {
  /** Path and query. */
  readonly target: string;
  readonly kind: Reference['kind'] | 'module' | 'unknown';
  readonly rank: number;
}

const ranks = 5;

export function wantedOf(reference: Reference, origin: string): Wanted | null {
  const { kind } = reference;
  if (kind === 'connection' || kind === 'document' || kind === 'media') return null;
  const target = targetWithin(reference.url, origin);
  const named = reference.isModule === true ? 'module' : kind;
  return target === null ? null : { target, kind: named, rank: rankOf(reference) };
}

/** A resource that the site names, relative to the page. */
export function wantedAs(named: string, page: URL): Wanted | null {
  const url = URL.parse(named, page.href);
  const target = url === null ? null : targetWithin(url.href, page.origin);
  if (target === null) return null;
  const isImage = url !== null && String(lookup(url.pathname)).startsWith('image/');
  return isImage ? { target, kind: 'image', rank: 3 } : { target, kind: 'unknown', rank: 2 };
}

function rankOf({ kind, isLate, isBlocking }: Reference): number {
  if (isLate) return ranks - 1;
  if (kind === 'stylesheet') return 0;
  if (kind === 'script' && isBlocking) return 1;
  return kind === 'image' ? 3 : 2;
}

function targetWithin(href: string, origin: string): string | null {
  const url = URL.parse(href);
  return url === null || url.origin !== origin ? null : url.pathname + url.search;
}

/** Holds no resource twice, and of each rank no more than can be sent. */
export class WantedQueue {
  readonly #most: number;
  readonly #known: Set<string>;
  readonly #waiting: Wanted[][] = Array.from({ length: ranks }, () => []);
  readonly #counts: number[] = Array.from({ length: ranks }, () => 0);
  /** All resources that were ever added. */
  readonly all: Wanted[] = [];

  /** @param page Path and query of the page itself, which is never wanted */
  constructor(page: string, most: number) {
    this.#known = new Set([page]);
    this.#most = most;
  }

  add(wanted: Wanted | null): void {
    if (wanted === null || this.#known.has(wanted.target)) return;
    const count = this.#counts[wanted.rank] ?? 0;
    if (count >= this.#most) return;
    this.#counts[wanted.rank] = count + 1;
    this.#known.add(wanted.target);
    this.#waiting[wanted.rank]?.push(wanted);
    this.all.push(wanted);
  }

  next(): Wanted | undefined {
    return this.#waiting.find(({ length }) => length > 0)?.shift();
  }
}
