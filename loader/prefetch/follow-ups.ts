// What follows from what came, in the order in which it waits to be asked for: a page's hints, what a rules document
// names, and what a document needs, right behind it and perhaps while it still comes.

import type { LimitOptions } from '../options.ts';
import type { ResponseHead } from '../transport/exchange.ts';
import type { PrefetchJob } from './prefetch-job.ts';
import type { PrefetchOptions } from './prefetch-options.ts';
import { Queue } from './queue.ts';
import { type HintingPage, Targets } from './targets.ts';

export class FollowUps {
  readonly waiting = new Queue();
  readonly #targets: Targets;
  readonly #subresources: boolean;
  readonly #onFound: () => void;

  /** @param onFound more waits than before. */
  constructor(options: Required<PrefetchOptions>, limits: LimitOptions, onFound: () => void) {
    this.#targets = new Targets(options, limits);
    this.#subresources = options.subresources;
    this.#onFound = onFound;
  }

  /** What waits already is of a page that loaded at the same time. */
  pageEnds(page: HintingPage): void {
    this.waiting.addFirst(this.#targets.ofPage(page));
  }

  /** A document begins to come, and is wanted so far. */
  begins(job: PrefetchJob, head: ResponseHead): void {
    if (this.#subresources) job.scan = this.#targets.scan(job, head, () => this.#found(job));
  }

  /** All that it needs is known. @param then called at once, where nothing is looked for. */
  scanned({ scan }: PrefetchJob, then: () => void): void {
    if (scan === null) then();
    else void scan.end().then(then);
  }

  /** It came, whole, and is proven. */
  came(job: PrefetchJob): void {
    if (job.target.isRules) this.waiting.addLast(this.#targets.ofRules(job));
    else this.#need(job);
  }

  /** It is of no use, so nothing that it needs is. */
  dropped({ target }: PrefetchJob): void {
    this.waiting.dropOf(target.url);
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

  #need(job: PrefetchJob): void {
    this.waiting.addFirstOf(job.target.url, this.#targets.ofDocument(job));
  }
}
