// One prefetch in flight. The job buffers the response. A page that requests the URL meanwhile adopts the job, which is
// then an ordinary exchange to it from the first byte (Adoption). After its end or cancellation, transport events are
// ignored.

import type { HeaderPair } from '../../http/header-pairs.ts';
import type { CacheRequest } from '../cache/entry.ts';
import type { Validation } from '../cache/http-cache.ts';
import type { LoaderError } from '../errors.ts';
import type { Batch, Exchange, ExchangeHandler, ResponseHead } from '../transport/exchange.ts';
import type { PrefetchTarget } from './targets.ts';
import { isForPages } from './usable-response.ts';

/** The owner of the jobs, the prefetcher, which is told what happens to each job. */
export interface JobHost {
  sent(batch: Batch): void;
  /** Called when the header section has arrived. @returns why the job must be cancelled; null if it may continue */
  headersCame(job: PrefetchJob, head: ResponseHead): string | null;
  /** Called when bytes have arrived. @returns why a job that no page adopted must be cancelled; null: it need not */
  bytesCame(job: PrefetchJob, bytes: number): string | null;
  /** Called when the job was cancelled, so that its exchange is no longer needed. */
  gaveUp(job: PrefetchJob, reason: string): void;
  /** Called once, when the job is complete or has failed. */
  ended(job: PrefetchJob): void;
}

export class PrefetchJob implements ExchangeHandler {
  readonly target: PrefetchTarget;
  /** The request under which the cache looks up and stores the response: without Sec-Purpose and conditions. */
  readonly request: CacheRequest;
  readonly validation: Validation | null;
  exchange: Exchange | null = null;
  batch: Batch | null = null;
  head: ResponseHead | null = null;
  state: 'under way' | 'whole' | 'failed' = 'under way';
  /** true once the job was cancelled; bytes that still arrive are ignored. */
  isRefused = false;
  /** Resolves when the job is over: its response is known to answer its own request, or it failed or was cancelled. */
  readonly proven: Promise<void>;
  readonly #proof = Promise.withResolvers<void>();
  /** Length of the body so far, with dictionary compression removed, bytes. */
  bytes = 0;
  /**
   * Length of the body so far as received, bytes; less than `bytes` if it was compressed with a dictionary.
   */
  receivedBytes = 0;

