// The layers that a loader has by its options, the outermost first. Each works without the others.

import { dictionaries } from './dictionaries/dictionary-handler.ts';
import { getAll } from './get-all/get-all.ts';
import type { ResolvedOptions } from './options.ts';
import { adoptedPrefetches } from './prefetch/adopted-prefetches.ts';
import type { Prefetcher } from './prefetch/prefetcher.ts';
import { sizesFirst } from './sizes-first.ts';

/** @param prefetcher The loader's; null while it prefetches nothing. */
export function usualLayers(options: ResolvedOptions, prefetcher: () => Prefetcher | null) {
  const { cache, images, imageFirstBytes } = options;
  return {
    ...(images === 'sizes-first' && { sizesFirst: sizesFirst(imageFirstBytes) }),
    ...(options.prefetch !== null && { adoptedPrefetches: adoptedPrefetches(prefetcher) }),
    ...(options.getAll !== false && { getAll: getAll() }),
    ...(options.dictionaries && cache !== null && { dictionaries: dictionaries(cache) }),
  };
}
