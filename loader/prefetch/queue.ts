// Targets that wait to be prefetched, in order: the hints of a page, then its speculation rules. The resources of a
// prefetched document come right after the document.

import type { HintingPage } from '../page/hints-of.ts';
import type { PrefetchJob } from './prefetch-job.ts';
import type { PrefetchSettings } from './prefetch-options.ts';
import { type PrefetchTarget, Targets, type TargetsContext } from './targets.ts';

const most = 1_000;

export class PrefetchQueue {
  readonly #targets: Targets;
  #waiting: PrefetchTarget[] = [];

  constructor(options: PrefetchSettings, context: TargetsContext) {
    this.#targets = new Targets(options, context);
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

  /** Called when the response is complete and known to belong to its request. */
  came(job: PrefetchJob): void {
    if (job.target.isRules) this.#insert(this.#waiting.length, this.#targets.ofRules(job));
    else this.#insert(0, this.#targets.ofDocument(job));
  }

  #insert(at: number, targets: readonly PrefetchTarget[]): void {
    this.#waiting = this.#waiting.toSpliced(at, 0, ...targets).slice(0, most);
  }
}
