// The current p, w and i: adjustable at runtime, and p and i also per request for hints.

import { checked } from '../../options/options.ts';
import { invalidOption } from '../errors.ts';
import { limitKind, thresholdKind } from '../model/model-kinds.ts';
import { checkTuning, type Tuning } from './prefetchd-options.ts';

export class Tunable {
  /** Number of changes. */
  changes = 0;
  #tuning: Readonly<Tuning>;

  constructor({ threshold, window, limit }: Readonly<Tuning>) {
    this.#tuning = { threshold, window, limit };
  }

  get now(): Readonly<Tuning> {
    return this.#tuning;
  }

  /** @throws PrefetchdError `invalid-option`; nothing is changed then */
  change({ threshold, window, limit }: Partial<Tuning>): Readonly<Tuning> {
    const tuning = {
      ...this.#tuning,
      ...(threshold !== undefined && { threshold }),
      ...(window !== undefined && { window }),
      ...(limit !== undefined && { limit }),
    };
    checkTuning(tuning);
    this.#tuning = tuning;
    this.changes++;
    return tuning;
  }

  /** p and i of a request that may override them. @throws PrefetchdError `invalid-option` */
  of(question: Partial<Pick<Tuning, 'threshold' | 'limit'>>): Pick<Tuning, 'threshold' | 'limit'> {
    if (question.threshold === undefined && question.limit === undefined) return this.#tuning;
    const { threshold = this.#tuning.threshold, limit = this.#tuning.limit } = question;
    // Runs for each request that overrides them, so it checks no more than needed.
    checked(thresholdKind, threshold, invalidOption, { name: 'threshold' });
    checked(limitKind, limit, invalidOption, { name: 'limit' });
    return { threshold, limit };
  }
}
