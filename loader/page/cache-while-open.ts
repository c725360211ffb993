// A page's view of a cache that its owner may close. If the cache is closed during the load, it counts as empty from
// then on and the page continues over the network. If it was closed before the load, the constructor throws.

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
    store: (...given) => attempt(() => cache.store(...given), undefined),
    observe: (...given) => attempt(() => cache.observe(...given), undefined),
    partial: (...given) => attempt(() => cache.partial(...given), null),
    stored: (...given) => attempt(() => cache.stored(...given), []),
    recent: (...given) => attempt(() => cache.recent(...given), []),
    isUsable: (...given) => attempt(() => cache.isUsable(...given), false),
    annotate: (...given) => attempt(() => cache.annotate(...given), undefined),
    remove: (...given) => attempt(() => cache.remove(...given), undefined),
    close: () => cache.close(),
  };
}
