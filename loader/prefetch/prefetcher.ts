// Fetches what a page's hints name while no page is loading, into the cache. A page that begins comes
// first: nothing new is sent, what is under way for something else is given up, what is under way for the
// page itself becomes the page's. It has connections of its own, one request at a time on each: so it is
// never in the way of a page's pipeline. What it brings is stored when its connection was seen to be in step.

import type { Hint } from '../../prefetchd/wire.ts';
import type { CacheRequest } from '../cache/entry.ts';
import type { HttpCache } from '../cache/http-cache.ts';
import type { Cookies } from '../cookies.ts';
import { LoaderError } from '../errors.ts';
import type { ResolvedOptions } from '../options.ts';
import { defaultReferrerPolicy } from '../referrer.ts';
import { requestHeaders } from '../request-headers.ts';
import type { Carrier } from '../transport/exchange.ts';
import { type Batch, Exchange, type ResponseHead } from '../transport/exchange.ts';
import { type PageTransport, Transport } from '../transport/transport.ts';
import { Calm } from './calm.ts';
import { merged } from './hints-of.ts';
import { isForPages, type JobHost, PrefetchJob } from './prefetch-job.ts';
import type { PrefetchOptions } from './prefetch-options.ts';
import { PrefetchPolicy } from './prefetch-policy.ts';
import {
  hintsOfRules,
  needsOf,
  type PrefetchSource,
  type PrefetchTarget,
  rulesTargets,
  targetOf,
} from './prefetch-target.ts';
import { noPrefetches, type PrefetchTotals } from './prefetch-totals.ts';
import { Remembered } from './remembered.ts';
import { RobotsFiles } from './robots-files.ts';
import { Unused } from './unused.ts';

export type { PrefetchTotals };

export interface PrefetcherContext {
  options: ResolvedOptions;
  prefetch: Required<PrefetchOptions>;
  cookies: Cookies;
  cache: HttpCache;
}

export interface HintingPage {
  source: PrefetchSource;
  hints: readonly Hint[];
  /** Where its speculation rules are. */
  rules: readonly string[];
}

/** What was asked for is not asked for again for a while: it may be of no use each time. */
const mostAsked = 1_000;
const askAgainMs = 5 * 60 * 1000;
/** Targets that wait. */
const mostWaiting = 1_000;
/** Of the cache, what waits for its first use may fill one part in so many. */
const shareOfCache = 4;

export class Prefetcher implements JobHost {
  readonly #context: PrefetcherContext;
  readonly #transport: Transport;
  readonly #policy: PrefetchPolicy;
  readonly #robots: RobotsFiles | null;
  readonly #unused: Unused;
  readonly #cacheRoom: number;
  readonly #calm: Calm;
  #session: PageTransport | null = null;
  #queue: PrefetchTarget[] = [];
  readonly #active = new Map<string, PrefetchJob>();
  /** Of those, the ones that came whole and wait for the proof that they are what was asked for. */
  #unproven = 0;
  readonly #asked = new Remembered<true>(mostAsked, askAgainMs);
  #pages = 0;
  #left = { requests: 0, bytes: 0 };
  #waiters: Array<() => void> = [];
  readonly #connections = new WeakSet<Carrier>();
  readonly #totals: PrefetchTotals = { ...noPrefetches };
  #closed = false;

