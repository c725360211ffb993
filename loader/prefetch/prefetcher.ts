// Fetches what a page's hints name while no page is loading, into the cache. A page that begins comes
// first: nothing new is sent, what is under way for something else is given up, what is under way for the
// page itself becomes the page's. It has connections of its own, one request at a time on each: so it is
// never in the way of a page's pipeline, and what it brings is known to be in step.

import { eventLoopLoad } from '../../prefetchd/load.ts';
import { type Hint, parseSpeculationRules } from '../../prefetchd/wire.ts';
import type { HttpCache } from '../cache/http-cache.ts';
import { decodeWhole } from '../content-coding.ts';
import type { Cookies } from '../cookies.ts';
import { LoaderError } from '../errors.ts';
import type { ResolvedOptions } from '../options.ts';
import type { ResourceKind } from '../page-load.ts';
import { defaultReferrerPolicy } from '../referrer.ts';
import { requestHeaders } from '../request-headers.ts';
import { createScanner } from '../scan/index.ts';
import { Exchange } from '../transport/exchange.ts';
import { type PageTransport, Transport } from '../transport/transport.ts';
import { merged } from './hints-of.ts';
import { type JobHost, PrefetchJob, type PrefetchTarget } from './prefetch-job.ts';
import type { PrefetchOptions } from './prefetch-options.ts';
import { PrefetchPolicy } from './prefetch-policy.ts';

export interface PrefetchTotals {
  /** Requests sent. */
  requests: number;
  /** Bodies that were kept, or became a page's. */
  kept: number;
  /** Bytes of bodies as they came, of whatever became of them. */
  bytes: number;
  /** Kept ones that a page used. */
  used: number;
  usedBytes: number;
  /** Given up or of no use: refused, redirected, too large, not to be stored, failed. */
  dropped: number;
}

export const noPrefetches: Readonly<PrefetchTotals> = Object.freeze({
  requests: 0,
  kept: 0,
  bytes: 0,
  used: 0,
  usedBytes: 0,
  dropped: 0,
});

export interface PrefetcherContext {
  options: ResolvedOptions;
  prefetch: Required<PrefetchOptions>;
  cookies: Cookies;
  cache: HttpCache;
}

/** How long to wait before looking again whether the event loop has calmed down, ms. */
const busyWaitMs = 250;
/** URLs remembered as asked for, so that none is asked for twice in a row. */
const mostRemembered = 1_000;
/** Documents with speculation rules that one page may name. */
const mostRules = 2;

export class Prefetcher implements JobHost {
  readonly #context: PrefetcherContext;
  readonly #transport: Transport;
  readonly #policy: PrefetchPolicy;
  readonly #load = eventLoopLoad();
  #session: PageTransport | null = null;
  #queue: PrefetchTarget[] = [];
  readonly #active = new Map<string, PrefetchJob>();
  /** Prefetched and not used yet, with their bytes. */
  readonly #unused = new Map<string, number>();
  readonly #asked = new Set<string>();
  #pages = 0;
  #left = { requests: 0, bytes: 0 };
  #retry: NodeJS.Timeout | null = null;
  #waiters: Array<() => void> = [];
  readonly #totals: PrefetchTotals = { ...noPrefetches };
  #closed = false;

  constructor(context: PrefetcherContext) {
    this.#context = context;
    const { options, prefetch } = context;
    const protocol = options.protocol === 'h2' ? 'h2' : 'persistent';
    const connections = protocol === 'h2' ? 1 : prefetch.concurrency;
    this.#policy = new PrefetchPolicy(prefetch);
    this.#transport = new Transport({ ...options, protocol, connections });
  }

