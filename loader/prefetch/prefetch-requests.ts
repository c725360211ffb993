// How a target is requested: like a page's request in everything on which the response may depend, with the cache's
// validators, and in parts where possible.

import { type HeaderPair, hasField } from '../../http/header-pairs.ts';
import type { CacheRequest } from '../cache/entry.ts';
import type { HttpCache } from '../cache/http-cache.ts';
import { DictionaryHandler } from '../dictionaries/dictionary-handler.ts';
import type { KnownDictionaries } from '../dictionaries/known-dictionaries.ts';
import type { LoaderError } from '../errors.ts';
import type { ResolvedOptions } from '../options.ts';
import { type Cookies, sameSiteContext } from '../request/cookies.ts';
import { defaultReferrerPolicy, requestSite } from '../request/referrer.ts';
import { destination, requestHeaders } from '../request/request-headers.ts';
import {
  type Batch,
  Exchange,
  type ExchangeHandler,
  type ResponseHead,
} from '../transport/exchange.ts';
import { Parts } from './parts.ts';
import { type JobHost, PrefetchJob } from './prefetch-job.ts';
import { mayComeInParts, type PrefetchTarget } from './targets.ts';

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
    const parts = mayComeInParts(target) ? new Parts() : null;
    return new PrefetchJob(host, target, request, validation, parts);
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

  /** @param partBytes Size of a part, if the body may come in parts. */
  exchangeOf(job: PrefetchJob, partBytes: number, onSent: (batch: Batch) => void): Exchange {
    const { target, request } = job;
    // The request has the lowest urgency (RFC 9218 4.1), so that pages go first, unless a caller already waits for it.
    const how = { urgent: true, priority: 0, urgency: job.isWanted ? '' : 'u=7' };
    const purpose: HeaderPair[] =
      target.isRules || job.isWanted ? [] : [['sec-purpose', 'prefetch']];
    const asked = job.ask(partBytes);
    const offer = hasField(asked, 'range')
      ? null
      : (this.#dictionaries?.offer(request, destination[target.kind]) ?? null);
    const fields = [...(offer ?? request).headers, ...purpose, ...asked];
    const last = new LastExchange(job, onSent);
    // A failed offer is not repeated without a dictionary: the job fails, and a page that needs it asks without one.
    const askAgain = (error: LoaderError) => last.onError(error, performance.now());
    const { maxResourceBytes } = this.#options.limits;
    const decoding =
      offer && new DictionaryHandler({ offer, handler: last, maxResourceBytes, askAgain });
    const exchange = new Exchange(new URL(target.url), fields.flat(), how, decoding ?? last);
    if (decoding !== null) decoding.exchange = exchange;
    last.exchange = exchange;
    job.asked(exchange);
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

class LastExchange implements ExchangeHandler {
  exchange: Exchange | null = null;
  readonly #job: PrefetchJob;
  readonly #onSent: (batch: Batch) => void;

  constructor(job: PrefetchJob, onSent: (batch: Batch) => void) {
    this.#job = job;
    this.#onSent = onSent;
  }

  get #last(): PrefetchJob | null {
    return this.#job.exchange === this.exchange ? this.#job : null;
  }

  onSent(batch: Batch): void {
    this.#onSent(batch);
    this.#last?.onSent(batch);
  }

  onInterim(status: number, headers: HeaderPair[]): void {
    this.#last?.onInterim(status, headers);
  }

  onHeaders(head: ResponseHead): void {
    this.#last?.onHeaders(head);
  }

  onData(chunk: Buffer, receivedBytes = chunk.length): void | Promise<void> {
    return this.#last?.onData(chunk, receivedBytes);
  }

  onEnd(endedAt: number): void {
    this.#last?.onEnd(endedAt);
  }

  onRestart(): void {
    if (this.#last !== null && !this.#job.isWaiting) {
      this.#job.onRestart();
      return;
    }
    // The exchange is not requested again.
    if (this.exchange !== null) this.exchange.cancel();
    this.#job.doubted();
  }

  onError(error: LoaderError, atMs: number): void {
    if (!this.#job.isWaiting) this.#last?.onError(error, atMs);
  }
}
