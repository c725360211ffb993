// How a target is asked for, if it is: as a page would ask for it, as far as a server's answer may depend on who
// asks, with what the cache knows of it, in parts where that may be.

import type { CacheRequest } from '../cache/entry.ts';
import type { HttpCache } from '../cache/http-cache.ts';
import type { ResolvedOptions } from '../options.ts';
import { type Cookies, sameSiteContext } from '../request/cookies.ts';
import { defaultReferrerPolicy, requestSite } from '../request/referrer.ts';
import { requestHeaders } from '../request/request-headers.ts';
import { Parts } from './parts.ts';
import { type JobHost, PrefetchJob } from './prefetch-job.ts';
import { mayComeInParts, type PrefetchTarget } from './prefetch-target.ts';

export class PrefetchRequests {
  readonly #options: ResolvedOptions;
  readonly #cookies: Cookies;
  readonly #cache: HttpCache;

  constructor(options: ResolvedOptions, cookies: Cookies, cache: HttpCache) {
    this.#options = options;
    this.#cookies = cookies;
    this.#cache = cache;
  }

  /** @returns null: it is there already. */
  jobFor(target: PrefetchTarget, host: JobHost): PrefetchJob | null {
    const request = this.#request(target);
    const found = this.#cache.lookup(request);
    if (found.kind === 'hit' || found.kind === 'unavailable') return null;
    const validation = found.kind === 'validate' ? found.validation : null;
    const parts = mayComeInParts(target) ? new Parts() : null;
    return new PrefetchJob(host, target, request, validation, parts);
  }

  /** As a cache sees it. */
  #request({ url, kind, document, source }: PrefetchTarget): CacheRequest {
    const target = new URL(url);
    const page = document === url ? null : new URL(document);
    // The page that will be asked for is one another page led to; a part belongs to that page.
    const isOfSite = requestSite(new URL(source.url), target) !== 'cross-site';
    const site = page !== null ? sameSiteContext(page, target) : isOfSite ? 'strict' : 'lax';
    const context = {
      url: target,
      kind,
      page,
      askedOrigin: source.askedOrigin,
      referrerPolicy: defaultReferrerPolicy,
      cookie: this.#cookies.header(target, site),
    };
    return { method: 'GET', url, headers: requestHeaders(context, this.#options) };
  }

  /** Would the page have sent the same, as far as the answer may depend on who asks? */
  isSameAsker(one: CacheRequest, other: CacheRequest): boolean {
    const own = this.#options.extraHeaders.map(([name]) => name);
    const names = new Set(['cookie', ...own]);
    const of = ({ headers }: CacheRequest) =>
      JSON.stringify(headers.filter(([name]) => names.has(name)));
    return of(one) === of(other);
  }
}
