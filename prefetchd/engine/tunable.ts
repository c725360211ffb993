// Holds threshold, window, limit and settings of speculation rules, which can change at runtime. A request for hints
// can set threshold and limit for itself.

import { checked } from '../../options/options.ts';
import { invalidOption } from '../errors.ts';
import { limitKind, thresholdKind } from '../model/model-kinds.ts';
import { type SpeculationSettings, speculationIn } from '../wire/speculation-settings.ts';
import { type ChoiceTuning, checkTuning, type Tuning } from './prefetchd-options.ts';

export class Tunable {
  /** Number of changes so far. */
  changes = 0;
  #tuning: Readonly<Tuning>;

  constructor({ threshold, window, limit, ...others }: Readonly<Tuning>) {
    this.#tuning = {
      threshold,
      window,
      limit,
      ...(speculationIn(others) as SpeculationSettings),
    };
  }

  get now(): Readonly<Tuning> {
    return this.#tuning;
  }

  /** Changes the settings that are given. @throws PrefetchdError `invalid-option`; nothing is changed then */
  change({ threshold, window, limit, ...others }: Partial<Tuning>): Readonly<Tuning> {
    const tuning = {
      ...this.#tuning,
      ...(threshold !== undefined && { threshold }),
      ...speculationIn(others),
      ...(window !== undefined && { window }),
      ...(limit !== undefined && { limit }),
    };
    checkTuning(tuning);
    this.#tuning = tuning;
    this.changes++;
    return tuning;
  }

  /** Threshold and limit of a request that may override them. @throws PrefetchdError `invalid-option` */
  of(question: Partial<ChoiceTuning>): ChoiceTuning {
    const { threshold = this.#tuning.threshold, limit = this.#tuning.limit } = question;
    // This runs for each request for hints, so it checks no more than needed.
    checked(thresholdKind, threshold, invalidOption, { name: 'threshold' });
    checked(limitKind, limit, invalidOption, { name: 'limit' });
    return { threshold, limit };
  }
}
