// Prefetches the URLs that a page hints at into the cache while no page is loading. When a page begins, nothing new is
// sent, unrelated prefetches are cancelled, and those that the page needs become part of its load. Separate connections
// with one request each keep prefetches out of the page's pipelines. Bytes in flight when a page begins delay it, so
// large bodies are not prefetched. A response is stored once it is known to answer its own request.

import { LatestMap } from '../../process/latest-map.ts';
import type { CacheRequest } from '../cache/entry.ts';
import type { HttpCache } from '../cache/http-cache.ts';
import { LoaderError } from '../errors.ts';
import type { Dispatch } from '../layer.ts';
import type { ResolvedOptions } from '../options.ts';
import type { HintingPage } from '../page/hints-of.ts';
import type { LayerOf, Sender, Watcher } from '../page/page-layer.ts';
import type { Cookies } from '../request/cookies.ts';
import { asLoaderError } from '../transport/connection/explain-loss.ts';
import {
  type Batch,
  Exchange,
  type ExchangeHandler,
  type ResponseHead,
} from '../transport/exchange.ts';
import { Admission, PrefetchBudget } from './admission.ts';
import { PrefetchConnections } from './prefetch-connections.ts';
import type { JobHost, PrefetchJob } from './prefetch-job.ts';
import type { PrefetchSettings } from './prefetch-options.ts';
import { type PrefetchRequest, PrefetchRequests } from './prefetch-requests.ts';
import { noPrefetches, type PrefetchTotals, Storage } from './storage.ts';
import { type PrefetchTarget, Targets } from './targets.ts';
import { refusalOf } from './usable-response.ts';

export interface PrefetcherContext {
  options: ResolvedOptions;
  prefetch: PrefetchSettings;
  cookies: Cookies;
  cache: HttpCache;
  /** The layers, wrappers around the sending of each prefetch, the outermost first. */
  layers: readonly LayerOf<PrefetchRequest, Sender>[];
  /** Returns how busy this thread is: the share of its processor time that is used, 0..1. */
  load: () => number;
}

/** Number of requested URLs that are remembered, so that none is prefetched again within `askAgainMs`. */
const mostAsked = 1_000;
const askAgainMs = 5 * 60 * 1000;
/** Limit on the URLs that wait to be prefetched. */
const mostWaiting = 1_000;

export class Prefetcher implements JobHost {
  readonly #budget: PrefetchBudget;
  readonly #cache: HttpCache;
  readonly #connections: PrefetchConnections;
  readonly #requests: PrefetchRequests;
  readonly #targets: Targets;
  /** The URLs that wait to be prefetched: hinted ones, speculation rules, and resources of prefetched documents. */
  #queue: PrefetchTarget[] = [];
  readonly #admission: Admission;
  readonly #storage: Storage;
  /** The prefetch in flight. */
  #job: PrefetchJob | null = null;
  /** When each URL was requested, as monotonic time, ms. */
  readonly #asked = new LatestMap<string, number>(mostAsked);
  readonly #dispatch: Dispatch<PrefetchRequest>;
  readonly #watchers: Watcher[] = [];
  #pages = 0;
  #waiters: Array<() => void> = [];
  readonly #totals: PrefetchTotals = { ...noPrefetches };
  #closed = false;

