// prefetchd without HTTP: it takes accesses and returns hints. This is the public contract; engine.ts implements it.

import { about } from '../../options/refusal.ts';
import type { Access } from '../access.ts';
import { invalidOption } from '../errors.ts';
import type { HoldbackReport } from '../holdback/report.ts';
import type { Hint } from '../wire/hint.ts';
import type { NotLearned, PrefetchdStats } from './counts.ts';
import { Engine } from './engine.ts';
import type { HintQuestion } from './hint-answer.ts';
import type { LeftOutUrl } from './left-out.ts';
import type { PrefetchdOptions, Tuning } from './prefetchd-options.ts';

export type { NotLearned, PrefetchdStats } from './counts.ts';
export type { HintQuestion } from './hint-answer.ts';
export type { LeftOutUrl } from './left-out.ts';

export interface Prefetchd extends AsyncDisposable {
  /** Resolves when the stored graph is loaded, or loading has failed, which `stats().store` reports. */
  readonly ready: Promise<void>;
  /** Learns an access and, if it names its `page`, that the client shows that page. Returns why it was not learned, or
   *  null. Never throws, whatever the access contains. */
  observe(access: Access): NotLearned | null;
  /** Returns at most `limit` hints above the threshold, best first. Learns nothing. @throws PrefetchdError
   *  `invalid-option` */
  hints(question: HintQuestion): Hint[];
  /** Changes threshold, window or limit of hints, or settings of speculation rules, from now on; returns all of them.
   *  `tune({})` changes none. @throws PrefetchdError `invalid-option`; nothing is changed then */
  tune(change: Partial<Tuning>): Readonly<Tuning>;
  stats(): PrefetchdStats;
  /** Returns the last 200 URLs that were left out because of their names or their responses, masked, with reason and
   *  count, and the pages with too few clients or above `maxHintBytes`; those with most accesses come first. */
  leftOut(): LeftOutUrl[];
  /** Returns the benefit of hints, measured by withholding them from some visitors; null without `holdback`. */
  report(): HoldbackReport | null;
  /** Resolves when everything learned so far is stored. @throws PrefetchdError `store-unwritable` */
  flush(): Promise<void>;
  /** Flushes and closes the store within five seconds; repeated calls return the same promise. Never rejects. */
  close(): Promise<void>;
}

/** Creates a prefetchd. @throws PrefetchdError `invalid-option`, `unknown-predictor` */
export function createPrefetchd(options: PrefetchdOptions = {}): Prefetchd {
  return new Engine(options);
}

/** Returns the engine of a Prefetchd, for the service and the middleware. @throws PrefetchdError `invalid-option` */
export function engineOf(prefetchd: Prefetchd): Engine {
  if (prefetchd instanceof Engine) return prefetchd;
  return invalidOption(...about('prefetchd', 'must be what createPrefetchd returned'));
}
