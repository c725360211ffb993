// One page being loaded: the reference that a chunk yields becomes a request in the chunk's batch, or is
// answered out of the cache; redirects are followed, limits held, and every event lands in the PageLoad
// record. Loads end when nothing is outstanding and the connections are known to be in step; then what
// came is stored.

import type { Hint } from '../prefetchd/wire.ts';
import { Ahead, knownReferences } from './ahead.ts';
import type { CachedResponse, CacheMode } from './cache/http-cache.ts';
import { cacheWhileOpen } from './cache-while-open.ts';
import type { Cookies } from './cookies.ts';
import { LoaderError } from './errors.ts';
import type { LimitOptions, ResolvedOptions } from './options.ts';
import { PageCache } from './page-cache.ts';
import type { HeaderPair, PageLoad, ResourceKind } from './page-load.ts';
import { PageRecorder } from './page-recorder.ts';
import { PageRequests, renewal, type Wanted } from './page-requests.ts';
import { hintsOf } from './prefetch/hints-of.ts';
import type { NoFollow } from './prefetch/no-follow.ts';
import type { PrefetchJob } from './prefetch/prefetch-job.ts';
import type { HintingPage, Prefetcher } from './prefetch/prefetcher.ts';
import { redirectTarget } from './redirect.ts';
import { defaultReferrerPolicy, parseReferrerPolicy, type ReferrerPolicy } from './referrer.ts';
import { plainPlan, type RequestPlan } from './request-plan.ts';
import type { Resource, ResourceHost } from './resource.ts';
import type { createScanner, Scanner } from './scan/index.ts';
import { SizesFirst } from './sizes-first.ts';
import type { Batch } from './transport/exchange.ts';
import type { PageTransport } from './transport/transport.ts';

export interface LoadProgress {
  url: string;
  found: number;
  done: number;
  bodyBytes: number;
}

export interface PageContext {
  options: ResolvedOptions;
  transport: PageTransport;
  createScanner: typeof createScanner;
  cookies: Cookies;
  cacheMode: CacheMode;
  prefetcher: Prefetcher | null;
  /** Reads what the page says of following its links; null: nobody asks. */
  noFollow: NoFollow | null;
  /** No page follows on these connections. */
  last: boolean;
  onProgress: ((progress: LoadProgress) => void) | undefined;
}

const htmlTypes = new Set(['', 'text/html', 'application/xhtml+xml']);

export class Page implements ResourceHost {
  readonly limits: LimitOptions;
  readonly #context: PageContext;
  readonly #recorder: PageRecorder;
  readonly #cache: PageCache | null;
  readonly #sizesFirst: SizesFirst;
  readonly #requests: PageRequests;
  readonly #ahead = new Ahead();
  readonly #askedOrigin: string;
  #documentDone = false;
  #scanner: Scanner | null = null;
  /** The document: the page after its redirects. */
  #document: Resource | null = null;
  #referrerPolicy: ReferrerPolicy = defaultReferrerPolicy;
  readonly #requested = new Set<string>();
  #outstanding = 0;
  #bodyBytes = 0;
  #stopped: LoaderError | null = null;
  /** As many references as are followed were found. */
  #full = false;
  readonly #followed = new Map<Resource, URL>();
  readonly #hints: Hint[] = [];
  readonly #rules: string[] = [];
  /** Prefetches under way that became the page's. */
  readonly #adopted = new Map<Resource, PrefetchJob>();
  #thrown: { error: unknown } | null = null;
  #idle: (() => void) | null = null;

  /** @throws LoaderError `loader-closed` when the cache is closed. */
  constructor(url: URL, given: PageContext) {
    const { images, imageFirstBytes, protocol, limits } = given.options;
    this.limits = limits;
    const cache = given.options.cache && cacheWhileOpen(given.options.cache);
    const context = { ...given, options: { ...given.options, cache } };
    this.#context = context;
    this.#cache = cache && new PageCache(cache, context.cacheMode);
    this.#sizesFirst = new SizesFirst(images === 'sizes-first' ? imageFirstBytes : null);
    const recorder = new PageRecorder(url.href, protocol);
    this.#recorder = recorder;
    this.#askedOrigin = url.origin;
    this.#requests = new PageRequests({ ...context, recorder, askedOrigin: url.origin });
    context.transport.batch(() => {
      const document = this.#request(url, { kind: 'document', initiator: null });
      this.#askAhead(document);
    });
  }

