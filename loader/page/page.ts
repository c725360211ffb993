// The load of one page. A reference becomes a row and a request in the batch of its chunk; a response may lead to
// further requests (a redirect, the rest of an image, a retry). The load ends when nothing is outstanding and the
// connections are known to be in sync; then responses are stored.

import type { CacheMode } from '../cache/http-cache.ts';
import { LoaderError } from '../errors.ts';
import type { LimitOptions, ResolvedOptions } from '../options.ts';
import type { PageLoad } from '../page-load.ts';
import type { FollowRules } from '../prefetch/follow-rules.ts';
import type { HintingPage, Prefetcher } from '../prefetch/prefetcher.ts';
import { type Cookies, isAnonymous, sameSiteContext } from '../request/cookies.ts';
import { plainPlan, type RequestPlan } from '../request/request-plan.ts';
import { fetchSettingsOf } from '../scan/reference.ts';
import type { Batch, Exchange } from '../transport/exchange.ts';
import type { PageTransport } from '../transport/transport.ts';
import { AdoptedPrefetches } from './adopted-prefetches.ts';
import { Ahead, knownReferences } from './ahead.ts';
import { cacheWhileOpen } from './cache-while-open.ts';
import { PageCache } from './page-cache.ts';
import { PageClock } from './page-clock.ts';
import { type Named, PageDocument } from './page-document.ts';
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
  prefetcher: Prefetcher | null;
  /** Reads the page's rules on following its links; null: the rules are ignored. */
  followRules: FollowRules | null;
  /** The connections close with this page. */
  last: boolean;
  /** Monotonic time of navigation start if it is in the past, ms. */
  startedAt: number | null;
  onProgress: ((progress: LoadProgress) => void) | undefined;
}

