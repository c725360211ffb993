// One prefetch under way: it gathers what comes, and hands it over to the page that turns out to want it,
// from the first byte on. Who adopts it sees an ordinary exchange. Once it ended, or was given up,
// nothing that the transport still tells changes it.

import type { CacheRequest, CacheResponse } from '../cache/entry.ts';
import type { Validation } from '../cache/http-cache.ts';
import type { LoaderError } from '../errors.ts';
import type { HeaderPair } from '../page-load.ts';
import type { Batch, Exchange, ExchangeHandler, ResponseHead } from '../transport/exchange.ts';
import type { PrefetchTarget } from './prefetch-target.ts';

/** What watches over the jobs. */
export interface JobHost {
  sent(batch: Batch): void;
  /** The header section came. @returns why it is given up; null: go on. */
  headersCame(job: PrefetchJob, head: ResponseHead): string | null;
  /** @returns why it is given up, if nobody waits for it; null: go on. */
  bytesCame(job: PrefetchJob, bytes: number): string | null;
  /** Its exchange is of no use any more. */
  gaveUp(job: PrefetchJob, reason: string): void;
  /** It came whole, or failed; nothing follows. */
  ended(job: PrefetchJob): void;
}

interface Adopter {
  resource: ExchangeHandler;
  /** It is not what the page can use: the page asks for itself. */
  unfit: () => void;
  /** Work on earlier bytes. */
  tail: Promise<void>;
  begun: boolean;
}

export class PrefetchJob implements ExchangeHandler {
  readonly target: PrefetchTarget;
  /** As a cache sees it: without Sec-Purpose and conditions. */
  readonly request: CacheRequest;
  readonly validation: Validation | null;
  exchange: Exchange | null = null;
  batch: Batch | null = null;
  head: ResponseHead | null = null;
  /** Bytes of the body so far, as they came. */
  bytes = 0;
  state: 'under way' | 'whole' | 'failed' = 'under way';
  /** Given up; what still comes of it is of no use. */
  isRefused = false;

  readonly #host: JobHost;
  #chunks: Buffer[] = [];
  #adopter: Adopter | null = null;

  constructor(
    host: JobHost,
    target: PrefetchTarget,
    request: CacheRequest,
    validation: Validation | null,
  ) {
    this.#host = host;
    this.target = target;
    this.request = request;
    this.validation = validation;
  }

  get isAdopted(): boolean {
    return this.#adopter !== null;
  }

