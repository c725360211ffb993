// Orders the resources of a page as they are sent: style sheets, for which rendering waits; scripts, for which the
// parser waits; fonts and others; images; and last what browsers load late, too, such as icons. These are resources of
// the page's own origin that its HTML names, or that its style sheets and modules name once these are read.

import { decodeWhole } from '../../loader/response/content-coding.ts';
import type { ResourceScanner, Scanner } from '../../loader/scan/index.ts';
import type { Reference } from '../../loader/scan/reference.ts';

export interface WantedParts {
  /** Path and query of the resource. */
  readonly target: string;
  readonly kind: Reference['kind'] | 'module';
}

/** Limit on the bytes that are read of a document or style sheet, after decoding. */
const mostBytes = 8 * 1024 * 1024;
const ranks = 5;

export class PageResources {
  readonly #page: URL;
  readonly #known: Set<string>;
  /** Resources that are still to be sent, in lists by their rank (`rankOf`); those of the first list go first. */
  readonly #waiting: WantedParts[][] = Array.from({ length: ranks }, () => []);

  constructor(page: URL) {
    this.#page = page;
    this.#known = new Set([page.pathname + page.search]);
  }

  /** Adds the resources that a document, style sheet or module names. @param coding Value of Content-Encoding */
  read(scanner: ResourceScanner, body: Buffer, coding: string): void {
    const plain = decodeWhole(coding, body, { maxCodings: 1, maxResourceBytes: mostBytes });
    if (plain === null) return; // a body that cannot be decoded is taken to name nothing
    for (const reference of [...scanner.write(plain), ...scanner.end()]) {
      const { kind, url, isModule } = reference;
      if (kind === 'connection' || kind === 'document' || kind === 'media') continue;
      this.#add(URL.parse(url), isModule === true ? 'module' : kind, rankOf(reference));
    }
  }

  /** Adds the resources that a style sheet or module of the page names. */
  readPart(
    scanner: Scanner,
    { target, kind }: WantedParts,
    body: Buffer,
    { contentType, coding }: { contentType: string; coding: string },
  ): void {
    const resource = { url: this.#page.origin + target, contentType };
    if (kind === 'stylesheet') this.read(scanner.styleSheet(resource), body, coding);
    if (kind === 'module') this.read(scanner.module(resource), body, coding);
  }

  next(): WantedParts | undefined {
    return this.#waiting.find(({ length }) => length > 0)?.shift();
  }

  #add(url: URL | null, kind: WantedParts['kind'], rank: number): void {
    if (url === null || url.origin !== this.#page.origin) return;
    const target = url.pathname + url.search;
    if (this.#known.has(target)) return;
    this.#known.add(target);
    this.#waiting[rank]?.push({ target, kind });
  }
}

function rankOf({ kind, isLate, isBlocking }: Reference): number {
  if (isLate) return ranks - 1;
  if (kind === 'stylesheet') return 0;
  if (kind === 'script' && isBlocking) return 1;
  return kind === 'image' ? 3 : 2;
}

/** Returns whether a resource may name other resources. */
export const namesMore = ({ kind }: WantedParts) => kind === 'stylesheet' || kind === 'module';
