// A cache as one page sees it, while its owner keeps it open. One that is closed in the middle of a page
// holds nothing from then on and keeps nothing: the page goes on over the network. One that was closed
// before is a mistake, and says so.

import type { HttpCache } from '../cache/http-cache.ts';
import { LoaderError } from '../errors.ts';

export function cacheWhileOpen(cache: HttpCache): HttpCache {
  let wasOpen = false;
  const attempt = <T>(work: () => T, otherwise: T): T => {
    try {
      const result = work();
      wasOpen = true;
      return result;
    } catch (error) {
      if (wasOpen && error instanceof LoaderError && error.code === 'loader-closed') {
        return otherwise;
      }
      throw error;
    }
  };
  return {
    maxBytes: cache.maxBytes,
    lookup: (...given) => attempt(() => cache.lookup(...given), { kind: 'miss' }),
    validated: (...given) => attempt(() => cache.validated(...given), null),
    freshen: (...given) => attempt(() => cache.freshen(...given), undefined),
    mayStore: (...given) => attempt(() => cache.mayStore(...given), false),
    mayAnswer: (...given) => attempt(() => cache.mayAnswer(...given), false),
    store: (...given) => attempt(() => cache.store(...given), undefined),
    observe: (...given) => attempt(() => cache.observe(...given), undefined),
    partial: (...given) => attempt(() => cache.partial(...given), null),
    stored: (...given) => attempt(() => cache.stored(...given), []),
    isUsable: (...given) => attempt(() => cache.isUsable(...given), false),
    annotate: (...given) => attempt(() => cache.annotate(...given), undefined),
    remove: (...given) => attempt(() => cache.remove(...given), undefined),
    close: () => cache.close(),
  };
}
