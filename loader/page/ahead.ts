// Early requests of a revisited page. What the page named before is known, so everything that the cache cannot answer
// is requested or validated together with the document (Padmanabhan 1995, 5.2: "the client can request the HTML and all
// images in one message"; Nielsen, Gettys et al. 1997, "cache validation"). Resources that the new document names are
// adopted; the rest are cancelled where that saves bytes.

import { fieldValue } from '../../http/header-pairs.ts';
import { htmlTypes, mediaType } from '../../http/media-type.ts';
import type { LatestMap } from '../../process/latest-map.ts';
import type { CacheRequest } from '../cache/entry.ts';
import type { CachedResponse, HttpCache } from '../cache/http-cache.ts';
import { scannerOptions } from '../discovery-options.ts';
import { LoaderError } from '../errors.ts';
import type { ResolvedOptions } from '../options.ts';
import { decodeWhole } from '../response/content-coding.ts';
import { createScanner, type Reference, type ResourceScanner } from '../scan/index.ts';
import { isResource, type ResourceReference } from '../scan/reference.ts';
import type { PageTransport } from '../transport/transport.ts';
import type { Resource } from './resource.ts';

/**
 * The resources that each document named when this loader last loaded it, by the document's URL (Padmanabhan 1995, 5.2:
 * "a cache, listing for each known image URL the URL of the document that contained it").
 */
export type KnownPages = LatestMap<string, readonly ResourceReference[]>;
export const mostKnownPages = 64;
export const mostKnownReferences = 256;

export class Ahead {
  /** Resources by URL that were requested, but that the page has not named yet. */
  readonly #resources = new Map<string, Resource>();

  add(href: string, resource: Resource): void {
    this.#resources.set(href, resource);
  }

  get isEmpty(): boolean {
    return this.#resources.size === 0;
  }

  /** Removes and returns a resource that the page now names; undefined if it was not requested ahead. */
  adopt(href: string): Resource | undefined {
    const resource = this.#resources.get(href);
    this.#resources.delete(href);
    if (resource !== undefined) resource.row.purpose = 'use';
    return resource;
  }

  /**
   * Cancels those early requests whose resources the document turned out not to name, where that saves bytes.
   * @param outstanding Number of requests of the page that have not ended.
   */
  drop(transport: PageTransport, outstanding: number): void {
    const left = [...this.#resources.values()].filter(({ done }) => !done);
    // HTTP/1.1 cancels a response only by closing its connection: this is done only if no other request is outstanding.
    const alone = left.length === outstanding;
    const useless = left.filter(({ exchange, verdict, row }) => {
      const comes = verdict !== null && verdict.kind !== 'not-modified';
      return exchange?.attempt.batch === null || (comes && (alone || row.httpVersion === 'h2'));
    });
    if (useless.length === 0) return;
    const error = new LoaderError('aborted', 'the page no longer refers to it');
    transport.cancel(
      useless.flatMap(({ exchange }) => exchange ?? []),
      error,
    );
  }
}

/**
 * Returns the resources that a revisited page is known to need: those named by the stored document and by its stored
 * sheets and modules or, if no document is stored, those that it named when this loader last loaded it. Each is listed
 * once. Icons and the manifest are left out: they are fetched last.
 */
export function knownReferences(
  document: Resource,
  options: ResolvedOptions,
  cache: HttpCache,
  known: KnownPages | null,
): readonly ResourceReference[] {
  const { plan, request } = document;
  const references =
    plan.validation === null
      ? (known?.get(request.url) ?? [])
      : storedReferences(request, options, cache);
  return references.filter(({ kind }) => kind !== 'icon' && kind !== 'manifest');
}

function storedReferences(
  request: CacheRequest,
  { limits, discovery }: ResolvedOptions,
  cache: HttpCache,
): ResourceReference[] {
  const stored = cache.lookup(request, 'force-cache');
  if (stored.kind !== 'hit') return [];
  const contentType = mediaType(stored.response.headers);
  if (!htmlTypes.has(contentType.split(';', 1)[0] ?? '')) return [];
  const scanner = createScanner({
    ...scannerOptions(discovery),
    url: request.url,
    contentType,
    contentSecurityPolicy: fieldValue(stored.response.headers, 'content-security-policy'),
  });
  const found = new Map<string, Reference>();
  /**
   * Reads a stored response and the stored sheets and modules that it names.
   * @param depth Number of style sheets or modules that lead from the document to this response
   */
  const read = (reader: ResourceScanner, response: CachedResponse, depth: number): void => {
    const coding = fieldValue(response.headers, 'content-encoding');
    const bytes = decodeWhole(coding, response.body, limits);
    if (bytes === null || depth > limits.maxDepth) return;
    for (const reference of [...reader.write(bytes), ...reader.end()]) {
      if (found.has(reference.url) || found.size >= limits.maxReferences) continue;
      if (reference.url.length > limits.maxUrlCharacters) continue;
      found.set(reference.url, reference);
      const url = new URL(reference.url);
      const isSheet = reference.kind === 'stylesheet';
      if (!isSheet && reference.isModule !== true) continue;
      const known = cache.lookup({ ...request, url: url.href }, 'force-cache');
      if (known.kind !== 'hit') continue;
      const next = isSheet ? scanner.styleSheet({ url }) : scanner.module({ url });
      read(next, known.response, depth + 1);
    }
  };
  read(scanner, stored.response, 0);
  return [...found.values()].filter(isResource);
}
