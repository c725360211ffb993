// Creates the request that prefetches a URL: it equals the request that a page would send in everything on which the
// response may depend, and has the validators of a stored response, if the cache has one.

import type { HeaderPair } from '../../http/header-pairs.ts';
import type { CacheRequest } from '../cache/entry.ts';
import type { HttpCache } from '../cache/http-cache.ts';
import type { LayerRequest } from '../layer.ts';
import type { ResolvedOptions } from '../options.ts';
import { type Cookies, sameSiteContext } from '../request/cookies.ts';
import { defaultReferrerPolicy, requestSite } from '../request/referrer.ts';
import { requestHeaders } from '../request/request-headers.ts';
import { type JobHost, PrefetchJob } from './prefetch-job.ts';
import type { PrefetchTarget } from './targets.ts';

/** The request of a prefetch, as the layers (wrappers around the sending of requests) get it. */
export interface PrefetchRequest extends LayerRequest {
  readonly owner: PrefetchJob;
}

export class PrefetchRequests {
  readonly #options: ResolvedOptions;
  readonly #cookies: Cookies;
  readonly #cache: HttpCache;

  constructor(options: ResolvedOptions, cookies: Cookies, cache: HttpCache) {
    this.#options = options;
    this.#cookies = cookies;
    this.#cache = cache;
  }

  /** Makes the job that prefetches a URL (target). @returns null if the cache already has the response. */
  jobFor(target: PrefetchTarget, host: JobHost): PrefetchJob | null {
    const request = this.#request(target);
    const found = this.#cache.lookup(request);
    if (found.kind === 'hit' || found.kind === 'unavailable') return null;
    const validation = found.kind === 'validate' ? found.validation : null;
    return new PrefetchJob(host, target, request, validation);
  }

  /** Returns the request under which the cache looks up and stores the response: without Sec-Purpose and conditions. */
  #request({ url, kind, document, source }: PrefetchTarget): CacheRequest {
    const target = new URL(url);
    const page = document === url ? null : new URL(document);
    // For SameSite cookies, a hinted page is requested as if its link on the hinting page were clicked, and a
    // subresource as if its document had been opened.
    const isOfSite = requestSite(new URL(source.url), target) !== 'cross-site';
    const site = page !== null ? sameSiteContext(page, target) : isOfSite ? 'strict' : 'lax';
    const context = {
      url: target,
      kind,
      page,
      referrer: page,
      askedOrigin: source.askedOrigin,
      referrerPolicy: defaultReferrerPolicy,
      cookie: this.#cookies.header(target, site),
    };
    return { method: 'GET', url, headers: requestHeaders(context, this.#options) };
  }

  of(job: PrefetchJob): PrefetchRequest {
    const { target, request, validation } = job;
    const purpose: HeaderPair[] = target.isRules ? [] : [['sec-purpose', 'prefetch']];
    return {
      owner: job,
      url: new URL(target.url),
      kind: target.kind,
      purpose: 'prefetch',
      initiator: null,
      headers: request.headers,
      conditions: [...purpose, ...(validation?.conditions ?? [])],
    };
  }

  /** Whether both requests identify the same user: their Cookie and the fields set by the caller are equal. */
  isSameAsker(one: CacheRequest, other: CacheRequest): boolean {
    const own = this.#options.extraHeaders.map(([name]) => name);
    const names = new Set(['cookie', ...own]);
    const of = ({ headers }: CacheRequest) =>
      JSON.stringify(headers.filter(([name]) => names.has(name)));
    return of(one) === of(other);
  }
}
