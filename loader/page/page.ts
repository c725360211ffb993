// Loads one page. Each reference becomes a row of the page's record and a request; those of one chunk of HTML or CSS
// are sent in one batch. A response may lead to further requests (a redirect, the rest of an image, a retry). The load
// ends when nothing is outstanding and each response is known to belong to its request; then responses are stored.

import type { CacheMode } from '../cache/http-cache.ts';
import { LoaderError } from '../errors.ts';
import type { Dispatch } from '../layer.ts';
import type { LoaderLimits, LoadOptions, ResolvedOptions } from '../options.ts';
import { PageClock, type PageLoad } from '../page-load.ts';
import { type Cookies, isAnonymous, sameSiteContext } from '../request/cookies.ts';
import type { ReferrerPolicy } from '../request/referrer.ts';
import { plainPlan, type RequestPlan } from '../request/request-plan.ts';
import { isResource, namingOf, type Reference, type ResourceReference } from '../scan/reference.ts';
import { screenOf } from '../scan/scanner-options.ts';
import type { Batch, Exchange } from '../transport/exchange.ts';
import type { PageTransport } from '../transport/transport.ts';
import { Ahead, type KnownPages, knownReferences, mostKnownReferences } from './ahead.ts';
import { Discovery } from './discovery.ts';
import { cacheWhileOpen, PageCache } from './page-cache.ts';
import { PageDocument } from './page-document.ts';
import type { LayerPage, PageLayer, PageRequest, PageWatcher } from './page-layer.ts';
import { type LoadProgress, PageProgress } from './page-progress.ts';
import { PageRecorder } from './page-recorder.ts';
import { PageRequests, renewal, type Wanted } from './page-requests.ts';
import type { Resource, ResourceHost } from './resource.ts';

export interface PageContext {
  options: ResolvedOptions;
  transport: PageTransport;
  cookies: Cookies;
  cacheMode: CacheMode;
  /** The resources that each document named when this loader last loaded it; null: the loader loads one page only. */
  known: KnownPages | null;
  /** The layers (interceptors) around each request; the first is the outermost. */
  layers: readonly PageLayer[];
  /** Whether this is the last page on its connections, which then close with it. */
  last: boolean;
  onProgress: ((progress: LoadProgress) => void) | undefined;
  onBody?: LoadOptions['onBody'] | undefined;
}

/** Limit on origins to which connections are opened early because the page says so (`<link rel=preconnect>`). */
const mostPreconnected = 16;

export class Page implements ResourceHost, LayerPage {
  readonly limits: LoaderLimits;
  readonly clock = new PageClock();
  readonly document: PageDocument;
  readonly cache: PageCache | null;
  readonly context: PageContext;
  readonly recorder: PageRecorder;
  isDocumentDone = false;
  stopped: LoaderError | null = null;
  readonly #requests: PageRequests;
  readonly #dispatch: Dispatch<PageRequest>;
  readonly #watchers: PageWatcher[] = [];
  /** Requests sent together with the document's, for what the page needed on an earlier visit; null: there are none. */
  #ahead: Ahead | null = null;
  // The document's request needs neither discovery nor progress, so both are made when they are first used.
  #madeDiscovery: Discovery | null = null;
  #madeProgress: PageProgress | null = null;
  /** References to icons and the manifest, which are fetched when nothing else is left to fetch. */
  readonly #late: ResourceReference[] = [];
  readonly #preconnected = new Set<string>();
  #outstanding = 0;
  #deadline: NodeJS.Timeout | undefined;
  #idle: (() => void) | null = null;

