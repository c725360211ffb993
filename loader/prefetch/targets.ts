// What follows from what came: the targets that a page hints at, that speculation rules name, that a prefetched
// document needs, as far as the policy lets them be asked for.

import type { Hint } from '../../prefetchd/wire.ts';
import type { LimitOptions } from '../options.ts';
import { merged } from './hints-of.ts';
import type { PrefetchJob } from './prefetch-job.ts';
import type { PrefetchOptions } from './prefetch-options.ts';
import { PrefetchPolicy } from './prefetch-policy.ts';
import {
  hintsOfRules,
  needsOf,
  type PrefetchSource,
  type PrefetchTarget,
  rulesTargets,
  targetOf,
} from './prefetch-target.ts';

/** A page that has loaded. */
export interface HintingPage {
  source: PrefetchSource;
  hints: readonly Hint[];
  /** Where its speculation rules are. */
  rules: readonly string[];
}

export class Targets {
  readonly #policy: PrefetchPolicy;
  readonly #limits: LimitOptions;

  constructor(options: Required<PrefetchOptions>, limits: LimitOptions) {
    this.#policy = new PrefetchPolicy(options);
    this.#limits = limits;
  }

  ofPage({ source, hints, rules }: HintingPage): PrefetchTarget[] {
    return [...rulesTargets(rules, source), ...this.#hinted(hints, source)];
  }

  ofRules({ body, head, target }: PrefetchJob): PrefetchTarget[] {
    const hints = hintsOfRules(head?.headers ?? [], body, target.url, this.#limits);
    return this.#hinted(hints, target.source);
  }

  ofDocument({ body, head, target }: PrefetchJob): PrefetchTarget[] {
    const { probability } = target;
    return needsOf(target, head?.headers ?? [], body, this.#limits).filter(({ url }) =>
      this.#policy.mayPrefetch({ url, probability, kind: 'object' }, target.url),
    );
  }

  #hinted(hints: readonly Hint[], source: PrefetchSource): PrefetchTarget[] {
    return merged(hints)
      .filter((hint) => this.#policy.mayPrefetch(hint, source.url) && source.follows(hint.url))
      .map((hint) => targetOf(hint, source))
      .filter(({ url }) => url !== source.url);
  }
}
