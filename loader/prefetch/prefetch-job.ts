// One prefetch in flight. It buffers the response, whole or in parts, and hands it to a page that adopts it; the
// page sees an ordinary exchange from the first byte. Once the job has ended or was cancelled, later events of the
// transport are ignored.

import type { HeaderPair } from '../../http/header-pairs.ts';
import type { CacheRequest } from '../cache/entry.ts';
import type { Validation } from '../cache/http-cache.ts';
import type { LoaderError } from '../errors.ts';
import type { Batch, Exchange, ExchangeHandler, ResponseHead } from '../transport/exchange.ts';
import { type Adopting, Adoption } from './adoption.ts';
import type { DocumentScan } from './document-scan.ts';
import { BodyBuffer, type Parts } from './parts.ts';
import type { PrefetchTarget } from './targets.ts';
import { isForPages } from './usable-response.ts';

/** The owner of the jobs. */
export interface JobHost {
  /** The header section has arrived, as that of a whole response. @returns Why to cancel; null: continue. */
  headersCame(job: PrefetchJob, head: ResponseHead): string | null;
  /** @returns Why to cancel if no caller waits for the job; null: continue. */
  bytesCame(job: PrefetchJob, bytes: number): string | null;
  /** A part has ended, and the job waits to request the next one. */
  waits(job: PrefetchJob): void;
  /** The job's exchange is no longer needed. */
  gaveUp(job: PrefetchJob, reason: string): void;
  /** The job is complete or failed; nothing follows. */
  ended(job: PrefetchJob): void;
}

export class PrefetchJob implements ExchangeHandler {
  readonly target: PrefetchTarget;
  /** The cache's view of the request: without Sec-Purpose, conditions and ranges. */
  readonly request: CacheRequest;
  readonly validation: Validation | null;
  /** The exchange of the latest request. */
  exchange: Exchange | null = null;
  /** The batch of the request whose response brought the header section. */
  batch: Batch | null = null;
  /** The head of the response, converted to that of a whole response if it came in parts. */
  head: ResponseHead | null = null;
  state: 'under way' | 'whole' | 'failed' = 'under way';
  /** The job was cancelled; whatever still arrives is ignored. */
  isRefused = false;
  /** Nothing is in flight, and the next request is to be sent. */
  isWaiting = false;
  /** Scans the body until a page adopts it; null: no scan. */
  scan: DocumentScan | null = null;
  /** Resolves when the job is over and its response is known to belong to its request or was withdrawn. */
  readonly proven: Promise<void>;

  readonly #host: JobHost;
  /** null: the body is requested whole. */
  #parts: Parts | null;
  #body = new BodyBuffer();
  #adoption: Adoption | null = null;
  #isAwaited = false;
  #isOver = false;
  #prove: () => void;

  /** @param parts null: the body is requested whole. */
  constructor(
    host: JobHost,
    target: PrefetchTarget,
    request: CacheRequest,
    validation: Validation | null,
    parts: Parts | null = null,
  ) {
    this.#host = host;
    this.target = target;
    this.request = request;
    this.validation = validation;
    this.#parts = parts;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.proven = promise;
    this.#prove = resolve;
  }

  get isAdopted(): boolean {
    return this.#adoption !== null;
  }

  /** Whether a page adopted the job or a caller waits for it, so that it is no longer speculative. */
  get isWanted(): boolean {
    return this.isAdopted || this.#isAwaited;
  }

  /** Whether the body comes or may come in parts, so that no request brings more than it asked for. */
  get mayBeInParts(): boolean {
    return this.#parts !== null && !this.#parts.isAlone;
  }

  /**
   * Length of the body so far as received, bytes; if it came as the difference to a dictionary, that of the difference.
   */
  receivedBytes = 0;

  /** Length of the body so far, bytes. */
  get bytes(): number {
    return this.#body.bytes;
  }

  get body(): Buffer {
    return this.#body.body;
  }

  /** Whether a page's request may adopt it. */
  get isFit(): boolean {
    if (this.isAdopted || this.isRefused || this.state === 'failed') return false;
    if (this.validation !== null || this.target.isRules) return false;
    return this.head === null || isForPages(this.head);
  }

  /**
   * Additional fields of the next request. @param partBytes Size of a part; ignored if a caller waits for the body.
   */
  ask(partBytes: number): HeaderPair[] {
    const conditions = this.bytes === 0 ? (this.validation?.conditions ?? []) : [];
    const range = this.#parts?.ask(this.isWanted ? null : partBytes) ?? [];
    return [...conditions, ...range];
  }

