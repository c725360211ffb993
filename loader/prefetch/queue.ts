// Targets that wait to be prefetched, in order: the hints of a page, then its speculation rules. The resources of a
// prefetched document come right after the document, possibly while it is still arriving.

import type { HintingPage } from '../page/hints-of.ts';
import type { ResponseHead } from '../transport/exchange.ts';
import type { PrefetchJob } from './prefetch-job.ts';
import type { PrefetchOptions } from './prefetch-options.ts';
import { type PrefetchTarget, Targets, type TargetsContext } from './targets.ts';

const most = 1_000;

export class PrefetchQueue {
  readonly #targets: Targets;
  readonly #subresources: boolean;
  readonly #onFound: () => void;
  #waiting: PrefetchTarget[] = [];

  /** @param onFound Called when the queue has grown. */
  constructor(options: Required<PrefetchOptions>, context: TargetsContext, onFound: () => void) {
    this.#targets = new Targets(options, context);
    this.#subresources = options.subresources;
    this.#onFound = onFound;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  get next(): PrefetchTarget | undefined {
    return this.#waiting[0];
  }

  /** Removes the first target. */
  shift(): void {
    this.#waiting.shift();
  }

  clear(): void {
    this.#waiting = [];
  }

  /** Inserts the page's targets at the front; targets that already wait are from a page loaded at the same time. */
  pageEnds(page: HintingPage): void {
    this.#insert(0, this.#targets.ofPage(page));
  }

  /** Called after the header section of a usable response, and starts to scan a document. */
  begins(job: PrefetchJob, head: ResponseHead): void {
    if (this.#subresources) job.scan = this.#targets.scan(job.target, head, () => this.#found(job));
  }

  /** Calls `then` once all resources of the document are known; immediately if there is no scan. */
  scanned({ scan }: PrefetchJob, then: () => void): void {
    if (scan === null) then();
    else void scan.end().then(then);
  }

  /** Called when the response is complete and known to belong to its request. */
  came(job: PrefetchJob): void {
    if (job.target.isRules) this.#insert(this.#waiting.length, this.#targets.ofRules(job));
    else this.#need(job);
  }

  /** Drops the resources of an unusable document. */
  dropped({ target }: PrefetchJob): void {
    this.#waiting = this.#waiting.filter(({ document }) => document !== target.url);
  }

  /**
   * Requests the resources of a document that is still arriving, if no other response can take its place: it is the
   * first on its connection, or has a stream id. On a reused connection a surplus earlier response may arrive late
   * and be mistaken for this one, because responses are assigned by order alone (RFC 9112 9.2). In that case the list
   * waits until the connection is known to be in sync.
   */
  #found(job: PrefetchJob): void {
    if (!job.exchange?.attempt.certain || job.state !== 'under way') return;
    this.#need(job);
    this.#onFound();
  }

  /** Inserts the document's resources after those already queued for it, or at the front if there are none. */
  #need(job: PrefetchJob): void {
    const { url } = job.target;
    const last = this.#waiting.findLastIndex(({ document }) => document === url);
    this.#insert(last + 1, this.#targets.ofDocument(job));
  }

  #insert(at: number, targets: readonly PrefetchTarget[]): void {
    this.#waiting = this.#waiting.toSpliced(at, 0, ...targets).slice(0, most);
  }
}