  /** @throws LoaderError `loader-closed` if the cache is closed. */
  constructor(url: URL, given: PageContext) {
    const cache = given.options.cache && cacheWhileOpen(given.options.cache);
    const context = { ...given, options: { ...given.options, cache } };
    const { options, transport, cacheMode } = context;
    const { protocol, limits, discovery } = options;
    const { origin: askedOrigin } = url;
    this.context = context;
    this.limits = limits;
    this.cache = cache && new PageCache(cache, cacheMode);
    const screen = () => screenOf(discovery.viewport);
    this.document = new PageDocument({
      askedOrigin,
      batch: (work) => this.batch(work),
      screen,
      onReferences: (references) => this.discovery.passOn(references),
      onSkipped: (skipped) => this.discovery.skip(skipped),
    });
    const recorder = new PageRecorder(this.clock, url.href, protocol, screen);
    this.recorder = recorder;
    const documentUrl = () => this.document.url;
    this.#requests = new PageRequests({ ...context, recorder, askedOrigin, documentUrl });
    this.#dispatch = context.layers.reduceRight<Dispatch<PageRequest>>(
      (inner, layer) => layer(inner, this),
      (request, handler) => this.#requests.send(request, handler),
    );
    // The constructor requests the document; `load` only waits for the page to end.
    transport.batch(() =>
      this.#askAhead(this.#request(url, { kind: 'document', initiator: null })),
    );
  }

  get discovery(): Discovery {
    this.#madeDiscovery ??= new Discovery({
      options: this.context.options.discovery,
      limits: this.limits,
      document: this.document,
      batch: (work) => this.batch(work),
      onReference: (reference) => this.#referenced(reference),
    });
    return this.#madeDiscovery;
  }

  get #progress(): PageProgress {
    this.#madeProgress ??= new PageProgress(this.context.onProgress, () =>
      this.#stop(new LoaderError('aborted', 'code of the caller threw')),
    );
    return this.#madeProgress;
  }

  /**
   * Waits until all responses have ended, and returns the record of the load.
   * @throws The signal's reason if it aborts first; the error of `onProgress`, `onBody` or a layer.
   */
  async load(signal: AbortSignal | undefined): Promise<PageLoad> {
    const { transport, last, options, known } = this.context;
    const { pageMs } = options.timeouts;
    this.#deadline = setTimeout(
      () => this.#expire(new LoaderError('page-timeout', `the page took longer than ${pageMs} ms`)),
      pageMs,
    );
    const abort = () => this.#stop(new LoaderError('aborted', 'aborted by its signal'));
    signal?.addEventListener('abort', abort, { once: true });
    try {
      do {
        await this.#quiet();
        this.#askLate();
        await Promise.all([
          transport.settle({ last }),
          ...this.#watchers.map((watcher) => watcher.settled?.()),
        ]);
      } while (this.#outstanding > 0 || this.#late.length > 0);
    } finally {
      clearTimeout(this.#deadline);
      signal?.removeEventListener('abort', abort);
      transport.leave();
      this.cache?.commit(this.recorder.resources);
      for (const watcher of this.#watchers) watcher.over?.(this.recorder.resources);
    }
    signal?.throwIfAborted();
    this.#progress.rethrow();
    this.discovery.finish();
    const { url } = this.document;
    if (url !== null) known?.set(url, this.recorder.references.slice(0, mostKnownReferences));
    return this.recorder.finish(this.discovery.skipped);
  }

  watch(watcher: PageWatcher): void {
    this.#watchers.push(watcher);
  }

  waits(difference: number): void {
    this.#outstanding += difference;
    if (this.#outstanding === 0) this.#idle?.();
  }

  storeCookie(setCookie: string, { row, how }: Resource): void {
    const url = new URL(row.url);
    const page = row.initiator === null ? null : new URL(this.document.url ?? row.initiator);
    if (isAnonymous(page, url, how.crossOrigin)) return;
    this.context.cookies.store(setCookie, url, sameSiteContext(page, url));
  }

  sent(batch: Batch): void {
    this.recorder.sent(batch);
  }

  bodyGrew(bytes: number): void {
    this.#progress.bodyBytes += bytes;
    const { maxPageBytes } = this.limits;
    if (this.#progress.bodyBytes > maxPageBytes && this.stopped === null) {
      const message = `all bodies over ${maxPageBytes} bytes, four times limits.maxResourceBytes`;
      // The stop is deferred, because the parser is delivering these bytes right now.
      queueMicrotask(() => this.#stop(new LoaderError('page-too-large', message)));
    }
    this.#reportProgress();
  }

  get wantsBodies(): boolean {
    return this.context.onBody !== undefined;
  }

  bodyCame({ row }: Resource, body: Buffer): void {
    this.#progress.guard(() => this.context.onBody?.(row.url, body));
  }

  restarted(resource: Resource, lost: { hadEnded: boolean; transferBytes: number }): void {
    if (lost.hadEnded) this.#outstanding++;
    this.recorder.discarded(lost.transferBytes);
    this.discovery.restarted(resource);
  }

  ended(resource: Resource, endedAt: number): void {
    if (resource.row.purpose !== 'ahead') this.#goOn(resource, endedAt);
    this.#outstanding--;
    if (this.isDocumentDone && this.#ahead?.isEmpty === false && !this.#leadsOn) {
      this.#ahead.drop(this.context.transport, this.#outstanding);
    }
    this.#reportProgress();
    if (this.#outstanding === 0) this.#idle?.();
  }

  /** Sends what a response that has ended leads to: its request once more, or that for the target of a redirect. */
  #goOn(resource: Resource, endedAt: number): void {
    const { row, completes } = resource;
    if (row.purpose === 'refresh') return;
    if (resource.mustAskAgain) {
      this.again(completes ?? resource, plainPlan);
      return;
    }
    completes?.takeSize(resource);
    if (this.#follow(resource)) return;
    if (this.document.is(resource)) this.#documentEnded(resource, endedAt);
    else this.discovery.ended(resource);
    for (const watcher of this.#watchers) watcher.ended?.(resource);
  }

  /** Follows the response if it is a redirect. @returns Whether it was followed */
  #follow(resource: Resource): boolean {
    const { kind, initiator } = resource.row;
    const { how } = resource;
    const hops = resource.hops + 1;
    return this.#requests.follow(resource, this.stopped, (target) =>
      this.#request(target, { kind, initiator, hops, from: resource, how }),
    );
  }

  #documentEnded(resource: Resource, endedAt: number): void {
    const { error } = resource.row;
    if (error === null || error.code === 'http-status') {
      this.discovery.ended(resource);
    }
    this.context.transport.flush();
    this.recorder.documentEnded(endedAt);
    this.isDocumentDone = true;
  }

  /** On a revisit, sends the document's request together with those for all resources that the cache cannot answer. */
  #askAhead(document: Resource): void {
    const { options, known, cacheMode } = this.context;
    const { cache, protocol } = options;
    if (cache === null || cacheMode === 'reload' || cacheMode === 'no-store') return;
    // `http1.0` repeats measurements of 1995 to 1997: each resource is validated only when the document names it.
    if (document.plan.hit !== null || protocol === 'http1.0') return;
    this.#ahead = new Ahead();
    for (const reference of knownReferences(document, options, cache, known)) {
      const { url: href, kind, initiator } = reference;
      const how = namingOf(reference);
      const url = new URL(href);
      const wanted: Wanted = { kind, initiator, purpose: 'ahead', how };
      const plan = this.#requests.plan(url, wanted, this.#policyOf(wanted));
      const comes = this.#watchers.some((watcher) => watcher.comes?.(url, plan));
      if (plan.hit !== null || comes) continue;
      this.#ahead.add(href, this.#request(url, { ...wanted, plan }));
    }
  }

  again(resource: Resource, plan: RequestPlan): void {
    const { row, hops, how } = resource;
    if (this.stopped !== null) {
      row.error = { code: this.stopped.code, message: this.stopped.message };
      resource.sizedAt ??= performance.now();
      return;
    }
    const { kind, initiator } = row;
    const isImage = kind === 'image';
    const rest = isImage ? { purpose: 'rest' as const, completes: resource } : {};
    this.#request(new URL(row.url), { kind, initiator, hops, plan, how, ...rest });
  }

  /** Whether a style sheet or a module is still to come, which may name more resources. */
  get #leadsOn(): boolean {
    return this.recorder.resources.some(
      ({ done, row, how }) =>
        !done && row.purpose === 'use' && (row.kind === 'stylesheet' || how.isModule === true),
    );
  }

  batch(work: () => void): void {
    this.context.transport.batch(work);
    if (this.isDocumentDone) this.context.transport.flush();
  }

  /** Requests icons and the manifest when nothing else is left to fetch. */
  #askLate(): void {
    if (this.#late.length === 0 || this.#outstanding > 0) return;
    const late = this.#late.splice(0);
    this.batch(() => {
      for (const reference of late) this.#adoptOrRequest(reference);
    });
  }

  #referenced(reference: Reference): void {
    if (this.stopped !== null) return;
    if (!isResource(reference)) {
      this.#preconnect(new URL(reference.url).origin);
      this.discovery.skip({ ...reference, why: 'a connection is opened' });
      return;
    }
    const { url: href, kind } = reference;
    const { references } = this.discovery;
    const admitted = references.admit(href);
    if (admitted === 'known') {
      references.again(reference);
      return;
    }
    if (admitted !== 'follow') {
      this.recorder.refuse(admitted.shown, reference, admitted.error);
      return;
    }
    if (kind === 'icon' || kind === 'manifest') this.#late.push(reference);
    else this.#adoptOrRequest(reference);
  }

  #preconnect(origin: string): void {
    if (this.#preconnected.size >= mostPreconnected || this.#preconnected.has(origin)) return;
    this.#preconnected.add(origin);
    this.context.transport.preconnect(origin);
  }

  #adoptOrRequest(reference: ResourceReference): void {
    const { url: href, kind, initiator } = reference;
    const asked = this.#ahead?.adopt(href);
    const how = namingOf(reference);
    const { references } = this.discovery;
    if (asked === undefined) {
      references.first(href, how);
      this.#request(new URL(href), { kind, initiator, how });
    } else {
      references.first(href, Object.assign(asked.how, how));
      this.discovery.adopted(asked);
      if (asked.done) this.#goOn(asked, performance.now());
    }
  }

  #request(url: URL, wanted: Wanted): Resource {
    const resource = this.#requests.add(this, url, wanted, this.#policyOf(wanted));
    const { plan } = resource;
    const { kind, initiator, purpose } = resource.row;
    if (initiator === null && purpose === 'use') {
      this.document.become(resource);
      this.#madeDiscovery?.forget();
    }
    this.#outstanding++;
    this.#start(resource);
    const renew = renewal(plan);
    if (renew !== null) {
      const { how } = resource;
      this.#request(url, { kind, initiator, purpose: 'refresh', plan: renew, how });
    }
    this.#reportProgress();
    return resource;
  }

  /** Sends the request, or answers it from the cache. */
  #start(resource: Resource): void {
    const { hit } = resource.plan;
    // The answer is deferred, because the caller has not recorded the resource yet.
    if (hit !== null) {
      queueMicrotask(() => resource.serve(hit));
      return;
    }
    try {
      this.#dispatch(this.#requests.of(resource), resource);
    } catch (thrown) {
      this.#progress.threw(thrown);
      const error = new LoaderError('aborted', 'a layer threw');
      queueMicrotask(() => resource.onError(error, performance.now()));
    }
  }

  /** Returns the referrer policy for a request: that of the sheet or module that names its URL, else the page's. */
  #policyOf({ initiator }: Wanted): ReferrerPolicy {
    const own = initiator === null ? undefined : this.discovery.referrerPolicyOf(initiator);
    return own ?? this.document.referrerPolicy;
  }

  #stop(error: LoaderError): void {
    this.stopped ??= error;
    for (const watcher of this.#watchers) watcher.stopped?.(error);
    this.context.transport.stop(this.#exchanges(), error);
  }

  /**
   * Handles the page timeout: no more requests are sent. Complete responses are kept if they prove within `settleMs` to
   * answer their own requests, as at the end of any page.
   */
  #expire(error: LoaderError): void {
    this.stopped ??= error;
    for (const watcher of this.#watchers) watcher.stopped?.(error);
    const under = this.#exchanges().filter(({ done }) => !done);
    this.context.transport.cancel(under, error);
    const { settleMs } = this.context.options.pipeline;
    this.#deadline = setTimeout(() => this.#stop(error), settleMs);
  }

  #exchanges(): Exchange[] {
    // Resources that a layer got in one combined response have the same exchange, so it is listed once.
    return [...new Set(this.recorder.resources.flatMap(({ exchange }) => exchange ?? []))];
  }

  #reportProgress(): void {
    if (this.context.onProgress === undefined) return;
    const { resources } = this.recorder;
    this.#progress.report(resources[0]?.row.url ?? '', resources.length, this.#outstanding);
  }

  #quiet(): Promise<void> {
    if (this.#outstanding === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }
}
