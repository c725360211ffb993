// The load of one page. A reference becomes a row and a request in the batch of its chunk; a response may lead to
// further requests (a redirect, the rest of an image, a retry). The load ends when nothing is outstanding and the
// connections are known to be in sync; then responses are stored.

import type { CacheMode } from '../cache/http-cache.ts';
import type { KnownDictionaries } from '../dictionaries/known-dictionaries.ts';
import { LoaderError } from '../errors.ts';
import type { LoadOptions } from '../load-options.ts';
import type { Limits, ResolvedOptions } from '../options.ts';
import type { PageLoad } from '../page-load.ts';
import type { HintingPage, Prefetcher } from '../prefetch/prefetcher.ts';
import { type Cookies, isAnonymous, sameSiteContext } from '../request/cookies.ts';
import type { ReferrerPolicy } from '../request/referrer.ts';
import { plainPlan, type RequestPlan } from '../request/request-plan.ts';
import { isResource, namingOf, type Reference, type ResourceReference } from '../scan/reference.ts';
import type { Batch, Exchange } from '../transport/exchange.ts';
import type { PageTransport } from '../transport/transport.ts';
import { AdoptedPrefetches } from './adopted-prefetches.ts';
import { Ahead, knownReferences } from './ahead.ts';
import { cacheWhileOpen } from './cache-while-open.ts';
import { Discovery } from './discovery.ts';
import type { KnownPages } from './known-pages.ts';
import { Namings } from './namings.ts';
import { PageCache } from './page-cache.ts';
import { PageClock } from './page-clock.ts';
import { PageDocument } from './page-document.ts';
import { PageEnvelope } from './page-envelope.ts';
import { type LoadProgress, PageProgress } from './page-progress.ts';
import { PageRecorder } from './page-recorder.ts';
import { PageRequests, renewal, type Wanted } from './page-requests.ts';
import { Redirects } from './redirects.ts';
import { References } from './references.ts';
import type { Resource, ResourceHost } from './resource.ts';
import { SizesFirst } from './sizes-first.ts';

export interface PageContext {
  options: ResolvedOptions;
  transport: PageTransport;
  cookies: Cookies;
  cacheMode: CacheMode;
  /** What the loader learned from earlier pages. */
  known: KnownPages;
  /** null: no dictionaries are offered. */
  dictionaries: KnownDictionaries | null;
  prefetcher: Prefetcher | null;
  /** The connections close with this page. */
  last: boolean;
  onProgress: ((progress: LoadProgress) => void) | undefined;
  onBody?: LoadOptions['onBody'] | undefined;
}

/** Most origins to which a page opens connections before it names a resource there. */
const mostPreconnected = 16;

export class Page implements ResourceHost {
  readonly limits: Limits;
  readonly clock: PageClock;
  readonly document: PageDocument;
  readonly discovery: Discovery;
  readonly cache: PageCache | null;
  readonly #context: PageContext;
  readonly #recorder: PageRecorder;
  readonly #requests: PageRequests;
  readonly #references: References;
  readonly #namings = new Namings();
  readonly #redirects: Redirects;
  readonly #sizesFirst: SizesFirst;
  readonly #ahead = new Ahead();
  readonly #adopted: AdoptedPrefetches;
  readonly #envelope: PageEnvelope;
  readonly #progress: PageProgress;
  /** References that are fetched when nothing else is left. */
  readonly #late: ResourceReference[] = [];
  readonly #preconnected = new Set<string>();
  #documentDone = false;
  #outstanding = 0;
  #stopped: LoaderError | null = null;
  #deadline: NodeJS.Timeout | undefined;
  #idle: (() => void) | null = null;

