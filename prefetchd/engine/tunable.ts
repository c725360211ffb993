// p, w and i as they stand: changed while it runs, and others for a single question.

import { checked } from '../../options/options.ts';
import { invalidOption } from '../errors.ts';
import { limitKind, thresholdKind } from '../model/model-kinds.ts';
import { checkTuning, type Tuning } from './prefetchd-options.ts';

export class Tunable {
  /** How often they were changed. */
  changes = 0;
  #tuning: Readonly<Tuning>;

  constructor({ threshold, window, limit }: Readonly<Tuning>) {
    this.#tuning = { threshold, window, limit };
  }

  get now(): Readonly<Tuning> {
    return this.#tuning;
  }

  /** @throws PrefetchdError `invalid-option`; then nothing is changed */
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

  /** p and i of a question that may bring its own. @throws PrefetchdError `invalid-option` */
  of(question: Partial<Pick<Tuning, 'threshold' | 'limit'>>): Pick<Tuning, 'threshold' | 'limit'> {
    if (question.threshold === undefined && question.limit === undefined) return this.#tuning;
    const { threshold = this.#tuning.threshold, limit = this.#tuning.limit } = question;
    // Of each request that brings its own, so no more than needed.
    checked(thresholdKind, threshold, invalidOption, { name: 'threshold' });
    checked(limitKind, limit, invalidOption, { name: 'limit' });
    return { threshold, limit };
  }
}
