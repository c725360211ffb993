// p, w and i as they stand: changed while it runs, and others for a single question.

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
    const tuning = { ...this.#tuning, threshold, limit };
    checkTuning(tuning);
    return tuning;
  }
}