  constructor(context: PrefetcherContext) {
    this.#context = context;
    const { options, prefetch, cache } = context;
    const protocol = options.protocol === 'h2' ? 'h2' : 'persistent';
    const connections = protocol === 'h2' ? 1 : prefetch.concurrency;
    this.#policy = new PrefetchPolicy(prefetch);
    this.#transport = new Transport({ ...options, protocol, connections });
    this.#cacheRoom = Math.floor(cache.maxBytes / shareOfCache);
    this.#unused = new Unused(cache, this.#cacheRoom);
    const { userAgent, limits } = options;
    const onKnown = () => this.#goOn();
    this.#calm = new Calm(prefetch.maxLoad, onKnown);
    this.#robots = prefetch.robots
      ? new RobotsFiles({ transport: this.#transport, userAgent, limits, onKnown })
      : null;
  }

  totals(): PrefetchTotals {
    this.#unused.look();
    return { ...this.#totals, ...this.#unused.sums };
  }

  /** A page begins to load. */
  pageBegins(url: string): void {
    this.#pages++;
    this.#queue = [];
    for (const job of this.#active.values()) {
      const { target } = job;
      if (job.isAdopted || target.url === url || target.document === url) continue;
      // It may be asked for again: nothing was learned of it.
      if (job.state === 'under way') this.#asked.delete(target.url);
      job.giveUp('a page is loading');
    }
    this.#goOn();
  }

  /** A page has loaded; null: it was given up, and who leaves wants nothing behind it. */
  pageEnds(page: HintingPage | null): void {
    this.#pages--;
    if (page !== null) this.#want(page);
    this.#goOn();
  }

  #want({ source, hints, rules }: HintingPage): void {
    const { maxRequests, maxBytes } = this.#context.prefetch;
    this.#left = { requests: maxRequests, bytes: Math.min(maxBytes, this.#cacheRoom) };
    // What waits already is of a page that loaded at the same time.
    const targets = [...rulesTargets(rules, source), ...this.#targets(hints, source)];
    if (!this.#closed) this.#queue = [...targets, ...this.#queue].slice(0, mostWaiting);
  }

  isFetching(url: string): boolean {
    return this.#active.has(url);
  }

  /**
   * What is under way for a page's request, for the page to adopt. What is under way for its URL and no
   * answer to it is given up: the page asks for itself.
   */
  take(request: CacheRequest): PrefetchJob | null {
    const job = this.#active.get(request.url);
    if (job === undefined || job.isAdopted || job.target.isRules) return null;
    if (job.isFit && this.#isSameAsker(job.request, request)) return job;
    job.giveUp('the page asks for itself');
    return null;
  }

  /** A page was answered out of the cache. */
  use(url: string): void {
    this.#unused.use(url);
  }

  /** Resolves when nothing is under way and nothing waits to be sent. */
  async idle(): Promise<void> {
    while (!this.#isIdle) {
      this.#calm.ref();
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#queue = [];
    this.#calm.close();
    this.#transport.close();
    this.#unused.close();
    this.#wake();
  }

  sent({ connection }: Batch): void {
    if (this.#connections.has(connection)) return;
    this.#connections.add(connection);
    this.#totals.connections++;
  }

  headersCame(job: PrefetchJob, head: ResponseHead): string | null {
    const { status, headers } = head;
    if (status === 304 && job.validation !== null) return null;
    // A redirect may lead anywhere, to logout for one: only who asks for a page follows it.
    if (!isForPages(head)) return `status ${status}, for prefetches`;
    const values = (name: string) => headers.filter(([key]) => key.toLowerCase() === name);
    const [length] = values('content-length');
    if (Number(length?.[1] ?? 0) > this.#room) return 'too large';
    if (job.target.isRules) return null;
    // A cookie set behind the user's back, or lost where the page comes out of the cache, does harm.
    if (values('set-cookie').length > 0) return 'it sets a cookie';
    const response = job.response(wallTime);
    const isUseful = response !== null && this.#context.cache.mayStore(job.request, response);
    return isUseful ? null : 'not to be stored';
  }

  bytesCame(job: PrefetchJob, bytes: number): string | null {
    this.#totals.bytes += bytes;
    this.#left.bytes -= bytes;
    const { maxResourceBytes } = this.#context.prefetch;
    return this.#left.bytes < 0 || job.bytes > maxResourceBytes ? 'too large' : null;
  }

  gaveUp({ exchange }: PrefetchJob, reason: string): void {
    if (exchange === null) return;
    // Not from inside the parser that is handing on its bytes.
    const error = new LoaderError('aborted', `prefetch: ${reason}`);
    queueMicrotask(() => this.#session?.cancel([exchange], error));
  }

  ended(job: PrefetchJob): void {
    if (job.state === 'failed' || job.isRefused || this.#session === null) {
      this.#finish(job);
      return;
    }
    this.#unproven++;
    this.#session.settle(false).then(() => {
      this.#unproven--;
      this.#finish(job);
    });
  }

  #finish(job: PrefetchJob): void {
    const { url } = job.target;
    this.#active.delete(url);
    if (job.isAdopted) {
      this.#totals.kept++;
      this.#unused.countUsed(job.bytes);
    } else if (job.state !== 'whole' || job.isRefused) {
      this.#totals.dropped++;
    } else if (job.target.isRules) {
      this.#follow(job);
    } else {
      this.#withCache(() => {
        if (this.#keep(job)) this.#totals.kept++;
        else this.#totals.dropped++;
      });
    }
    this.#goOn();
  }

  /** Bytes that one more body may have. */
  get #room(): number {
    return Math.min(this.#left.bytes, this.#context.prefetch.maxResourceBytes);
  }

  get #isIdle(): boolean {
    if (this.#active.size > 0) return false;
    return this.#closed || (this.#queue.length === 0 && !this.#robots?.isAsking);
  }

  /** Would the page have sent the same, as far as the answer may depend on who asks? */
  #isSameAsker(one: CacheRequest, other: CacheRequest): boolean {
    const own = this.#context.options.extraHeaders.map(([name]) => name);
    const names = new Set(['cookie', ...own]);
    const of = ({ headers }: CacheRequest) =>
      JSON.stringify(headers.filter(([name]) => names.has(name)));
    return of(one) === of(other);
  }

  #targets(hints: readonly Hint[], source: PrefetchSource): PrefetchTarget[] {
    return merged(hints)
      .filter((hint) => this.#policy.mayPrefetch(hint, source.url) && source.follows(hint.url))
      .map((hint) => targetOf(hint, source))
      .filter(({ url }) => url !== source.url);
  }

  #keep(job: PrefetchJob): boolean {
    const { cache } = this.#context;
    const { request, exchange, validation, body } = job;
    const response = job.response(wallTime);
    if (response === null || !exchange?.inStep || !exchange.framed) return false;
    const now = Date.now();
    this.#unused.makeRoom(body.length);
    if (response.status !== 304) {
      cache.store([{ request, response, body, prefetchedAtMs: now }]);
    } else if (validation !== null) {
      cache.freshen(request, validation, response, now);
    }
    const { receivedAtMs } = response;
    if (cache.fateOf(request.url, receivedAtMs) !== 'waits') return false;
    this.#unused.add(request.url, { bytes: body.length, receivedAtMs });
    if (this.#context.prefetch.subresources) this.#goDeeper(job, body);
    return true;
  }

  /** What speculation rules name. */
  #follow({ body, head, target }: PrefetchJob): void {
    const { limits } = this.#context.options;
    const hints = hintsOfRules(head?.headers ?? [], body, target.url, limits);
    this.#queue.push(...this.#targets(hints, target.source));
  }

  /** What a prefetched document needs. */
  #goDeeper({ head, target }: PrefetchJob, body: Buffer): void {
    const needs = needsOf(target, head?.headers ?? [], body, this.#context.options.limits);
    const { probability } = target;
    const wanted = needs.filter(({ url }) =>
      this.#policy.mayPrefetch({ url, probability, kind: 'object' }, target.url),
    );
    this.#queue.unshift(...wanted);
  }

  /** Something changed: send what may be sent, rest when there is nothing, tell who waits. */
  #goOn(): void {
    this.#withCache(() => this.#pump());
    if (this.#active.size === 0) {
      // The connections wait for the next time.
      this.#session?.leave();
      this.#session = null;
    }
    this.#wake();
  }

  #pump(): void {
    // Nothing is sent on a connection that is being watched for what it should not say.
    if (this.#closed || this.#pages > 0 || this.#unproven > 0) return;
    while (this.#active.size < this.#context.prefetch.concurrency) {
      const [target] = this.#queue;
      if (target === undefined) return;
      // What does not fit any more is not waited for.
      const isSpent = this.#left.requests <= 0 || this.#left.bytes <= 0;
      const calm = isSpent ? 'given up' : this.#calm.look();
      if (calm === 'given up') this.#queue = [];
      if (calm !== 'calm') return;
      const isAllowed =
        target.isRules || (this.#robots?.allows(target.url) ?? this.#robots === null);
      if (!isAllowed && this.#robots?.isAsking) return;
      this.#queue.shift();
      if (isAllowed) this.#start(target);
    }
  }

  #start(target: PrefetchTarget): void {
    const { cache } = this.#context;
    const { url } = target;
    if (this.#active.has(url) || this.#asked.get(url)) return;
    const request = this.#request(target);
    const found = cache.lookup(request);
    if (found.kind === 'hit' || found.kind === 'unavailable') return;
    const validation = found.kind === 'validate' ? found.validation : null;
    this.#asked.set(url, true);
    const job = new PrefetchJob(this, target, request, validation);
    const fields = [
      ...request.headers,
      ...(target.isRules ? [] : [['sec-purpose', 'prefetch']]),
      ...(validation?.conditions ?? []),
    ];
    const how = { urgent: true, priority: 0 };
    job.exchange = new Exchange(new URL(url), fields.flat(), how, job);
    this.#active.set(url, job);
    this.#left.requests--;
    this.#totals.requests++;
    this.#session ??= this.#transport.beginPage();
    this.#session.submit(job.exchange);
  }

  #request({ url, kind, document, source }: PrefetchTarget): CacheRequest {
    const { options, cookies } = this.#context;
    const target = new URL(url);
    const context = {
      url: target,
      kind,
      page: document === url ? null : new URL(document),
      askedOrigin: source.askedOrigin,
      referrerPolicy: defaultReferrerPolicy,
      cookie: cookies.header(target),
    };
    return { method: 'GET', url, headers: requestHeaders(context, options) };
  }

  /** Who closed the cache wants nothing prefetched any more. */
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

function wallTime(at: number): number {
  return Date.now() - performance.now() + at;
}