  /** @throws the signal's reason when it aborts first. */
  async load(signal: AbortSignal | undefined): Promise<PageLoad> {
    const { transport, last, options } = this.#context;
    const { pageMs } = options.timeouts;
    const deadline = setTimeout(
      () => this.#stop(new LoaderError('page-timeout', `the page took longer than ${pageMs} ms`)),
      pageMs,
    );
    const abort = () => this.#stop(new LoaderError('aborted', 'aborted by its signal'));
    signal?.addEventListener('abort', abort, { once: true });
    try {
      do {
        await this.#quiet();
        await transport.settle(last);
      } while (this.#outstanding > 0);
    } finally {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', abort);
      transport.leave();
      this.#cache?.commit(this.#recorder.resources);
    }
    signal?.throwIfAborted();
    if (this.#thrown !== null) throw this.#thrown.error;
    return this.#recorder.finish();
  }

  time(at: number): number {
    return at - this.#recorder.startedAt;
  }

  wallTime(at: number): number {
    return this.#recorder.startedAtMs + this.time(at);
  }

  notModified(resource: Resource): CachedResponse | null {
    return this.#cache?.notModified(resource) ?? null;
  }

  mayStore(resource: Resource): boolean {
    return this.#cache?.mayStore(resource) ?? false;
  }

  storeCookie(setCookie: string, url: string): void {
    this.#context.cookies.store(setCookie, new URL(url));
  }

  sent(batch: Batch): void {
    this.#recorder.sent(batch);
  }

  responseStarted(resource: Resource): void {
    const { row } = resource;
    if (row.kind !== 'document') return;
    if (row.initiator === null && resource === this.#document) {
      this.#referrerPolicy = parseReferrerPolicy(resource.header('referrer-policy'));
    }
    if (resource === this.#document) {
      this.#context.noFollow?.begin(row.url, resource.headers, resource.header('content-type'));
    }
  }

  /** What the document's header section names is asked for before the document names it. */
  hinted(resource: Resource, headers: HeaderPair[]): void {
    if (resource !== this.#document || isRedirect(resource)) return;
    const { next, preload, rules } = hintsOf(headers, resource.row.url);
    this.#hints.push(...next);
    this.#rules.push(...rules);
    if (preload.length === 0) return;
    this.#context.transport.batch(() => {
      for (const { url, kind } of preload) this.#referenced(url, kind);
    });
  }

  /** What the client may want after this page; known when the page is loaded. */
  get next(): HintingPage {
    const { noFollow } = this.#context;
    const source = {
      url: this.#document?.row.url ?? '',
      askedOrigin: this.#askedOrigin,
      follows: (url: string) => noFollow?.follows(url) ?? true,
    };
    return { source, hints: this.#hints, rules: this.#rules };
  }

  /** A chunk of the document, decoded: what it names leaves in one batch. */
  scan(resource: Resource, bytes: Uint8Array): void {
    if (resource !== this.#document || !htmlTypes.has(resource.row.mimeType)) return;
    if (isRedirect(resource)) return;
    this.#scanner ??= this.#openScanner(resource);
    this.#context.noFollow?.write(bytes);
    this.#context.transport.batch(() => this.#scanner?.write(bytes));
  }

  bodyGrew(bytes: number): void {
    this.#bodyBytes += bytes;
    const { maxPageBytes } = this.limits;
    if (this.#bodyBytes > maxPageBytes && this.#stopped === null) {
      const message = `all bodies over limits.maxPageBytes (${maxPageBytes})`;
      // Not from inside the parser that is handing on these bytes.
      queueMicrotask(() => this.#stop(new LoaderError('page-too-large', message)));
    }
    this.#progress();
  }

  bodyTakenBack(bytes: number): void {
    this.#bodyBytes -= bytes;
  }

  /** Its response comes again from the start. */
  restarted(resource: Resource, hadEnded: boolean): void {
    if (hadEnded) this.#outstanding++;
    if (resource === this.#document) this.#scanner = null;
  }

  ended(resource: Resource, endedAt: number): void {
    const { row } = resource;
    this.#adopted.delete(resource);
    if (row.purpose !== 'ahead') this.#goOn(resource, endedAt);
    this.#outstanding--;
    if (this.#documentDone) this.#ahead.drop(this.#context.transport, this.#outstanding);
    this.#progress();
    if (this.#outstanding === 0) this.#idle?.();
  }

  /** What follows from a resource the page uses. */
  #goOn(resource: Resource, endedAt: number): void {
    const { row } = resource;
    if (row.purpose === 'refresh') return;
    this.#noteUse(resource);
    const part = this.#sizesFirst.partOf(resource);
    if (resource.mustAskAgain) {
      this.#askAgain(part ?? resource, plainPlan);
      return;
    }
    if (part !== undefined) this.#sizesFirst.complete(part, resource);
    const plan = this.#sizesFirst.missing(resource);
    if (plan !== null) {
      this.#outstanding++; // with the rest
      const waiting = this.#sizesFirst.keep({ part: resource, plan });
      // Those whose first bytes came in the same moment leave together.
      if (this.#documentDone && waiting === 1) setImmediate(() => this.#askRests());
      return;
    }
    const target = this.#follow(resource);
    if (target === null && resource === this.#document) this.#documentEnded(resource, endedAt);
  }

  #noteUse({ row, stored }: Resource): void {
    if (stored === null) return;
    if (this.#cache?.used(stored)) row.prefetched = true;
    this.#context.prefetcher?.use(row.url);
  }

  #documentEnded(resource: Resource, endedAt: number): void {
    const { error } = resource.row;
    const arrived = error === null || error.code === 'http-status';
    if (arrived && this.#scanner !== null) {
      this.#context.noFollow?.end();
      this.#context.transport.batch(() => this.#scanner?.end());
    }
    this.#context.transport.flush();
    this.#recorder.documentEnded(endedAt);
    this.#documentDone = true;
    this.#askRests();
  }

  /** Of a page that was here before, all that needs validation goes with the page's own request. */
  #askAhead(document: Resource): void {
    const { options, createScanner } = this.#context;
    // (HTTP/1.0's way, as the papers measured it, asks when the page names it.)
    if (document.plan.validation === null || options.protocol === 'http1.0') return;
    const stored = options.cache?.lookup(document.request, 'force-cache');
    if (stored?.kind !== 'hit') return;
    const initiator = document.request.url;
    const known = knownReferences(stored.response, initiator, this.limits, createScanner);
    for (const { url: href, kind } of known) {
      const url = new URL(href);
      const wanted: Wanted = { kind, initiator, purpose: 'ahead' };
      const plan = this.#plan(url, wanted);
      if (plan.validation !== null) this.#ahead.add(href, this.#request(url, { ...wanted, plan }));
    }
  }

  #askAgain(resource: Resource, plan: RequestPlan): void {
    const { row, hops } = resource;
    if (this.#stopped !== null) {
      row.error = { code: this.#stopped.code, message: this.#stopped.message };
      resource.sizedAt ??= performance.now();
      return;
    }
    const { kind, initiator } = row;
    const purpose = kind === 'image' ? 'rest' : 'use';
    const rest = this.#request(new URL(row.url), { kind, initiator, hops, plan, purpose });
    if (kind === 'image') this.#sizesFirst.asked(rest, resource);
  }

  #askRests(): void {
    const rests = this.#sizesFirst.take(this.#recorder.resources);
    if (rests.length === 0) return;
    this.#context.transport.batch(() => {
      for (const { part, plan } of rests) this.#askAgain(part, plan);
    });
    this.#outstanding -= rests.length;
    if (this.#outstanding === 0) this.#idle?.();
  }

  /** @returns where a redirect led; null when there is nothing to follow. */
  #follow(resource: Resource): URL | null {
    const { row } = resource;
    if (!isRedirect(resource) || row.error !== null) return null;
    const { href } = this.#followed.get(resource) ?? {};
    try {
      const target = redirectTarget(
        resource.header('location'),
        row,
        this.#recorder.chain(resource),
        {
          maxRedirects: this.limits.maxRedirects,
          setsCookie: resource.header('set-cookie') !== '',
        },
      );
      if (target === null) return null;
      row.redirectUrl = target.href;
      if (target.href === href) return target; // followed already, before it was fetched again
      if (this.#stopped !== null) throw this.#stopped;
      this.#followed.set(resource, target);
      const { kind, initiator } = row;
      this.#request(target, { kind, initiator, hops: resource.hops + 1, from: resource });
      return target;
    } catch (error) {
      const { code, message } = error as LoaderError;
      row.error = { code, message };
      return null;
    }
  }

  #openScanner(resource: Resource): Scanner {
    const { url } = resource.row;
    const contentType = resource.header('content-type');
    return this.#context.createScanner({
      url,
      contentType,
      onReference: ({ url, kind }) => this.#referenced(url, kind),
    });
  }

  #referenced(href: string, kind: ResourceKind): void {
    if (this.#stopped !== null || this.#full || this.#requested.has(href)) return;
    this.#requested.add(href);
    const { maxReferences, maxUrlCharacters } = this.limits;
    if (href.length > maxUrlCharacters) {
      const shown = `${href.slice(0, 200)}...`;
      this.#recorder.refuse(shown, kind, this.#document?.row.url ?? null, {
        code: 'invalid-url',
        message: `a URL of ${href.length} characters, over limits.maxUrlCharacters (${maxUrlCharacters})`,
      });
      return;
    }
    if (this.#requested.size > maxReferences) {
      this.#recorder.refuse(href, kind, this.#document?.row.url ?? null, {
        code: 'too-many-references',
        message: `the page names more than limits.maxReferences (${maxReferences}) resources`,
      });
      this.#full = true;
      return;
    }
    const known = this.#ahead.adopt(href);
    if (known === undefined) {
      this.#request(new URL(href), { kind, initiator: this.#document?.row.url ?? null });
    } else if (known.done) {
      this.#goOn(known, performance.now());
    }
  }

  #plan(url: URL, wanted: Wanted): RequestPlan {
    const firstBytes = wanted.kind === 'image' ? this.#sizesFirst.firstBytes(url) : null;
    return this.#requests.plan(url, wanted, this.#referrerPolicy, firstBytes);
  }

  #request(url: URL, wanted: Wanted): Resource {
    const usual = wanted.plan ?? this.#plan(url, wanted);
    const job = this.#prefetched(url, wanted, usual);
    const plan = job === null ? usual : plainPlan;
    const resource = this.#requests.add(this, url, { ...wanted, plan }, this.#referrerPolicy);
    const { kind, purpose } = resource.row;
    if (kind === 'document' && purpose === 'use') this.#begin(resource);
    this.#outstanding++;
    if (job === null) this.#requests.start(resource);
    else this.#adopt(resource, job);
    const renew = renewal(plan);
    if (renew !== null) {
      this.#request(url, {
        kind,
        initiator: resource.row.initiator,
        purpose: 'refresh',
        plan: renew,
      });
    }
    this.#progress();
    return resource;
  }

  /** This is the document now; what another one hinted counts no more. */
  #begin(document: Resource): void {
    this.#document = document;
    this.#hints.length = this.#rules.length = 0;
  }

  /** What is under way for it already, where that can stand for the page's own request. */
  #prefetched(url: URL, wanted: Wanted, plan: RequestPlan): PrefetchJob | null {
    const { prefetcher, cacheMode } = this.#context;
    if (prefetcher === null || (wanted.purpose ?? 'use') !== 'use') return null;
    if (plan.hit !== null || !prefetcher.isFetching(url.href)) return null;
    const job = prefetcher.take(this.#requests.request(url, wanted, this.#referrerPolicy));
    const isPlain = plan.validation === null && plan.prefix === null;
    const mayUse = cacheMode === 'default' || cacheMode === 'force-cache';
    if (job !== null && isPlain && mayUse) return job;
    job?.giveUp('the page asks for itself');
    return null;
  }

  #adopt(resource: Resource, job: PrefetchJob): void {
    const { row } = resource;
    row.prefetched = true;
    resource.exchange = job.exchange;
    resource.batch = job.batch;
    this.#adopted.set(resource, job);
    job.adopt(resource, () => {
      row.prefetched = false;
      resource.batch = null;
      this.#adopted.delete(resource);
      this.#requests.start(resource);
    });
  }

  #stop(error: LoaderError): void {
    this.#stopped ??= error;
    for (const [resource, job] of this.#adopted) {
      job.giveUp(error.message);
      resource.onError(error, performance.now());
    }
    const exchanges = this.#recorder.resources.flatMap(({ exchange }) => exchange ?? []);
    this.#context.transport.cancel(exchanges, error);
  }

  #progress(): void {
    const { onProgress } = this.#context;
    if (onProgress === undefined) return;
    const found = this.#recorder.resources.length;
    const [first] = this.#recorder.resources;
    try {
      onProgress({
        url: first?.row.url ?? '',
        found,
        done: found - this.#outstanding,
        bodyBytes: this.#bodyBytes,
      });
    } catch (error) {
      // The caller's mistake goes to the caller, not into the parser that is handing on bytes.
      this.#thrown ??= { error };
      queueMicrotask(() => this.#stop(new LoaderError('aborted', 'onProgress threw')));
    }
  }

  #quiet(): Promise<void> {
    if (this.#outstanding === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }
}

/** Redirects a GET follows by itself (RFC 9110 15.4). */
function isRedirect({ status }: Resource): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}
