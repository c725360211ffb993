// What follows from what came: the targets that a page hints at, that speculation rules name, that a prefetched
// document needs, as far as the policy lets them be asked for.

import { fieldValue } from '../../http/header-pairs.ts';
import type { Hint } from '../../prefetchd/wire/index.ts';
import type { LimitOptions } from '../options.ts';
import type { ResponseHead } from '../transport/exchange.ts';
import { DocumentScan } from './document-scan.ts';
import { merged } from './hints-of.ts';
import type { PrefetchJob } from './prefetch-job.ts';
import type { PrefetchOptions } from './prefetch-options.ts';
import { PrefetchPolicy } from './prefetch-policy.ts';
import {
  hintsOfRules,
  mayComeInParts,
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

  /**
   * Of a document that begins to come, what it needs. @param onFound `ofDocument` has something.
   * @returns null: it is no document that names anything.
   */
  scan({ target }: PrefetchJob, { headers }: ResponseHead, onFound: () => void) {
    const contentType = fieldValue(headers, 'content-type');
    const isDocument = target.kind === 'document' && !mayComeInParts(target);
    if (!isDocument || !/^text\/html/i.test(contentType)) return null;
    const contentEncoding = fieldValue(headers, 'content-encoding');
    const { url } = target;
    try {
      return new DocumentScan({ url, contentType, contentEncoding, limits: this.#limits, onFound });
    } catch {
      return null; // nobody can decode it
    }
  }

  /** What was found in it since it was last asked. */
  ofDocument({ scan, target }: PrefetchJob): PrefetchTarget[] {
    const { probability } = target;
    const found = (scan?.take() ?? []).map((need): PrefetchTarget => ({ ...target, ...need }));
    return found.filter(({ url }) =>
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
