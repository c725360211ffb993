// Which hints are followed. Pure: what the loader knows comes in, what may be asked for goes out, best first.

import { mayHintRule, type UrlRule } from '../../prefetchd/rules/deny-list.ts';
import type { Hint } from '../../prefetchd/wire/index.ts';
import type { PrefetchOptions } from './prefetch-options.ts';

export class PrefetchPolicy {
  readonly #options: Required<PrefetchOptions>;
  readonly #mayFetch: UrlRule;

  constructor(options: Required<PrefetchOptions>) {
    this.#options = options;
    const query = options.queries ? 'keep' : 'drop-from-hints';
    this.#mayFetch = mayHintRule({ query, deny: options.deny });
  }

  /** A GET of it may be sent though nobody asked for it. @param pageUrl the page that hints it. */
  mayPrefetch({ url, probability, kind }: Hint, pageUrl: string): boolean {
    if (!(probability >= this.#options.minProbability)) return false;
    const target = URL.parse(url);
    if (target === null || target.origin !== new URL(pageUrl).origin) return false;
    if (target.username !== '' || target.password !== '') return false;
    return this.#mayFetch(url, kind);
  }
}
