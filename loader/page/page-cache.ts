// The cache as one page uses it. What is stored is read while the page loads; what the page brought is
// stored when it is over and its connections were seen to be in step, in one go: a body that may stand
// under a wrong URL never gets there.

import type { CacheRequest, CacheResponse } from '../cache/entry.ts';
import type { CachedResponse, CacheMode, HttpCache } from '../cache/http-cache.ts';
import { wholeFields } from '../cache/policy/ranges.ts';
import type { ResourceRecord } from '../page-load.ts';
import { countUse, waitedForUse } from '../prefetch/ledger.ts';
import type { Verdict } from '../response/verdict.ts';
import type { Exchange } from '../transport/exchange.ts';

/** A row of the page with what answered it, as far as a cache must know it. */
export interface Answered {
  readonly row: ResourceRecord;
  /** Without conditions and ranges, and as it was sent. */
  readonly request: CacheRequest;
  readonly sent: CacheRequest;
  /** What the network answered, and what that means; null: nothing. */
  readonly response: CacheResponse | null;
  readonly verdict: Verdict | null;
  readonly exchange: Exchange | null;
  /** The body as it came, what was known of it before included; null: it was not gathered. */
  readonly encodedBody: Buffer | null;
  /** Nothing of the representation is missing. */
  readonly isWhole: boolean;
}

interface Finding {
  request: CacheRequest;
  response: CacheResponse;
  body: Buffer;
  mode: CacheMode;
}

export class PageCache {
  readonly #cache: HttpCache;
  readonly #mode: CacheMode;
  readonly #used: CachedResponse[] = [];

  constructor(cache: HttpCache, mode: CacheMode) {
    this.#cache = cache;
    this.#mode = mode;
  }

  mayStore(resource: Answered): boolean {
    const { response } = resource;
    return response !== null && this.#cache.mayStore(resource.sent, response, this.#mode);
  }

  /** The page shows it. @returns whether a prefetch had brought it, and this is its first use. */
  used(response: CachedResponse): boolean {
    this.#used.push(response);
    return waitedForUse(response);
  }

  /** What a 304 stands for; null when that is gone. */
  notModified({ request, verdict, response }: Answered): CachedResponse | null {
    if (response === null || verdict?.kind !== 'not-modified') return null;
    return this.#cache.validated(request, verdict.validation, response);
  }

  /** Keep what came whole and belongs to its request for sure. */
  commit(resources: Answered[]): void {
    countUse(this.#cache, this.#used.splice(0));
    const findings: Finding[] = [];
    const rests = resources.filter(({ row }) => row.purpose === 'rest' && row.error === null);
    const completed = new Set(rests.filter(({ isWhole }) => isWhole).map(urlOf));
    for (const resource of resources) {
      const { request, sent, response, verdict, exchange } = resource;
      if (
        response === null ||
        exchange === null ||
        !exchange.attempt.inStep ||
        !exchange.attempt.framed
      )
        continue;
      if (verdict?.kind === 'not-modified') {
        this.#cache.freshen(request, verdict.validation, response);
        continue;
      }
      this.#cache.observe(sent, response);
      const body = resource.row.error === null || isStatus(resource) ? resource.encodedBody : null;
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

function urlOf({ request }: Answered): string {
  return request.url;
}

function isStatus({ row }: Answered): boolean {
  return row.error?.code === 'http-status';
}

/** All parts of a representation together are the representation (RFC 9111 3.4). */
function whole(resource: Answered, response: CacheResponse, body: Buffer): CacheResponse {
  if (response.status !== 206 || !resource.isWhole) return response;
  const headers = wholeFields(response.headers, body.length);
  return { ...response, status: 200, statusText: 'OK', headers };
}
