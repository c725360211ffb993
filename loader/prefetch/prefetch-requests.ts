// Creates the request for a target: it equals a page's request in everything on which the response may depend, and
// adds the cache's validators.

import type { HeaderPair } from '../../http/header-pairs.ts';
import type { CacheRequest } from '../cache/entry.ts';
import type { HttpCache } from '../cache/http-cache.ts';
import { DictionaryHandler } from '../dictionaries/dictionary-handler.ts';
import type { KnownDictionaries } from '../dictionaries/known-dictionaries.ts';
import type { LoaderError } from '../errors.ts';
import type { ResolvedOptions } from '../options.ts';
import { type Cookies, sameSiteContext } from '../request/cookies.ts';
import { defaultReferrerPolicy, requestSite } from '../request/referrer.ts';
import { destination, requestHeaders } from '../request/request-headers.ts';
import { Exchange } from '../transport/exchange.ts';
import { type JobHost, PrefetchJob } from './prefetch-job.ts';
import type { PrefetchTarget } from './targets.ts';

export class PrefetchRequests {
  readonly #options: ResolvedOptions;
  readonly #cookies: Cookies;
  readonly #cache: HttpCache;
  readonly #dictionaries: KnownDictionaries | null;

  constructor(
    options: ResolvedOptions,
    cookies: Cookies,
    cache: HttpCache,
    dictionaries: KnownDictionaries | null,
  ) {
    this.#dictionaries = dictionaries;
    this.#options = options;
    this.#cookies = cookies;
    this.#cache = cache;
  }

  /** @returns null if the cache already has the response. */
  jobFor(target: PrefetchTarget, host: JobHost): PrefetchJob | null {
    const request = this.#request(target);
    const found = this.#cache.lookup(request);
    if (found.kind === 'hit' || found.kind === 'unavailable') return null;
    const validation = found.kind === 'validate' ? found.validation : null;
    return new PrefetchJob(host, target, request, validation);
  }

  /** The cache's view of the request. */
  #request({ url, kind, document, source }: PrefetchTarget): CacheRequest {
    const target = new URL(url);
    const page = document === url ? null : new URL(document);
    // The hinted page counts as a navigation from the hinting page; a subresource belongs to its document.
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

  exchangeOf(job: PrefetchJob): Exchange {
    const { target, request, validation } = job;
    // The request has the lowest urgency (RFC 9218 4.1), so that pages go first.
    const how = { urgent: true, priority: 0, urgency: 'u=7' };
    const purpose: HeaderPair[] = target.isRules ? [] : [['sec-purpose', 'prefetch']];
    const offer = this.#dictionaries?.offer(request, destination[target.kind]) ?? null;
    const fields = [...(offer ?? request).headers, ...purpose, ...(validation?.conditions ?? [])];
    // A failed offer is not repeated without a dictionary: the job fails, and a page that needs it asks without one.
    const askAgain = (error: LoaderError) => job.onError(error, performance.now());
    const { maxResourceBytes } = this.#options.limits;
    const decoding =
      offer && new DictionaryHandler({ offer, handler: job, maxResourceBytes, askAgain });
    const exchange = new Exchange(new URL(target.url), fields.flat(), how, decoding ?? job);
    if (decoding !== null) decoding.exchange = exchange;
    job.exchange = exchange;
    return exchange;
  }

  /** Whether both requests have the same values in the fields on which a user's response may depend. */
  isSameAsker(one: CacheRequest, other: CacheRequest): boolean {
    const own = this.#options.extraHeaders.map(([name]) => name);
    const names = new Set(['cookie', ...own]);
    const of = ({ headers }: CacheRequest) =>
      JSON.stringify(headers.filter(([name]) => names.has(name)));
    return of(one) === of(other);
  }
}