export class Page implements ResourceHost {
  readonly limits: LimitOptions;
  readonly clock: PageClock;
  readonly document: PageDocument;
  readonly cache: PageCache | null;
  readonly #context: PageContext;
  readonly #recorder: PageRecorder;
  readonly #requests: PageRequests;
  readonly #references: References;
  readonly #redirects: Redirects;
  readonly #sizesFirst: SizesFirst;
  readonly #ahead = new Ahead();
  readonly #adopted: AdoptedPrefetches;
  readonly #progress: PageProgress;
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
    const { images, imageFirstBytes, protocol, limits } = options;
    const { origin: askedOrigin } = url;
    this.#context = context;
    this.clock = new PageClock(given.startedAt ?? undefined);
    this.limits = limits;
    this.cache = cache && new PageCache(cache, cacheMode);
    this.document = new PageDocument({
      ...{ askedOrigin, followRules: context.followRules },
      batch: (work) => transport.batch(work),
      onReference: (reference) => this.#referenced(reference),
    });
    this.#references = new References(limits);
    this.#redirects = new Redirects(limits.maxRedirects);
    this.#sizesFirst = new SizesFirst(images === 'sizes-first' ? imageFirstBytes : null);
    this.#adopted = new AdoptedPrefetches(context.prefetcher, cacheMode);
    this.#progress = new PageProgress(context.onProgress, () =>
      this.#stop(new LoaderError('aborted', 'onProgress threw')),
    );
    const recorder = new PageRecorder(this.clock, url.href, protocol);
    this.#recorder = recorder;
    this.#requests = new PageRequests({ ...context, recorder, askedOrigin });
    transport.batch(() => {
      const document = this.#request(url, { kind: 'document', initiator: null });
      this.#askAhead(document);
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
        await Promise.all([
          transport.settle({ last }),
          this.#adopted.proven(),
          this.document.read(),
        ]);
      } while (this.#outstanding > 0);
    } finally {
      clearTimeout(this.#deadline);
      signal?.removeEventListener('abort', abort);
      transport.leave();
      this.cache?.commit(this.#recorder.resources);
    }
    signal?.throwIfAborted();
    this.#progress.rethrow();
    return this.#recorder.finish();
  }

  /** Hints on the pages after this one; complete once the page is loaded. */
  get next(): HintingPage {
    return this.document.next;
  }

  storeCookie(setCookie: string, { row, how }: Resource): void {
    const url = new URL(row.url);
    const page = row.initiator === null ? null : new URL(row.initiator);
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
      // Later, because the parser is delivering these bytes right now.
      queueMicrotask(() => this.#stop(new LoaderError('page-too-large', message)));
    }
    this.#tell();
  }

  restarted(resource: Resource, lost: { hadEnded: boolean; transferBytes: number }): void {
    if (lost.hadEnded) this.#outstanding++;
    this.#recorder.discarded(lost.transferBytes);
    this.document.restarted(resource);
  }

  ended(resource: Resource, endedAt: number): void {
    this.#adopted.ended(resource);
    if (resource.row.purpose !== 'ahead') this.#goOn(resource, endedAt);
    this.#outstanding--;
    if (this.#documentDone) this.#ahead.drop(this.#context.transport, this.#outstanding);
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
      this.#outstanding++; // for the rest of the image
      const waiting = this.#sizesFirst.keep({ part: resource, plan });
      // Rests whose first bytes arrived together are sent together.
      if (this.#documentDone && waiting === 1) setImmediate(() => this.#askRests());
      return;
    }
    const leadsOn = this.#follow(resource);
    if (!leadsOn && this.document.is(resource)) this.#documentEnded(resource, endedAt);
  }

  #noteUse({ row, stored }: Resource): void {
    if (stored === null) return;
    if (this.cache?.used(stored)) row.prefetched = true;
    this.#context.prefetcher?.use(row.url);
  }

  /** @returns Whether it is a redirect that was followed. */
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
    if (error === null || error.code === 'http-status') this.document.end();
    this.#context.transport.flush();
    this.#recorder.documentEnded(endedAt);
    this.#documentDone = true;
    this.#askRests();
  }

  /** On a revisit, sends all validations with the page's own request. */
  #askAhead(document: Resource): void {
    const { options } = this.#context;
    const initiator = document.request.url;
    for (const reference of knownReferences(document, options)) {
      const { url: href, kind } = reference;
      const how = fetchSettingsOf(reference);
      const url = new URL(href);
      const wanted: Wanted = { kind, initiator, purpose: 'ahead', how };
      const plan = this.#plan(url, wanted);
      if (plan.validation !== null) this.#ahead.add(href, this.#request(url, { ...wanted, plan }));
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

  #referenced({ url: href, kind, ...how }: Named): void {
    if (this.#stopped !== null) return;
    const initiator = this.document.url;
    const admitted = this.#references.admit(href);
    if (admitted === 'known') return;
    if (admitted !== 'follow') {
      this.#recorder.refuse(admitted.shown, kind, initiator, admitted.error);
      return;
    }
    const asked = this.#ahead.adopt(href);
    if (asked === undefined) this.#request(new URL(href), { kind, initiator, how });
    else if (asked.done) this.#goOn(asked, performance.now());
  }

  #plan(url: URL, wanted: Wanted): RequestPlan {
    const firstBytes = wanted.kind === 'image' ? this.#sizesFirst.firstBytes(url) : null;
    return this.#requests.plan(url, wanted, this.document.referrerPolicy, firstBytes);
  }

  #request(url: URL, wanted: Wanted): Resource {
    const { referrerPolicy } = this.document;
    const usual = wanted.plan ?? this.#plan(url, wanted);
    const mayAdopt = (wanted.purpose ?? 'use') === 'use';
    const asked = () => this.#requests.request(url, wanted, referrerPolicy);
    const job = mayAdopt ? this.#adopted.take(url, usual, asked) : null;
    const plan = job === null ? usual : plainPlan;
    const resource = this.#requests.add(this, url, { ...wanted, plan }, referrerPolicy);
    const { kind, purpose, initiator } = resource.row;
    if (kind === 'document' && purpose === 'use') this.document.become(resource);
    this.#outstanding++;
    if (job === null) this.#requests.start(resource);
    else this.#adopted.adopt(resource, job, () => this.#requests.start(resource));
    const renew = renewal(plan);
    if (renew !== null) {
      const { how } = resource;
      this.#request(url, { kind, initiator, purpose: 'refresh', plan: renew, how });
    }
    this.#tell();
    return resource;
  }

  #stop(error: LoaderError): void {
    this.#stopped ??= error;
    this.#adopted.giveUp(error);
    this.#context.transport.stop(this.#exchanges(), error);
  }

  /**
   * Handles the page timeout: no more requests are sent. Complete responses are kept if their connections prove to
   * be in sync within `settleMs`, as at the end of any page.
   */
  #expire(error: LoaderError): void {
    this.#stopped ??= error;
    this.#adopted.giveUp(error);
    const under = this.#exchanges().filter(({ done }) => !done);
    this.#context.transport.cancel(under, error);
    const { settleMs } = this.#context.options.pipeline;
    this.#deadline = setTimeout(() => this.#stop(error), settleMs);
  }

  #exchanges(): Exchange[] {
    return this.#recorder.resources.flatMap(({ exchange }) => exchange ?? []);
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