  totals(): PrefetchTotals {
    return { ...this.#totals };
  }

  /** A page begins to load. */
  pageBegins(url: string): void {
    this.#pages++;
    this.#queue = [];
    for (const job of this.#active.values()) {
      const { target } = job;
      if (job.isAdopted || target.url === url || target.document === url) continue;
      this.giveUp(job, 'a page is loading');
    }
    this.#rest();
  }

  /** A page has loaded. @param url of its document. @param rules where its speculation rules are. */
  pageEnds(url: string, hints: readonly Hint[], rules: readonly string[]): void {
    this.#pages--;
    const { maxRequests, maxBytes } = this.#context.prefetch;
    this.#left = { requests: maxRequests, bytes: maxBytes };
    const asRules = rules.slice(0, mostRules).map(
      (each): PrefetchTarget => ({
        url: each,
        kind: 'other',
        probability: 1,
        document: url,
        isRules: true,
      }),
    );
    this.#queue = [...asRules, ...this.#targets(hints, url)];
    this.#pump();
  }

  /** What is under way for a URL, for the page to adopt. */
  take(url: string): PrefetchJob | null {
    const job = this.#active.get(url);
    if (job === undefined || job.isAdopted || job.isRefused || job.validation !== null) return null;
    return job;
  }

  /** A page was answered out of the cache: was it thanks to a prefetch? Each counts once. */
  use(url: string): boolean {
    const bytes = this.#unused.get(url);
    if (bytes === undefined) return false;
    this.#unused.delete(url);
    this.#totals.used++;
    this.#totals.usedBytes += bytes;
    return true;
  }

  /** Resolves when nothing is under way and nothing waits to be sent. */
  async idle(): Promise<void> {
    while (!this.#isIdle) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  close(): void {
    this.#closed = true;
    this.#queue = [];
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    this.#transport.close();
    this.#wake();
  }

  headersCame(job: PrefetchJob): string | null {
    const { status = 0, headers = [] } = job.head ?? {};
    if (status === 304 && job.validation !== null) return null;
    // A redirect may lead anywhere, to logout for one: only who asks for a page follows it.
    if (status !== 200) return `status ${status}`;
    const length = headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1];
    if (Number(length ?? 0) > this.#room) return 'too large';
    if (job.target.isRules) return null;
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

  giveUp({ exchange }: PrefetchJob, reason: string): void {
    if (exchange === null) return;
    // Not from inside the parser that is handing on its bytes.
    const error = new LoaderError('aborted', `prefetch: ${reason}`);
    queueMicrotask(() => this.#session?.cancel([exchange], error));
  }

  over(job: PrefetchJob): void {
    const { url } = job.target;
    this.#active.delete(url);
    if (job.isAdopted) this.#count(job.bytes);
    else if (job.target.isRules) this.#follow(job);
    else if (job.state === 'whole' && !job.isRefused && this.#keep(job)) {
      this.#totals.kept++;
      this.#unused.set(url, job.bytes);
    } else this.#totals.dropped++;
    this.#rest();
    this.#pump();
    this.#wake();
  }

  /** Bytes that one more body may have. */
  get #room(): number {
    return Math.min(this.#left.bytes, this.#context.prefetch.maxResourceBytes);
  }

  get #isIdle(): boolean {
    return this.#active.size === 0 && (this.#queue.length === 0 || this.#closed);
  }

  #targets(hints: readonly Hint[], pageUrl: string): PrefetchTarget[] {
    return merged(hints)
      .filter((hint) => this.#policy.mayPrefetch(hint, pageUrl))
      .map(({ url, probability, kind }) => ({
        url,
        kind: kind === 'document' ? 'document' : kindOfName(url),
        probability,
        document: url,
      }));
  }

  #count(bytes: number): void {
    this.#totals.kept++;
    this.#totals.used++;
    this.#totals.usedBytes += bytes;
  }

  #keep(job: PrefetchJob): boolean {
    const { cache } = this.#context;
    const { request, exchange, validation } = job;
    const response = job.response(wallTime);
    if (response === null || !exchange?.inStep || !exchange.framed) return false;
    if (response.status === 304) {
      if (validation === null) return false;
      cache.freshen(request, validation, response);
    } else {
      const { body } = job;
      cache.store([{ request, response, body }]);
      this.#goDeeper(job, body);
    }
    return true;
  }

  /** What speculation rules name. */
  #follow({ body, head, target, state }: PrefetchJob): void {
    const coding = head?.headers.find(([name]) => name.toLowerCase() === 'content-encoding')?.[1];
    const text = decodeWhole(coding ?? '', body, this.#context.options.limits);
    if (state !== 'whole' || text === null) return;
    const { hints } = parseSpeculationRules(text.toString(), target.url);
    this.#queue.push(...this.#targets(hints, target.document));
  }

  /** What a prefetched document needs. */
  #goDeeper({ head, target }: PrefetchJob, body: Buffer): void {
    const { prefetch, options } = this.#context;
    if (!prefetch.subresources || target.kind !== 'document' || head === null) return;
    const value = (name: string) =>
      head.headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? '';
    const contentType = value('content-type');
    if (!/^text\/html/i.test(contentType)) return;
    const bytes = decodeWhole(value('content-encoding'), body, options.limits);
    if (bytes === null) return;
    const { url, probability } = target;
    const found: PrefetchTarget[] = [];
    const scanner = createScanner({
      url,
      contentType,
      onReference: (reference) => {
        const isOwn = new URL(reference.url).origin === new URL(url).origin;
        if (isOwn && found.length < prefetch.maxRequests) {
          found.push({ url: reference.url, kind: reference.kind, probability, document: url });
        }
      },
    });
    scanner.write(bytes);
    scanner.end();
    this.#queue.unshift(...found);
  }