  constructor({ options, prefetch, cookies, cache, layers, load }: PrefetcherContext) {
    this.#budget = new PrefetchBudget(prefetch);
    this.#cache = cache;
    this.#connections = new PrefetchConnections(options);
    this.#requests = new PrefetchRequests(options, cookies, cache);
    this.#storage = new Storage(cache, this.#totals);
    this.#targets = new Targets(prefetch, options);
    this.#admission = new Admission(options.prefetchMaxLoad, load, this.#budget, () =>
      this.#goOn(),
    );
    const context = { options, cacheMode: 'default' as const };
    const watch = (watcher: Watcher) => void this.#watchers.push(watcher);
    this.#dispatch = layers.reduceRight<Dispatch<PrefetchRequest>>(
      (inner, layer) => layer(inner, { context, watch }),
      (request, handler) => this.#send(request, handler),
    );
  }

  totals(): PrefetchTotals {
    const { unused } = this.#storage;
    unused.sweep();
    return { ...this.#totals, ...unused.sums, connections: this.#connections.connections };
  }

  /** Gives the network to a page that begins: drops waiting prefetches, and one in flight unless the page needs it. */
  pageBegins(url: string): void {
    this.#pages++;
    this.#queue = [];
    const job = this.#job;
    if (job !== null && !job.isAdopted && ![job.target.url, job.target.document].includes(url)) {
      // The prefetch ends without a result, so its URL may be prefetched again without delay.
      if (job.state === 'under way') this.#asked.delete(job.target.url);
      job.giveUp('a page is loading');
    }
    this.#goOn();
  }

  /** Prefetches what a loaded page hints at. @param page null if the load was aborted, so that its hints are ignored */
  pageEnds(page: HintingPage | null): void {
    this.#pages--;
    if (page !== null) {
      this.#budget.renew(this.#storage.room);
      // This page's URLs go first. Any that already wait are of another page, which was loaded at the same time.
      if (!this.#closed) this.#insert(0, this.#targets.ofPage(page));
    }
    this.#goOn();
  }

  isFetching(url: string): boolean {
    return this.#job?.target.url === url;
  }

  /**
   * Returns the job in flight that a page's request may adopt (whose response it may take over), or null. A job for the
   * same URL that cannot answer the request is cancelled, and the page sends its own request.
   */
  claim(request: CacheRequest): PrefetchJob | null {
    const job = this.#job;
    if (job === null || job.isAdopted || job.target.isRules) return null;
    if (job.target.url !== request.url) return null;
    if (job.isFit && this.#requests.isSameAsker(job.request, request)) return job;
    job.giveUp('the page sends its own request');
    return null;
  }

  /** Records that a page's request was answered from the cache. @returns Whether it was the first use of a prefetch. */
  use(url: string): boolean {
    return this.#storage.unused.use(url);
  }

  /** Resolves when no prefetch is in flight or waiting to be sent. */
  async idle(): Promise<void> {
    while (!this.#isIdle) {
      this.#admission.ref();
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#admission.close();
    this.#queue = [];
    this.#connections.close();
    this.#storage.unused.close();
    this.#wake();
  }

  headersCame(job: PrefetchJob, head: ResponseHead): string | null {
    return refusalOf(job, head, this.#budget.most, this.#cache);
  }

  bytesCame(job: PrefetchJob, bytes: number): string | null {
    this.#totals.bytes += bytes;
    return this.#budget.countBytes(job, bytes) ? null : 'too large';
  }

  sent(batch: Batch): void {
    this.#connections.sent(batch);
  }

  gaveUp({ exchange }: PrefetchJob, reason: string): void {
    if (exchange !== null) this.#connections.giveUp(exchange, reason);
  }

  ended(job: PrefetchJob): void {
    if (job.state === 'failed' || job.isRefused) this.#finish(job);
    else this.#connections.prove(() => this.#finish(job));
  }

  #finish(job: PrefetchJob): void {
    this.#job = null;
    this.#withCache(() => {
      const isUsable = this.#storage.settle(job);
      const { request, head } = job;
      const { status = null, headers = [] } = head ?? {};
      for (const watcher of this.#watchers) watcher.over([{ request, status, headers }]);
      if (isUsable && job.target.isRules)
        this.#insert(this.#queue.length, this.#targets.ofRules(job));
      else if (isUsable) this.#insert(0, this.#targets.ofDocument(job));
    });
    job.over();
    this.#goOn();
  }

  get #isIdle(): boolean {
    if (this.#job !== null) return false;
    return this.#closed || this.#queue.length === 0;
  }

  /** Called after each change of state: starts the next prefetch if allowed, else releases idle connections, and lets
   *  `idle` check whether it may resolve. */
  #goOn(): void {
    this.#withCache(() => this.#pump());
    if (this.#job === null) this.#connections.rest();
    this.#wake();
  }

  #insert(at: number, targets: readonly PrefetchTarget[]): void {
    this.#queue = this.#queue.toSpliced(at, 0, ...targets).slice(0, mostWaiting);
  }

  #pump(): void {
    if (this.#closed || this.#pages > 0 || this.#connections.isWatched) return;
    while (this.#job === null) {
      const [target] = this.#queue;
      if (target === undefined) return;
      const answer = this.#admission.toBegin();
      if (answer === 'never') this.#queue = [];
      if (answer !== 'yes') return;
      this.#queue.shift();
      this.#start(target);
    }
  }

  #start(target: PrefetchTarget): void {
    const { url } = target;
    const nowMs = performance.now();
    if (nowMs - (this.#asked.get(url) ?? Number.NEGATIVE_INFINITY) < askAgainMs) return;
    const job = this.#requests.jobFor(target, this);
    if (job === null) return;
    this.#asked.set(url, nowMs);
    this.#job = job;
    this.#budget.countRequest();
    this.#totals.requests++;
    try {
      this.#dispatch(this.#requests.of(job), job);
    } catch (error) {
      queueMicrotask(() => job.onError(asLoaderError(error), performance.now()));
    }
  }

  #send({ owner, url, headers, conditions }: PrefetchRequest, handler: ExchangeHandler): void {
    // The request has the lowest urgency (RFC 9218 4.1), so that pages go first.
    const how = { urgent: true, priority: 0, urgency: 'u=7' };
    owner.exchange = new Exchange(url, [...headers, ...conditions].flat(), how, handler);
    this.#connections.submit(owner.exchange);
  }

  /** Runs work that uses the cache, and stops prefetching if the cache's owner has closed it. */
  #withCache(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof LoaderError && error.code === 'loader-closed')) throw error;
      this.close();
    }
  }

  #wake(): void {
    for (const wake of this.#waiters.splice(0)) wake();
  }
}
