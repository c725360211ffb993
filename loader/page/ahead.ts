// A page that was here before: what its stored document names is known before its new one comes, so all of
// it can be validated at once (Nielsen, Gettys et al. 1997, "cache validation"). What the new document then
// names is adopted; what it does not name any more costs nothing more.

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
  /** Asked for, and not named by the document yet. */
  readonly #resources = new Map<string, Resource>();

  add(href: string, resource: Resource): void {
    this.#resources.set(href, resource);
  }

  /** The document names it after all; undefined: it was not asked for. */
  adopt(href: string): Resource | undefined {
    const resource = this.#resources.get(href);
    this.#resources.delete(href);
    if (resource !== undefined) resource.row.purpose = 'use';
    return resource;
  }

  /** The document is done. @param outstanding requests of the page that have not ended. */
  drop(transport: PageTransport, outstanding: number): void {
    const left = [...this.#resources.values()].filter(({ done }) => !done);
    // On HTTP/1.1 an answer under way ends with its connection only: not while that serves others.
    const alone = left.length === outstanding;
    const useless = left.filter(({ exchange, verdict, row }) => {
      const comes = verdict !== null && verdict.kind !== 'not-modified';
      return exchange?.attempt.batch === null || (comes && (alone || row.httpVersion === 'h2'));
    });
    if (useless.length === 0) return;
    const error = new LoaderError('aborted', 'the page does not name it any more');
    transport.cancel(
      useless.flatMap(({ exchange }) => exchange ?? []),
      error,
    );
  }
}

/**
 * What the page's document named when it was stored; nothing when the document itself is not validated.
 * @param options the load's own, with the cache the page uses.
 */
export function knownReferences(
  document: Resource,
  { cache, limits, protocol }: ResolvedOptions,
): Reference[] {
  const { plan, request } = document;
  // (HTTP/1.0's way, as the papers measured it, asks when the page names it.)
  if (plan.validation === null || protocol === 'http1.0') return [];
  const stored = cache?.lookup(request, 'force-cache');
  if (stored?.kind !== 'hit') return [];
  return referencesOf(stored.response, request.url, limits);
}

/** What a stored document names, each once, in its order; nothing when it cannot be read. */
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
  const onReference = (reference: Reference): void => {
    if (found.has(reference.url) || found.size >= limits.maxReferences) return;
    if (reference.url.length <= limits.maxUrlCharacters) found.set(reference.url, reference);
  };
  const scanner = openScanner({ url, contentType, onReference });
  scanner.write(bytes);
  scanner.end();
  return [...found.values()];
}