  #pump(): void {
    if (this.#closed || this.#pages > 0) return;
    const { concurrency, maxLoad } = this.#context.prefetch;
    while (this.#active.size < concurrency && this.#left.requests > 0 && this.#left.bytes > 0) {
      const [target] = this.#queue;
      if (target === undefined) return;
      if (this.#load() >= maxLoad) {
        this.#waitForCalm();
        return;
      }
      this.#queue.shift();
      this.#start(target);
    }
    // What does not fit any more is not waited for.
    if (this.#left.requests <= 0 || this.#left.bytes <= 0) this.#queue = [];
  }

  #waitForCalm(): void {
    this.#retry ??= setTimeout(() => {
      this.#retry = null;
      this.#pump();
      this.#wake();
    }, busyWaitMs).unref();
  }

  #start(target: PrefetchTarget): void {
    const { cache } = this.#context;
    const { url } = target;
    if (this.#active.has(url) || this.#asked.has(url)) return;
    const request = this.#request(target);
    const found = cache.lookup(request);
    if (found.kind === 'hit' || found.kind === 'unavailable') return;
    const validation = found.kind === 'validate' ? found.validation : null;
    this.#remember(url);
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

  #request({ url, kind, document }: PrefetchTarget) {
    const { options, cookies } = this.#context;
    const target = new URL(url);
    const headers = requestHeaders(
      {
        url: target,
        kind,
        page: document === url ? null : new URL(document),
        askedOrigin: target.origin,
        referrerPolicy: defaultReferrerPolicy,
        cookie: cookies.header(target),
      },
      options,
    );
    return { method: 'GET', url, headers };
  }

  #remember(url: string): void {
    this.#asked.add(url);
    const [oldest] = this.#asked;
    if (this.#asked.size > mostRemembered && oldest !== undefined) this.#asked.delete(oldest);
  }

  /** Nothing is under way: the connections wait for the next time. */
  #rest(): void {
    if (this.#active.size > 0) return;
    this.#session?.leave();
    this.#session = null;
  }

  #wake(): void {
    for (const wake of this.#waiters.splice(0)) wake();
  }
}

/** What an embedded object is most likely to be: it decides what the request accepts. */
function kindOfName(url: string): ResourceKind {
  const [, extension = ''] = /\.([a-z0-9]+)$/i.exec(new URL(url).pathname) ?? [];
  if (/^(?:gif|png|jpe?g|webp|avif|svg|ico|bmp)$/i.test(extension)) return 'image';
  if (/^css$/i.test(extension)) return 'stylesheet';
  return /^m?js$/i.test(extension) ? 'script' : 'other';
}

function wallTime(at: number): number {
  return Date.now() - performance.now() + at;
}
