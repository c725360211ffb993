// A store for a prefetchd that a program makes itself: opened as `prefetchd serve` opens its own.

import type { GraphStore } from '../store/graph-store.ts';
import { openStore, parseStore } from '../store/store-location.ts';
import { type PrefetchdOptions, prefetchdDefaults } from './prefetchd-options.ts';

export interface GraphStoreOptions
  extends Pick<PrefetchdOptions, 'halfLifeMs' | 'maxNodes' | 'maxArcs'> {
  /** Told what an operator should know: a damaged file was set aside, and the like. */
  onNotice?: (message: string) => void;
}

/**
 * Where a graph is kept, for the option `store` of createPrefetchd, which closes it when it is closed.
 * @param location `sqlite:FILE`, made if there is none, or
 *   `redis://[user:password@]host[:port][/db][?prefix=NAME]`. A damaged file is renamed to FILE.damaged-<n>, and an
 *   empty one begun.
 * @param options as those of the prefetchd, by default the same
 * @throws PrefetchdError `store-unreadable`, `invalid-option`
 */
export async function createGraphStore(
  location: string,
  options: GraphStoreOptions = {},
): Promise<GraphStore> {
  const { halfLifeMs, maxNodes, maxArcs } = { ...prefetchdDefaults, ...options };
  const { onNotice } = options;
  return openStore(parseStore(location), {
    ...{ halfLifeMs, maxNodes, maxArcs, onDamaged: 'set-aside' },
    ...(onNotice !== undefined && { onNotice }),
  });
}
