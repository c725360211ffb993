// prefetchd itself, without any HTTP: accesses in, hints out. Here is what it promises; engine.ts keeps it.

import type { Access } from '../access.ts';
import { PrefetchdError } from '../errors.ts';
import type { Hint } from '../wire/index.ts';
import type { NotLearned, PrefetchdStats } from './counts.ts';
import { Engine } from './engine.ts';
import type { HintQuestion } from './hint-question.ts';
import type { PrefetchdOptions, Tuning } from './prefetchd-options.ts';

export type { NotLearned, PrefetchdStats } from './counts.ts';
export type { HintQuestion } from './hint-question.ts';

export interface Prefetchd extends AsyncDisposable {
  /** What the store kept is there, or it was tried and failed, which stands in `stats().store`. */
  readonly ready: Promise<void>;
  /** Learn an access, and that its client shows the page it is part of. Why it was not learned, or null. Never throws for what an access may hold. */
  observe(access: Access): NotLearned | null;
  /** At most i hints above p, best first. Learns nothing. @throws PrefetchdError `invalid-option` */
  hints(question: HintQuestion): Hint[];
  /** Change p, w or i from now on; `tune({})` returns them. @throws PrefetchdError `invalid-option`; then nothing is changed */
  tune(change: Partial<Tuning>): Readonly<Tuning>;
  stats(): PrefetchdStats;
  /** Resolves when what was learned so far is in the store. @throws PrefetchdError `store-unwritable` */
  flush(): Promise<void>;
  /** Flushes and closes the store, within `closeTimeoutMs`; again: the same promise. Never rejects. */
  close(): Promise<void>;
}

/** @throws PrefetchdError `invalid-option`, `unknown-predictor` */
export function createPrefetchd(options: PrefetchdOptions = {}): Prefetchd {
  return new Engine(options);
}

/** What stands around the engine (service, middleware) needs more of it. @throws PrefetchdError `invalid-option` */
export function engineOf(prefetchd: Prefetchd): Engine {
  if (prefetchd instanceof Engine) return prefetchd;
  throw new PrefetchdError('invalid-option', 'prefetchd must be what createPrefetchd returned');
}
