// One prefetch under way: it gathers what comes, in one response or in parts, and hands it over to the page that
// turns out to want it, from the first byte on. Who adopts it sees an ordinary exchange. Once it ended, or was
// given up, nothing that the transport still tells changes it.

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

/** What watches over the jobs. */
export interface JobHost {
  /** The header section came, as a whole response has it. @returns why it is given up; null: go on. */
  headersCame(job: PrefetchJob, head: ResponseHead): string | null;
  /** @returns why it is given up, if nobody waits for it; null: go on. */
  bytesCame(job: PrefetchJob, bytes: number): string | null;
  /** A part ended: it waits to ask for the next one. */
  waits(job: PrefetchJob): void;
  /** Its exchange is of no use any more. */
  gaveUp(job: PrefetchJob, reason: string): void;
  /** It came whole, or failed; nothing follows. */
  ended(job: PrefetchJob): void;
}

export class PrefetchJob implements ExchangeHandler {
  readonly target: PrefetchTarget;
  /** As a cache sees it: without Sec-Purpose, conditions and ranges. */
  readonly request: CacheRequest;
  readonly validation: Validation | null;
  /** The last one. */
  exchange: Exchange | null = null;
  /** Of the request that brought the header section. */
  batch: Batch | null = null;
  /** As a whole response has it. */
  head: ResponseHead | null = null;
  state: 'under way' | 'whole' | 'failed' = 'under way';
  /** Given up; what still comes of it is of no use. */
  isRefused = false;
  /** Nothing is under way: the next request is to be sent. */
  isWaiting = false;
  /** Looks through what comes, as long as no page does; null: nobody wants that. */
  scan: DocumentScan | null = null;
  /** Resolves when it is over, and what came is known to be the answer to its request, or was taken back. */
  readonly proven: Promise<void>;

  readonly #host: JobHost;
  /** null: it is asked for whole. */
  #parts: Parts | null;
  #body = new BodyBuffer();
  #adoption: Adoption | null = null;
  #isAwaited = false;
  #prove: () => void;

  /** @param parts null: it is asked for whole. */
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

  /** A page has it, or somebody waits for it: nothing of it is a guess any more. */
  get isWanted(): boolean {
    return this.isAdopted || this.#isAwaited;
  }

  /** It comes, or may come, in parts: no request brings more than was asked for. */
  get mayBeInParts(): boolean {
    return this.#parts !== null && !this.#parts.isAlone;
  }

  /** Bytes of the body so far, as they came. */
  get bytes(): number {
    return this.#body.bytes;
  }

  get body(): Buffer {
    return this.#body.body;
  }

  /** May become the answer to a page's request. */
  get isFit(): boolean {
    if (this.isAdopted || this.isRefused || this.state === 'failed') return false;
    if (this.validation !== null || this.target.isRules) return false;
    return this.head === null || isForPages(this.head);
  }

  /** What the next request says besides. @param partBytes how much it asks for, where nobody waits for the rest. */
  ask(partBytes: number): HeaderPair[] {
    const conditions = this.bytes === 0 ? (this.validation?.conditions ?? []) : [];
    const range = this.#parts?.ask(this.isWanted ? null : partBytes) ?? [];
    return [...conditions, ...range];
  }

  /** That request is under way. */
  asked(exchange: Exchange): void {
    this.isWaiting = false;
    this.exchange = exchange;
    if (this.#adoption !== null) this.#adoption.resource.exchange = exchange;
  }

  /** From now on it is the page's. `unfit` is called, at most once, when the page cannot use it. */
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

  /** Somebody waits until it is over, and it comes at once. */
  want(): void {
    this.#isAwaited = true;
    if (this.isWaiting) this.#host.waits(this);
  }

  /** Nobody wants it any more; who adopted it is told nothing. */
  giveUp(reason: string): void {
    if (this.isRefused || this.state !== 'under way') return;
    this.isRefused = true;
    this.release();
    this.#endScan();
    this.#body.take();
    if (this.isWaiting) this.#fail();
    else this.#host.gaveUp(this, reason);
  }

  /** Nothing more comes of it, doubts neither. */
  over(): void {
    this.release();
    this.#endScan();
    this.#prove();
  }

  /** Its page was stopped: it is told nothing more. */
  release(): void {
    this.#adoption?.end();
    this.#adoption = null;
  }

  /** A part that it has may be another's answer. */
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
    // (That of the first part stands for all.)
    if (fit === 'wrong' || this.head !== null) return;
    const whole = fit === 'whole' ? head : (this.#parts?.wholeHead(head) ?? head);
    // What nothing may follow is thrown away.
    if (fit !== 'alone') this.head = whole;
    const adoption = this.#adoption;
    if (adoption === null) {
      const reason = this.#host.headersCame(this, whole);
      if (reason !== null) this.giveUp(reason);
    } else if (!isForPages(whole)) {
      // A refusal is for the prefetch, not for who really wants it; and only the page follows redirects.
      this.#unfit(`status ${head.status}, for prefetches`);
    } else if (this.head !== null) {
      adoption.begin(this.head, this.#body.take());
    }
  }

  onData(chunk: Buffer): void | Promise<void> {
    if (this.state !== 'under way') return undefined;
    this.#body.bytes += chunk.length;
    const reason = this.#host.bytesCame(this, chunk.length);
    if (this.#parts?.take(chunk.length) === false) this.#unfit('more bytes than the part has');
    if (this.isRefused) return undefined;
    if (this.#adoption !== null) return this.#adoption.pass((page) => page.onData(chunk));
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
      // It turned out that it may be another's answer: never stored, and not asked for again but by its page.
      this.isRefused = true;
      if (this.exchange !== null) this.exchange.cancel();
      const adoption = this.#adoption;
      this.release();
      adoption?.isUnfit();
      return;
    }
    this.#body.dropComing();
    this.#parts?.restart();
    if (this.bytes > 0) {
      // What came before it the page has; it cannot be told to take back a part.
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

  /** A part ended. @returns whether it was the last; else it waits, or has failed. */
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

  /** The page, if there is one, asks for itself. */
  #unfit(reason: string): void {
    const adoption = this.#adoption;
    this.giveUp(reason);
    adoption?.isUnfit();
  }
}