  get body(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** May become the answer to a page's request. */
  get isFit(): boolean {
    if (this.isAdopted || this.isRefused || this.state === 'failed') return false;
    if (this.validation !== null || this.target.isRules) return false;
    return this.head === null || isForPages(this.head);
  }

  /** As a cache sees it. @param wallTime from a monotonic time to the wall clock, ms. */
  response(wallTime: (at: number) => number): CacheResponse | null {
    if (this.head === null) return null;
    const { status, statusText, headers, startedAt } = this.head;
    const requestedAtMs = wallTime(this.batch?.sentAt ?? startedAt);
    return { status, statusText, headers, requestedAtMs, receivedAtMs: wallTime(startedAt) };
  }

  /** From now on it is the page's. `unfit` is called, at most once, when the page cannot use it. */
  adopt(resource: ExchangeHandler, unfit: () => void): void {
    this.#adopter = { resource, unfit, tail: Promise.resolve(), begun: false };
    if (this.head !== null) this.#begin(this.head);
    if (this.state === 'whole') this.#pass((adopter) => adopter.onEnd(performance.now()));
  }

  /** Nobody wants it any more; who adopted it is told nothing. */
  giveUp(reason: string): void {
    if (this.isRefused || this.state !== 'under way') return;
    this.isRefused = true;
    this.#adopter = null;
    this.#chunks = [];
    this.#host.gaveUp(this, reason);
  }

  onSent(batch: Batch): void {
    this.batch = batch;
    this.#host.sent(batch);
  }

  onInterim(status: number, headers: HeaderPair[]): void {
    this.#adopter?.resource.onInterim?.(status, headers);
  }

  onHeaders(head: ResponseHead): void {
    if (this.state !== 'under way' || this.isRefused) return;
    this.head = head;
    if (this.isAdopted) {
      // A refusal is for the prefetch, not for who really wants it; and only the page follows redirects.
      if (isForPages(head)) this.#begin(head);
      else this.#unfit(`status ${head.status}, for prefetches`);
      return;
    }
    const reason = this.#host.headersCame(this, head);
    if (reason !== null) this.giveUp(reason);
  }

  onData(chunk: Buffer): void | Promise<void> {
    if (this.state !== 'under way') return undefined;
    this.bytes += chunk.length;
    const reason = this.#host.bytesCame(this, chunk.length);
    if (this.#adopter !== null) return this.#pass((adopter) => adopter.onData(chunk));
    if (this.isRefused) return undefined;
    if (reason !== null) this.giveUp(reason);
    // A copy: a chunk is a piece of a buffer that may hold much else.
    else this.#chunks.push(Buffer.from(chunk));
    return undefined;
  }

  onEnd(endedAt: number): void {
    if (this.state !== 'under way') return;
    this.state = 'whole';
    if (this.#adopter !== null) this.#pass((adopter) => adopter.onEnd(endedAt));
    this.#host.ended(this);
  }

  onRestart(): void {
    if (this.state !== 'under way') {
      // It turned out, too late, that it may be another's answer: not asked for again, and never stored.
      this.isRefused = true;
      if (this.exchange !== null) this.exchange.cancelled = true;
      return;
    }
    this.head = null;
    this.#chunks = [];
    this.bytes = 0;
    const adopter = this.#adopter;
    if (adopter === null) return;
    // Another one: steps that wait for the old one are void.
    this.#adopter = { ...adopter, tail: Promise.resolve(), begun: false };
    if (adopter.begun) adopter.resource.onRestart();
  }

  onError(error: LoaderError, _atMs: number): void {
    if (this.state !== 'under way') return;
    this.#unfit(error.message);
    this.state = 'failed';
    this.#host.ended(this);
  }

  #begin(head: ResponseHead): void {
    const adopter = this.#adopter;
    if (adopter === null) return;
    adopter.begun = true;
    adopter.resource.onHeaders(head);
    for (const chunk of this.#chunks) this.#pass((resource) => resource.onData(chunk));
    this.#chunks = [];
  }

  /** The page asks for itself. */
  #unfit(reason: string): void {
    const adopter = this.#adopter;
    this.giveUp(reason);
    if (adopter?.begun) adopter.resource.onRestart();
    adopter?.unfit();
  }

  /** In the order in which it came, each when the one before was taken. */
  #pass(step: (resource: ExchangeHandler) => void | Promise<void>): Promise<void> {
    const adopter = this.#adopter;
    if (adopter === null || !adopter.begun) return Promise.resolve();
    const next = adopter.tail.then(() =>
      this.#adopter === adopter ? step(adopter.resource) : undefined,
    );
    adopter.tail = next.catch((error: LoaderError) => {
      if (this.#adopter !== adopter) return;
      this.giveUp(error.message);
      this.#adopter = null;
      adopter.resource.onError(error, performance.now());
    });
    return adopter.tail;
  }
}

/** Not an answer that only a prefetch gets. */
export function isForPages({ status, headers }: ResponseHead): boolean {
  return status === 200 && !variesByPurpose(headers);
}

/** A page's request has no Sec-Purpose: it would have got another answer (RFC 9111 4.1). */
export function variesByPurpose(headers: readonly HeaderPair[]): boolean {
  return headers.some(
    ([name, value]) =>
      name.toLowerCase() === 'vary' && /(?:^|[\s,])sec-purpose(?:$|[\s,])/i.test(value),
  );
}
