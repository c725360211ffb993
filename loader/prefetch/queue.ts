// What waits to be prefetched, in the order in which it will be: what a page hints at, what its speculation rules name,
// and what a prefetched document needs, right behind the document and perhaps while that is still coming.

import type { LimitOptions } from '../options.ts';
import type { ResponseHead } from '../transport/exchange.ts';
import type { PrefetchJob } from './prefetch-job.ts';
import type { PrefetchOptions } from './prefetch-options.ts';
import { type HintingPage, type PrefetchTarget, Targets } from './targets.ts';

const most = 1_000;

export class PrefetchQueue {
  readonly #targets: Targets;
  readonly #subresources: boolean;
  readonly #onFound: () => void;
  #waiting: PrefetchTarget[] = [];

  /** @param onFound more waits than before. */
  constructor(options: Required<PrefetchOptions>, limits: LimitOptions, onFound: () => void) {
    this.#targets = new Targets(options, limits);
    this.#subresources = options.subresources;
    this.#onFound = onFound;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  get next(): PrefetchTarget | undefined {
    return this.#waiting[0];
  }

  /** The next one is dealt with. */
  shift(): void {
    this.#waiting.shift();
  }

  clear(): void {
    this.#waiting = [];
  }

  /** What waits already is of a page that loaded at the same time. */
  pageEnds(page: HintingPage): void {
    this.#insert(0, this.#targets.ofPage(page));
  }

  /** A document begins to come, and is wanted so far. */
  begins(job: PrefetchJob, head: ResponseHead): void {
    if (this.#subresources) job.scan = this.#targets.scan(job.target, head, () => this.#found(job));
  }

  /** All that it needs is known. @param then called at once, where nothing is looked for. */
  scanned({ scan }: PrefetchJob, then: () => void): void {
    if (scan === null) then();
    else void scan.end().then(then);
  }

  /** It came, whole, and is proven. */
  came(job: PrefetchJob): void {
    if (job.target.isRules) this.#insert(this.#waiting.length, this.#targets.ofRules(job));
    else this.#need(job);
  }

  /** It is of no use, and so is what it needs. */
  dropped({ target }: PrefetchJob): void {
    this.#waiting = this.#waiting.filter(({ document }) => document !== target.url);
  }

  /**
   * While a document still comes, what it needs is asked for if no other answer can stand in its place: it is the
   * first of its connection, or a stream with a number. On a connection that answered before, an answer too many
   * may have come late and be taken for this one; that shows when this one's own comes behind it, for order alone
   * tells whose a response is (RFC 9112 9.2). Such a list waits until the connection was seen to be quiet.
   */
  #found(job: PrefetchJob): void {
    if (!job.exchange?.attempt.certain || job.state !== 'under way') return;
    this.#need(job);
    this.#onFound();
  }

  /** Behind what waits for the same document, or first. */
  #need(job: PrefetchJob): void {
    const { url } = job.target;
    const last = this.#waiting.findLastIndex(({ document }) => document === url);
    this.#insert(last + 1, this.#targets.ofDocument(job));
  }

  #insert(at: number, targets: readonly PrefetchTarget[]): void {
    this.#waiting = this.#waiting.toSpliced(at, 0, ...targets).slice(0, most);
  }
}