  readonly #host: JobHost;
  #chunks: Buffer[] = [];
  #adoption: Adoption | null = null;
  #isOver = false;

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
    this.proven = this.#proof.promise;
  }

  get isAdopted(): boolean {
    return this.#adoption !== null;
  }

  get body(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** Whether a page's request may adopt the job (take over its response). */
  get isFit(): boolean {
    if (this.isAdopted || this.isRefused || this.state === 'failed') return false;
    if (this.validation !== null || this.target.isRules) return false;
    return this.head === null || isForPages(this.head);
  }

  /** Gives the response to a page that asks for it. `unfit` is called at most once, if the page cannot use it. */
  adopt(resource: ExchangeHandler, unfit: () => void): void {
    const adoption = new Adoption(resource, unfit, (error) => {
      this.giveUp(error.message);
      this.#adoption = null;
      resource.onError(error, performance.now());
    });
    this.#adoption = adoption;
    if (this.head !== null) adoption.begin(this.head, this.#chunks.splice(0));
    if (this.state === 'whole') adoption.pass((page) => page.onEnd(performance.now()));
  }

  /** Cancels the job without notifying a page that adopted it. */
  giveUp(reason: string): void {
    if (this.isRefused || this.state !== 'under way') return;
    this.isRefused = true;
    this.release();
    this.#chunks = [];
    this.#host.gaveUp(this, reason);
  }

  /** Ends the job: a page that took over the response gets no more of it, unless the response is complete. */
  over(): void {
    this.#isOver = true;
    if (this.state !== 'whole') this.release();
    this.#proof.resolve();
  }

  /** Stops delivering events to the page that adopted the job (took over its response). */
  release(): void {
    this.#adoption?.detach();
    this.#adoption = null;
  }

  onSent(batch: Batch): void {
    this.batch = batch;
    this.#host.sent(batch);
  }

  onInterim(status: number, headers: HeaderPair[]): void {
    this.#adoption?.resource.onInterim?.(status, headers);
  }

  onHeaders(head: ResponseHead): void {
    if (this.state !== 'under way' || this.isRefused) return;
    this.head = head;
    const adoption = this.#adoption;
    if (adoption === null) {
      const reason = this.#host.headersCame(this, head);
      if (reason !== null) this.giveUp(reason);
    } else if (isForPages(head)) {
      adoption.begin(head, []);
    } else {
      // A server may answer requests with Sec-Purpose: prefetch differently, so the page that waits for this response
      // sends its own request instead, which may also follow redirects.
      this.#unfit(`status ${head.status}, for prefetches`);
    }
  }

  onData(chunk: Buffer, receivedBytes = chunk.length): void | Promise<void> {
    if (this.state !== 'under way') return undefined;
    this.bytes += chunk.length;
    this.receivedBytes += receivedBytes;
    const reason = this.#host.bytesCame(this, receivedBytes);
    if (this.isRefused) return undefined;
    if (this.#adoption !== null) {
      return this.#adoption.pass((page) => page.onData(chunk, receivedBytes));
    }
    if (reason !== null) {
      this.giveUp(reason);
      return undefined;
    }
    // The chunk is copied, because it is a slice of a larger buffer that it would keep in memory.
    this.#chunks.push(Buffer.from(chunk));
    return undefined;
  }

  onEnd(endedAt: number): void {
    if (this.state !== 'under way') return;
    this.state = 'whole';
    this.#adoption?.pass((page) => page.onEnd(endedAt));
    this.#host.ended(this);
  }

  onRestart(): void {
    if (this.state !== 'under way') {
      // The response may answer another request, so it is not stored. Only a page that adopted it repeats the request.
      this.isRefused = true;
      if (this.exchange !== null) this.exchange.cancel();
      if (this.#isOver) return;
      const adoption = this.#adoption;
      this.release();
      adoption?.isUnfit();
      return;
    }
    this.#chunks = [];
    this.bytes = this.receivedBytes = 0;
    this.head = null;
    this.#adoption?.restart();
  }

  onError(error: LoaderError, _atMs: number): void {
    if (this.state !== 'under way') return;
    this.#unfit(error.message);
    this.state = 'failed';
    this.#host.ended(this);
  }

  /** Cancels the prefetch. A page that adopted it (waits for its response) sends a request of its own. */
  #unfit(reason: string): void {
    const adoption = this.#adoption;
    this.giveUp(reason);
    adoption?.isUnfit();
  }
}

/**
 * Delivers a prefetch to the page that adopted it: past and future events in order, each after the previous one was
 * processed. Events of an earlier attempt never reach the page.
 */
class Adoption {
  readonly resource: ExchangeHandler;
  readonly #unfit: () => void;
  readonly #onFailed: (error: LoaderError) => void;
  /** Resolves when the page that adopted the response has processed all of its events so far. */
  #tail: Promise<void> = Promise.resolve();
  /** Stands for the current attempt, so that events of earlier ones are dropped; null: no more events are delivered. */
  #attempt: object | null = {};
  #begun = false;

  /**
   * @param unfit Called if the response is unusable, so that the page sends its own request.
   * @param onFailed Called if the page's handler threw an error at an event of the response.
   */
  constructor(
    resource: ExchangeHandler,
    unfit: () => void,
    onFailed: (error: LoaderError) => void,
  ) {
    this.resource = resource;
    this.#unfit = unfit;
    this.#onFailed = onFailed;
  }

  begin(head: ResponseHead, chunks: Iterable<Buffer>): void {
    this.#begun = true;
    this.resource.onHeaders(head);
    for (const chunk of chunks) this.pass((resource) => resource.onData(chunk));
  }

  pass(step: (resource: ExchangeHandler) => void | Promise<void>): Promise<void> {
    if (!this.#begun) return Promise.resolve();
    const attempt = this.#attempt;
    const next = this.#tail.then(() =>
      attempt !== null && attempt === this.#attempt ? step(this.resource) : undefined,
    );
    this.#tail = next.catch((error: LoaderError) => {
      if (attempt === this.#attempt) this.#onFailed(error);
    });
    return this.#tail;
  }

  /** Drops the pending events, as the response starts over, and has the page start over, too. */
  restart(): void {
    this.#attempt = {};
    this.#tail = Promise.resolve();
    if (this.#begun) this.resource.onRestart();
    this.#begun = false;
  }

  /** Stops delivering the events of the response to the page that adopted it. */
  detach(): void {
    this.#attempt = null;
  }

  /** Tells the page that adopted the response to discard it, and to send its own request. */
  isUnfit(): void {
    if (this.#begun) this.resource.onRestart();
    this.#unfit();
  }
}