  /** @throws LoaderError `loader-closed` if the cache is closed. */
  constructor(url: URL, given: PageContext) {
    const cache = given.options.cache && cacheWhileOpen(given.options.cache);
    const context = { ...given, options: { ...given.options, cache } };
    const { options, transport, cacheMode } = context;
    const { images, imageFirstBytes, protocol, limits, discovery } = options;
    const { origin: askedOrigin } = url;
    this.#context = context;
    this.clock = new PageClock();
    this.limits = limits;
    this.cache = cache && new PageCache(cache, cacheMode);
    const { viewportWidth: width, viewportHeight: height, dpr } = discovery;
    const screen = { width, height, dpr, isTouched: discovery.mobile };
    const batch = (work: () => void) => this.#batch(work);
    this.discovery = new Discovery({
      options: discovery,
      limits,
      batch,
      onReference: (reference) => this.#referenced(reference),
    });
    this.document = new PageDocument({
      askedOrigin,
      batch,
      screen,
      onReferences: (references) => this.discovery.tell(references),
      onSkipped: (skipped) => this.discovery.skip(skipped),
    });
    this.#references = new References(limits);
    this.#redirects = new Redirects(limits.maxRedirects, context.cookies);
    this.#sizesFirst = new SizesFirst(images === 'sizes-first' ? imageFirstBytes : null);
    this.#adopted = new AdoptedPrefetches(context.prefetcher, cacheMode);
    this.#progress = new PageProgress(context.onProgress, () =>
      this.#stop(new LoaderError('aborted', 'onProgress or onBody threw')),
    );
    const recorder = new PageRecorder(this.clock, url.href, protocol, screen);
    this.#recorder = recorder;
    const documentUrl = () => this.document.url;
    const requests = new PageRequests({ ...context, recorder, askedOrigin, documentUrl });
    this.#requests = requests;
    this.#envelope = new PageEnvelope({
      ...context,
      requests,
      recorder,
      document: this.document,
      batch,
      stopped: () => this.#stopped,
      waits: (difference) => this.#waits(difference),
    });
    transport.batch(() => {
      const document = this.#request(url, { kind: 'document', initiator: null });
      if (!this.#envelope.isAsked) this.#askAhead(document);
    });
  }

  /** @throws The signal's reason if it aborts first; the error of `onProgress`. */
  async load(signal: AbortSignal | undefined): Promise<PageLoad> {
    const { transport, last, options } = this.#context;
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
        await Promise.all([transport.settle({ last }), this.#adopted.proven()]);
      } while (this.#outstanding > 0 || this.#late.length > 0);
    } finally {
      clearTimeout(this.#deadline);
      signal?.removeEventListener('abort', abort);
      transport.leave();
      this.cache?.commit(this.#recorder.resources);
      this.#learnDictionaries();
    }
    signal?.throwIfAborted();
    this.#progress.rethrow();
    this.discovery.finish();
    this.#envelope.finish();
    return this.#recorder.finish(this.discovery.skipped);
  }

  /** Hints on the pages after this one; complete once the page is loaded. */
  get next(): HintingPage {
    return this.document.next;
  }

  #learnDictionaries(): void {
    const { dictionaries } = this.#context;
    if (dictionaries === null) return;
    for (const { request, status, headers } of this.#recorder.resources) {
      if (status === 200) dictionaries.learn(request, headers);
    }
  }

  storeCookie(setCookie: string, { row, how }: Resource): void {
    const url = new URL(row.url);
    const page = row.initiator === null ? null : new URL(this.document.url ?? row.initiator);
    if (isAnonymous(page, url, how.crossOrigin)) return;
    this.#context.cookies.store(setCookie, url, sameSiteContext(page, url));
  }

  sent(batch: Batch): void {
    this.#recorder.sent(batch);
  }

  bodyGrew(bytes: number): void {
    this.#progress.bodyBytes += bytes;
    const { maxPageBytes } = this.limits;
    if (this.#progress.bodyBytes > maxPageBytes && this.#stopped === null) {
      const message = `all bodies over limits.maxPageBytes (${maxPageBytes})`;
      // This is deferred because the parser is delivering these bytes right now.
      queueMicrotask(() => this.#stop(new LoaderError('page-too-large', message)));
    }
    this.#tell();
  }

  get wantsBodies(): boolean {
    return this.#context.onBody !== undefined;
  }

  bodyCame({ row }: Resource, body: Buffer): void {
    this.#progress.guard(() => this.#context.onBody?.(row.url, body));
  }

  restarted(resource: Resource, lost: { hadEnded: boolean; transferBytes: number }): void {
    if (lost.hadEnded) this.#outstanding++;
    this.#recorder.discarded(lost.transferBytes);
    this.discovery.restarted(resource);
  }

  ended(resource: Resource, endedAt: number): void {
    this.#adopted.ended(resource);
    if (resource.row.purpose !== 'ahead') this.#goOn(resource, endedAt);
    this.#outstanding--;
    if (this.#documentDone && !this.#ahead.isEmpty && !this.#leadsOn) {
      this.#ahead.drop(this.#context.transport, this.#outstanding);
    }
    this.#tell();
    if (this.#outstanding === 0) this.#idle?.();
  }

  /** Starts the requests that follow from a resource the page uses. */
  #goOn(resource: Resource, endedAt: number): void {
    if (resource.row.purpose === 'refresh') return;
    this.#noteUse(resource);
    const part = this.#sizesFirst.partOf(resource);
    if (resource.mustAskAgain) {
      this.#askAgain(part ?? resource, plainPlan);
      return;
    }
    if (part !== undefined) this.#sizesFirst.complete(part, resource);
    const plan = this.#sizesFirst.missing(resource);
    if (plan !== null) {
      this.#outstanding++; // counts the rest of the image
      const waiting = this.#sizesFirst.keep({ part: resource, plan });
      // Rests whose first bytes arrived together are sent together.
      if (this.#documentDone && waiting === 1) setImmediate(() => this.#askRests());
      return;
    }
    const leadsOn = this.#follow(resource);
    if (leadsOn) return;
    if (this.document.is(resource)) this.#documentEnded(resource, endedAt);
    else this.discovery.ended(resource);
  }

  #noteUse({ row, stored }: Resource): void {
    if (stored === null) return;
    if (this.cache?.used(stored)) row.prefetched = true;
    this.#context.prefetcher?.use(row.url);
  }

  /** @returns Whether the response is a redirect that was followed. */
  #follow(resource: Resource): boolean {
    const chain = this.#recorder.chain(resource);
    const { kind, initiator } = resource.row;
    const { how } = resource;
    const hops = resource.hops + 1;
    return this.#redirects.follow(resource, chain, this.#stopped, (target) =>
      this.#request(target, { kind, initiator, hops, from: resource, how }),
    );
  }

  #documentEnded(resource: Resource, endedAt: number): void {
    const { error } = resource.row;
    if (error === null || error.code === 'http-status') {
      this.discovery.ended(resource);
    }
    this.#context.transport.flush();
    this.#recorder.documentEnded(endedAt);
    this.#documentDone = true;
    this.#askRests();
  }

  /** On a revisit, sends the document's request together with those for all resources that the cache cannot answer. */
  #askAhead(document: Resource): void {
    const { options, known, cacheMode } = this.#context;
    if (cacheMode === 'reload' || cacheMode === 'no-store') return;
    for (const reference of knownReferences(document, options, known)) {
      const { url: href, kind, initiator } = reference;
      const how = namingOf(reference);
      const url = new URL(href);
      const wanted: Wanted = { kind, initiator, purpose: 'ahead', how };
      const plan = this.#plan(url, wanted);
      // A prefetch in flight is taken over when the page names its URL.
      const comes = plan.validation === null && this.#adopted.isFetching(href);
      if (plan.hit !== null || comes) continue;
      this.#ahead.add(href, this.#request(url, { ...wanted, plan }));
    }
  }

  #askAgain(resource: Resource, plan: RequestPlan): void {
    const { row, hops, how } = resource;
    if (this.#stopped !== null) {
      row.error = { code: this.#stopped.code, message: this.#stopped.message };
      resource.sizedAt ??= performance.now();
      return;
    }
    const { kind, initiator } = row;
    const purpose = kind === 'image' ? 'rest' : 'use';
    const rest = this.#request(new URL(row.url), { kind, initiator, hops, plan, purpose, how });
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

  /** Whether a style sheet or a module is still to come, which may name more resources. */
  get #leadsOn(): boolean {
    return this.#recorder.resources.some(
      ({ done, row, how }) =>
        !done && row.purpose === 'use' && (row.kind === 'stylesheet' || how.isModule === true),
    );
  }

  #batch(work: () => void): void {
    this.#context.transport.batch(work);
    if (this.#documentDone) this.#context.transport.flush();
  }

  /** Requests icons and the manifest when nothing else is left to fetch. */
  #askLate(): void {
    if (this.#late.length === 0 || this.#outstanding > 0) return;
    const late = this.#late.splice(0);
    this.#batch(() => {
      for (const reference of late) this.#ask(reference);
    });
  }

  #referenced(reference: Reference): void {
    if (this.#stopped !== null) return;
    if (!isResource(reference)) {
      this.#preconnect(new URL(reference.url).origin);
      this.discovery.skip({ ...reference, why: 'a connection is opened' });
      return;
    }
    const { url: href, kind } = reference;
    const admitted = this.#references.admit(href);
    if (admitted === 'known') {
      this.#namings.again(reference);
      return;
    }
    if (admitted !== 'follow') {
      this.#recorder.refuse(admitted.shown, reference, admitted.error);
      return;
    }
    if (kind === 'icon' || kind === 'manifest') this.#late.push(reference);
    else this.#ask(reference);
  }

  #preconnect(origin: string): void {
    if (this.#preconnected.size >= mostPreconnected || this.#preconnected.has(origin)) return;
    this.#preconnected.add(origin);
    this.#context.transport.preconnect(origin);
  }

  #ask(reference: ResourceReference): void {
    const { url: href, kind, initiator } = reference;
    const asked = this.#ahead.adopt(href);
    const how = namingOf(reference);
    if (asked === undefined) {
      this.#namings.first(href, how);
      this.#request(new URL(href), { kind, initiator, how });
    } else {
      this.#namings.first(href, Object.assign(asked.how, how));
      this.discovery.adopted(asked);
      if (asked.done) this.#goOn(asked, performance.now());
    }
  }

  #plan(url: URL, wanted: Wanted): RequestPlan {
    const firstBytes = wanted.kind === 'image' ? this.#sizesFirst.firstBytes(url) : null;
    return this.#requests.plan(url, wanted, this.#policyOf(wanted), firstBytes);
  }

  #request(url: URL, wanted: Wanted): Resource {
    const referrerPolicy = this.#policyOf(wanted);
    const usual = wanted.plan ?? this.#plan(url, wanted);
    const mayAdopt = (wanted.purpose ?? 'use') === 'use';
    const asked = () => this.#requests.request(url, wanted, referrerPolicy);
    const job = mayAdopt ? this.#adopted.take(url, usual, asked) : null;
    const isPage = wanted.initiator === null && mayAdopt;
    const all = isPage && job === null ? this.#envelope.plan(asked(), usual) : null;
    const plan = job === null ? (all?.plan ?? usual) : plainPlan;
    const resource = this.#requests.add(this, url, { ...wanted, plan }, referrerPolicy);
    const { kind, initiator } = resource.row;
    this.#redirects.requested(resource);
    if (isPage) {
      this.document.become(resource);
      this.discovery.become(resource);
    }
    this.#outstanding++;
    if (all !== null) this.#envelope.ask(resource, all);
    else if (job === null) this.#envelope.start(resource);
    else this.#adopted.adopt(resource, job, () => this.#requests.start(resource));
    const renew = renewal(plan);
    if (renew !== null) {
      const { how } = resource;
      this.#request(url, { kind, initiator, purpose: 'refresh', plan: renew, how });
    }
    this.#tell();
    return resource;
  }

  /** The referrer policy for a request: that of the style sheet or module that names the resource, else the page's. */
  #policyOf({ initiator }: Wanted): ReferrerPolicy {
    const own = initiator === null ? undefined : this.discovery.referrerPolicyOf(initiator);
    return own ?? this.document.referrerPolicy;
  }

  #stop(error: LoaderError): void {
    this.#stopped ??= error;
    this.#adopted.giveUp(error);
    this.#envelope.giveUp(error);
    this.#context.transport.stop(this.#exchanges(), error);
  }

  /**
   * Handles the page timeout: no more requests are sent. Complete responses are kept if their connections prove to
   * be in sync within `settleMs`, as at the end of any page.
   */
  #expire(error: LoaderError): void {
    this.#stopped ??= error;
    this.#adopted.giveUp(error);
    this.#envelope.giveUp(error);
    const under = this.#exchanges().filter(({ done }) => !done);
    this.#context.transport.cancel(under, error);
    const { settleMs } = this.#context.options.pipeline;
    this.#deadline = setTimeout(() => this.#stop(error), settleMs);
  }

  #exchanges(): Exchange[] {
    // Parts of an envelope share the exchange of their document.
    return [...new Set(this.#recorder.resources.flatMap(({ exchange }) => exchange ?? []))];
  }

  #waits(difference: 1 | -1): void {
    this.#outstanding += difference;
    if (this.#outstanding === 0) this.#idle?.();
  }

  #tell(): void {
    const { resources } = this.#recorder;
    this.#progress.tell(resources[0]?.row.url ?? '', resources.length, this.#outstanding);
  }

  #quiet(): Promise<void> {
    if (this.#outstanding === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle = resolve;
    });
  }
}
