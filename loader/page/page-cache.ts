// A page's view of the cache. Stored responses are read during the load. New responses are stored together at its
// end, once each is known to belong to its request (`ResponseSync`).

import type { CacheRequest, CacheResponse } from '../cache/entry.ts';
import type { CachedResponse, CacheMode, HttpCache, Storable } from '../cache/http-cache.ts';
import { wholeFields } from '../cache/policy/ranges.ts';
import { LoaderError } from '../errors.ts';
import type { ResourceRecord } from '../page-load.ts';
import type { Verdict } from '../response/verdict.ts';
import type { Exchange } from '../transport/exchange.ts';

/** The facts about a resource of the page and its response that the cache uses. */
export interface AnsweredResource {
  readonly row: ResourceRecord;
  /** The request without its conditions and ranges; `sent` is the request with them. */
  readonly request: CacheRequest;
  readonly sent: CacheRequest;
  /** The network's response, which is treated as `verdict` says; null if no response has arrived. */
  readonly response: CacheResponse | null;
  readonly verdict: Verdict | null;
  readonly exchange: Exchange | null;
  /** The body as received, after the first bytes that an earlier request received, if any; null: it was not kept. */
  readonly encodedBody: Buffer | null;
  /** Whether a length, chunks or a multipart delimiter tell a complete body from a truncated one. */
  readonly isFramed: boolean;
  /** Whether the body reaches to the end of the representation, from its start or from the bytes that were stored. */
  readonly isWhole: boolean;
}

export class PageCache {
  readonly #cache: HttpCache;
  readonly #mode: CacheMode;

  constructor(cache: HttpCache, mode: CacheMode) {
    this.#cache = cache;
    this.#mode = mode;
  }

  mayStore(resource: AnsweredResource): boolean {
    const { response } = resource;
    return response !== null && this.#cache.mayStore(resource.sent, response, this.#mode);
  }

  /** Returns the stored response that a 304 confirms; null if it is no longer stored. */
  notModified({ request, verdict, response }: AnsweredResource): CachedResponse | null {
    if (response === null || verdict?.kind !== 'not-modified') return null;
    return this.#cache.validated(request, verdict.validation, response);
  }

  /** Stores complete responses that are known to belong to their requests. */
  commit(resources: AnsweredResource[]): void {
    const findings: Storable[] = [];
    const rests = resources.filter(({ row }) => row.purpose === 'rest' && row.error === null);
    const completed = new Set(rests.filter(({ isWhole }) => isWhole).map(urlOf));
    for (const resource of resources) {
      const { request, sent, response, verdict, exchange } = resource;
      if (response === null || !exchange?.attempt.inStep || !resource.isFramed) continue;
      if (verdict?.kind === 'not-modified') {
        this.#cache.freshen(request, verdict.validation, response);
        continue;
      }
      this.#cache.observe(sent, response);
      const { error } = resource.row;
      const isSound = error === null || error.code === 'http-status';
      const body = isSound ? resource.encodedBody : null;
      if (body === null || (!resource.isWhole && completed.has(urlOf(resource)))) continue;
      findings.push({
        request: sent,
        response: whole(resource, response, body),
        body,
        mode: this.#mode,
      });
    }
    if (findings.length > 0) this.#cache.store(findings);
  }
}

function urlOf({ request }: AnsweredResource): string {
  return request.url;
}

/** Turns a 206 into a 200 if its range, with the bytes stored before, is the whole representation (RFC 9111 3.4). */
function whole(resource: AnsweredResource, response: CacheResponse, body: Buffer): CacheResponse {
  if (response.status !== 206 || !resource.isWhole) return response;
  const headers = wholeFields(response.headers, body.length);
  return { ...response, status: 200, statusText: 'OK', headers };
}

/**
 * Wraps a cache that its owner may close. If the owner closes it during the load, it counts as empty from then on, and
 * the page continues over the network. If it was closed before the load, the first call throws.
 */
export function cacheWhileOpen(cache: HttpCache): HttpCache {
  let wasOpen = false;
  const attempt = <T>(work: () => T, otherwise: T): T => {
    try {
      const result = work();
      wasOpen = true;
      return result;
    } catch (error) {
      if (wasOpen && error instanceof LoaderError && error.code === 'loader-closed') {
        return otherwise;
      }
      throw error;
    }
  };
  return {
    maxBytes: cache.maxBytes,
    lookup: (...given) => attempt(() => cache.lookup(...given), { kind: 'miss' }),
    validated: (...given) => attempt(() => cache.validated(...given), null),
    freshen: (...given) => attempt(() => cache.freshen(...given), undefined),
    mayStore: (...given) => attempt(() => cache.mayStore(...given), false),
    store: (...given) => attempt(() => cache.store(...given), undefined),
    observe: (...given) => attempt(() => cache.observe(...given), undefined),
    partial: (...given) => attempt(() => cache.partial(...given), null),
    stored: (...given) => attempt(() => cache.stored(...given), []),
    recent: (...given) => attempt(() => cache.recent(...given), []),
    isUsable: (...given) => attempt(() => cache.isUsable(...given), false),
    remove: (...given) => attempt(() => cache.remove(...given), undefined),
    close: () => cache.close(),
  };
}