  /** Records the request as in flight. */
  asked(exchange: Exchange): void {
    this.isWaiting = false;
    this.exchange = exchange;
    if (this.#adoption !== null) this.#adoption.resource.exchange = exchange;
  }

  /** Hands the job to a page. `unfit` is called at most once, if the page cannot use the response. */
  adopt(resource: Adopting, unfit: () => void): void {
    const adoption = new Adoption(resource, unfit, (error) => {
      this.giveUp(error.message);
      this.#adoption = null;
      resource.onError(error, performance.now());
    });
    this.#adoption = adoption;
    this.#endScan();
    if (this.head !== null) adoption.begin(this.head, this.#body.take());
    if (this.state === 'whole') adoption.pass((page) => page.onEnd(performance.now()));
    if (this.isWaiting) this.#host.waits(this);
  }

  /** Registers a waiting caller; missing parts are requested at once. */
  want(): void {
    this.#isAwaited = true;
    if (this.isWaiting) this.#host.waits(this);
  }

  /** Cancels the job without notifying a page that adopted it. */
  giveUp(reason: string): void {
    if (this.isRefused || this.state !== 'under way') return;
    this.isRefused = true;
    this.release();
    this.#endScan();
    this.#body.take();
    if (this.isWaiting) this.#fail();
    else this.#host.gaveUp(this, reason);
  }

  /** Ends the job: no events follow, not even doubts. A page may still be processing a complete response. */
  over(): void {
    this.#isOver = true;
    if (this.state !== 'whole') this.release();
    this.#endScan();
    this.#prove();
  }

  /** Stops delivery, because the page was stopped. */
  release(): void {
    this.#adoption?.end();
    this.#adoption = null;
  }

  /** Called if a received part may belong to another response. */
  doubted(): void {
    if (this.state === 'under way') this.#unfit('a part of it may be of another resource');
    this.isRefused = true;
  }

  onSent(batch: Batch): void {
    if (this.head === null) this.batch = batch;
  }

  onInterim(status: number, headers: HeaderPair[]): void {
    this.#adoption?.resource.onInterim?.(status, headers);
  }

  onHeaders(head: ResponseHead): void {
    if (this.state !== 'under way' || this.isRefused) return;
    const fit = this.#parts?.begin(head) ?? 'whole';
    if (fit === 'wrong') this.#unfit('not the part that was asked for');
    // The header section of the first part represents all parts.
    if (fit === 'wrong' || this.head !== null) return;
    const whole = fit === 'whole' ? head : (this.#parts?.wholeHead(head) ?? head);
    // A part that cannot be combined with others is discarded.
    if (fit !== 'alone') this.head = whole;
    const adoption = this.#adoption;
    if (adoption === null) {
      const reason = this.#host.headersCame(this, whole);
      if (reason !== null) this.giveUp(reason);
    } else if (!isForPages(whole)) {
      // A refusal may apply to prefetches only, so the adopting page asks again; it follows redirects by itself.
      this.#unfit(`status ${head.status}, for prefetches`);
    } else if (this.head !== null) {
      adoption.begin(this.head, this.#body.take());
    }
  }

  onData(chunk: Buffer, receivedBytes = chunk.length): void | Promise<void> {
    if (this.state !== 'under way') return undefined;
    this.#body.bytes += chunk.length;
    this.receivedBytes += receivedBytes;
    const reason = this.#host.bytesCame(this, receivedBytes);
    if (this.#parts?.take(chunk.length) === false) this.#unfit('more bytes than the part has');
    if (this.isRefused) return undefined;
    if (this.#adoption !== null) {
      return this.#adoption.pass((page) => page.onData(chunk, receivedBytes));
    }
    if (reason !== null) this.giveUp(reason);
    else if (this.head !== null) {
      this.#body.add(chunk);
      return this.scan?.write(chunk);
    }
    return undefined;
  }

  onEnd(endedAt: number): void {
    if (this.state !== 'under way') return;
    if (!this.isRefused && this.#parts?.isBegun && !this.#isComplete(this.#parts)) return;
    this.state = 'whole';
    this.#adoption?.pass((page) => page.onEnd(endedAt));
    this.#host.ended(this);
  }

  onRestart(): void {
    if (this.state !== 'under way') {
      // The response may belong to another request, so it is not stored, and only the page repeats the request.
      this.isRefused = true;
      if (this.exchange !== null) this.exchange.cancel();
      if (this.#isOver) return;
      const adoption = this.#adoption;
      this.release();
      adoption?.isUnfit();
      return;
    }
    this.#body.dropComing();
    this.receivedBytes = this.bytes;
    this.#parts?.restart();
    if (this.bytes > 0) {
      // The page has received earlier parts and cannot take back a single part.
      if (this.isAdopted) this.#unfit('a part of it broke off');
      return;
    }
    this.head = null;
    this.#endScan();
    this.#adoption?.restart();
  }

  onError(error: LoaderError, _atMs: number): void {
    if (this.state !== 'under way') return;
    this.#unfit(error.message);
    this.#fail();
  }

  #fail(): void {
    if (this.state !== 'under way') return;
    this.state = 'failed';
    this.#host.ended(this);
  }

  #endScan(): void {
    this.scan?.stop();
    this.scan = null;
  }

  /** Ends a part. @returns Whether it was the last one; if not, the job waits or has failed. */
  #isComplete(parts: Parts): boolean {
    this.isWaiting = true;
    if (parts.isAlone) {
      this.#parts = null;
      this.#body = new BodyBuffer();
    } else if (!parts.end() || !this.exchange?.attempt.inStep) {
      this.#unfit('a part of it is not all there');
      return false;
    }
    this.#body.keep();
    const { isWhole } = parts;
    this.isWaiting = !isWhole;
    if (!isWhole) this.#host.waits(this);
    return isWhole;
  }

  /** Cancels the job; a page that adopted it sends its own request. */
  #unfit(reason: string): void {
    const adoption = this.#adoption;
    this.giveUp(reason);
    adoption?.isUnfit();
  }
}
