// Early validation of a revisited page. The stored document names the resources, so all of them are validated
// together with the document (Nielsen, Gettys et al. 1997, "cache validation"). Resources that the new document
// names are adopted; the rest are cancelled where that saves bytes.

import { fieldValue } from '../../http/header-pairs.ts';
import type { CachedResponse } from '../cache/http-cache.ts';
import { LoaderError } from '../errors.ts';
import type { LimitOptions, ResolvedOptions } from '../options.ts';
import { decodeWhole } from '../response/content-coding.ts';
import type { Reference } from '../scan/index.ts';
import type { PageTransport } from '../transport/transport.ts';
import { openScanner } from './lazy-scanner.ts';
import type { Resource } from './resource.ts';

export class Ahead {
  /** Requested, but not yet named by the document. */
  readonly #resources = new Map<string, Resource>();

  add(href: string, resource: Resource): void {
    this.#resources.set(href, resource);
  }

  /** Called when the document names the resource; undefined: it was not requested ahead. */
  adopt(href: string): Resource | undefined {
    const resource = this.#resources.get(href);
    this.#resources.delete(href);
    if (resource !== undefined) resource.row.purpose = 'use';
    return resource;
  }

  /** Called at the end of the document. @param outstanding Requests of the page that have not ended. */
  drop(transport: PageTransport, outstanding: number): void {
    const left = [...this.#resources.values()].filter(({ done }) => !done);
    // On HTTP/1.1 a response in flight can only be cancelled by closing its connection, which others may be using.
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
 * The references of the stored document; [] unless the document itself is validated.
 * @param options The load's options, with the cache that the page uses.
 */
export function knownReferences(
  document: Resource,
  { cache, limits, protocol }: ResolvedOptions,
): Reference[] {
  const { plan, request } = document;
  // HTTP/1.0 as measured in the papers validates each resource when the document names it.
  if (plan.validation === null || protocol === 'http1.0') return [];
  const stored = cache?.lookup(request, 'force-cache');
  if (stored?.kind !== 'hit') return [];
  return referencesOf(stored.response, request.url, limits);
}

/** The references of a stored document in order, each once; [] if it cannot be decoded. */
function referencesOf(document: CachedResponse, url: string, limits: LimitOptions): Reference[] {
  const contentType = fieldValue(document.headers, 'content-type');
  if (!/^(?:text\/html|application\/xhtml\+xml|$)/i.test(contentType)) return [];
  const bytes = decodeWhole(
    fieldValue(document.headers, 'content-encoding'),
    document.body,
    limits,
  );
  if (bytes === null) return [];
  const found = new Map<string, Reference>();
  const scanner = openScanner({ url, contentType });
  for (const reference of [...scanner.write(bytes), ...scanner.end()]) {
    if (found.has(reference.url) || found.size >= limits.maxReferences) continue;
    if (reference.url.length <= limits.maxUrlCharacters) found.set(reference.url, reference);
  }
  return [...found.values()];
}
