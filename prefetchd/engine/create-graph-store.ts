// Opens a store for a prefetchd created by a program, in the same way as `prefetchd serve` does.

import type { GraphStore } from '../store/graph-store.ts';
import { openStore, parseStore } from '../store/store-location.ts';
import { type PrefetchdOptions, prefetchdDefaults } from './prefetchd-options.ts';

export interface GraphStoreOptions
  extends Pick<PrefetchdOptions, 'halfLifeMs' | 'maxNodes' | 'maxArcs'> {
  /** Receives messages for the operator, such as a damaged file that was set aside. */
  onNotice?: (message: string) => void;
}

/**
 * Open a graph store for the option `store` of createPrefetchd, which closes it with itself.
 * @param location `sqlite:FILE`, created if there is none, or
 * `redis://[user:password@]host[:port][/db][?prefix=NAME]`. A damaged file is renamed to FILE.damaged-<n>, and an
 * empty one is begun. One that cannot be used is told to `onNotice` of the prefetchd, and used as soon as it can be.
 * @param options as those of the prefetchd, with the same defaults
 * @throws PrefetchdError `invalid-option`
 */
export async function createGraphStore(
  location: string,
  options: GraphStoreOptions = {},
): Promise<GraphStore> {
  const { halfLifeMs, maxNodes, maxArcs } = { ...prefetchdDefaults, ...options };
  const { onNotice } = options;
  return openStore(parseStore(location), {
    halfLifeMs,
    maxNodes,
    maxArcs,
    onDamaged: 'set-aside',
    ...(onNotice !== undefined && { onNotice }),
  });
}
