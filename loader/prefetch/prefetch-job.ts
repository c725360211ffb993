// One prefetch under way: it gathers what comes, and hands it over to the page that turns out to want it,
// from the first byte on. Who adopts it sees an ordinary exchange.

import type { CacheRequest, CacheResponse } from '../cache/entry.ts';
import type { Validation } from '../cache/http-cache.ts';
import type { LoaderError } from '../errors.ts';
import type { ResourceKind } from '../page-load.ts';
import type { Batch, Exchange, ExchangeHandler, ResponseHead } from '../transport/exchange.ts';

export interface PrefetchTarget {
  url: string;
  kind: ResourceKind;
  probability: number;
  /** The document it is for: itself, or the one that needs it. */
  document: string;
  /** It is no resource but a document of speculation rules. */
  isRules?: true;
}

/** What watches over the jobs. */
export interface JobHost {
  /** The header section came. @returns why it is given up; null: go on. */
  headersCame(job: PrefetchJob): string | null;
  /** @returns why it is given up; null: go on. */
  bytesCame(job: PrefetchJob, bytes: number): string | null;
  giveUp(job: PrefetchJob, reason: string): void;
  /** It came whole, or failed; nothing follows. */
  over(job: PrefetchJob): void;
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
  head: ResponseHead | null = null;
  /** Bytes of the body so far, as they came. */
  bytes = 0;
  state: 'under way' | 'whole' | 'failed' = 'under way';
  /** Given up; what still comes of it is of no use. */
  isRefused = false;

  readonly #host: JobHost;
  #batch: Batch | null = null;
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

  /** As a cache sees it. @param wallTime from a monotonic time to the wall clock, ms. */
  response(wallTime: (at: number) => number): CacheResponse | null {
    if (this.head === null) return null;
    const { status, statusText, headers, startedAt } = this.head;
    const requestedAtMs = wallTime(this.#batch?.sentAt ?? startedAt);
    return { status, statusText, headers, requestedAtMs, receivedAtMs: wallTime(startedAt) };
  }

  /** From now on it is the page's. `unfit` is called, at most once, when the page cannot use it. */
  adopt(resource: ExchangeHandler, unfit: () => void): void {
    this.#adopter = { resource, unfit, tail: Promise.resolve(), begun: false };
    if (this.head !== null) this.#begin(this.head);
    if (this.state === 'whole') this.#pass((adopter) => adopter.onEnd(performance.now()));
  }

  /** The page wants it no more. */
  abandon(reason: string): void {
    this.#adopter = null;
    this.#host.giveUp(this, reason);
  }

  onSent(batch: Batch): void {
    this.#batch = batch;
  }

  onHeaders(head: ResponseHead): void {
    this.head = head;
    const reason = this.isAdopted ? null : this.#host.headersCame(this);
    if (reason !== null) this.#giveUp(reason);
    else if (this.#adopter !== null) this.#begin(head);
  }

  onData(chunk: Buffer): void | Promise<void> {
    this.bytes += chunk.length;
    if (this.#adopter !== null) return this.#pass((adopter) => adopter.onData(chunk));
    const reason = this.isRefused ? null : this.#host.bytesCame(this, chunk.length);
    if (reason !== null) this.#giveUp(reason);
    else if (!this.isRefused) this.#chunks.push(Buffer.from(chunk));
    return undefined;
  }

  onEnd(endedAt: number): void {
    this.state = 'whole';
    if (this.#adopter !== null) this.#pass((adopter) => adopter.onEnd(endedAt));
    this.#host.over(this);
  }

  onRestart(): void {
    this.head = null;
    this.#chunks = [];
    this.bytes = 0;
    this.state = 'under way';
    const adopter = this.#adopter;
    if (adopter?.begun) adopter.resource.onRestart();
    if (adopter !== null) this.#adopter = { ...adopter, tail: Promise.resolve(), begun: false };
  }

  onError(_error: LoaderError, _atMs: number): void {
    if (this.state !== 'under way') return;
    this.state = 'failed';
    this.#refuse();
    this.#host.over(this);
  }

  #giveUp(reason: string): void {
    this.isRefused = true;
    this.#chunks = [];
    this.#host.giveUp(this, reason);
  }

  #begin(head: ResponseHead): void {
    // A refusal is for the prefetch, not for who really wants it; and only the page follows redirects.
    const adopter = this.#adopter;
    if (head.status !== 200) this.#refuse();
    if (head.status !== 200 || adopter === null) return;
    adopter.begun = true;
    adopter.resource.onHeaders({ ...head, startedAt: performance.now() });
    for (const chunk of this.#chunks) this.#pass((resource) => resource.onData(chunk));
    this.#chunks = [];
  }

  #refuse(): void {
    const adopter = this.#adopter;
    this.#adopter = null;
    if (adopter?.begun) adopter.resource.onRestart();
    adopter?.unfit();
  }

  /** In the order in which it came, each when the one before was taken. */
  #pass(step: (resource: ExchangeHandler) => void | Promise<void>): Promise<void> {
    const adopter = this.#adopter;
    if (adopter === null || !adopter.begun) return Promise.resolve();
    const next = adopter.tail.then(() => step(adopter.resource));
    adopter.tail = next.catch((error: LoaderError) => {
      if (this.#adopter !== adopter) return;
      this.#adopter = null;
      adopter.resource.onError(error, performance.now());
      this.#host.giveUp(this, error.message);
    });
    return adopter.tail;
  }
}
