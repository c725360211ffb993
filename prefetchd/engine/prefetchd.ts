// prefetchd itself, without any HTTP: accesses in, hints out. Here is what it promises; engine.ts keeps it.

import type { Access } from '../access.ts';
import type { Hint } from '../wire/index.ts';
import type { NotLearned, PrefetchdStats } from './counts.ts';
import { Engine } from './engine.ts';
import type { HintQuestion, PageHints } from './hint-question.ts';
import type { CheckedOptions, PrefetchdOptions, Tuning } from './prefetchd-options.ts';
import type { PrefetchdWatch } from './watch/watch.ts';

export type { NotLearned, PrefetchdStats } from './counts.ts';
export type { HintQuestion, PageHints } from './hint-question.ts';

export interface Prefetchd extends AsyncDisposable {
  /** What the store kept is there, or it was tried and failed, which stands in `stats().store`. */
  readonly ready: Promise<void>;
  /** Learn an access, and that its client shows the page it is part of. Why it was not learned, or null. Never throws for what an access may hold. */
  observe(access: Access): NotLearned | null;
  /** At most i hints above p, best first. Learns nothing. @throws PrefetchdError `invalid-option` */
  hints(question: HintQuestion): Hint[];
  /** Pages that have hints, of the `most` that are asked for most; each is looked up when it is taken. */
  pages(most: number): IterableIterator<PageHints>;
  /** Another number whenever hints may have changed. */
  readonly revision: number;
  /** A sign that the client shows a page, as a Referer is: its hint was of use. The first sign of a page that was
   *  prefetched is its visit, and is learned. */
  shown(client: string, url: string, timeMs?: number): void;
  /** An access that was dropped before it came here: counted. */
  dropped(reason: NotLearned): void;
  /** How busy the process is, 0..1. */
  readonly load: number;
  /** What it takes for the site, for who judges requests before they come here. */
  readonly site: Readonly<Pick<CheckedOptions, 'origin' | 'deny'>>;
  readonly tuning: Readonly<Tuning>;
  /** Change p, w or i from now on. @throws PrefetchdError `invalid-option`; then nothing is changed */
  tune(change: Partial<Tuning>): Readonly<Tuning>;
  stats(): PrefetchdStats;
  /** For people who look: costs something from the first question until some seconds after the last. */
  readonly watch: PrefetchdWatch;
  /** Resolves when what was learned so far is in the store. @throws PrefetchdError `store-unwritable` */
  flush(): Promise<void>;
  /** Flushes and closes the store, within `closeTimeoutMs`; again: the same promise. Never rejects. */
  close(): Promise<void>;
}

/** @throws PrefetchdError `invalid-option`, `unknown-predictor` */
export function createPrefetchd(options: PrefetchdOptions = {}): Prefetchd {
  return new Engine(options);
}
