// Opens a store for a prefetchd created by a program, in the same way as `prefetchd serve` does.

import type { GraphStore } from '../store/graph-store.ts';
import { openStore, parseStore } from '../store/store-location.ts';
import {
  type PrefetchdOptions,
  prefetchdConstants,
  prefetchdDefaults,
} from './prefetchd-options.ts';

export interface GraphStoreOptions extends Pick<PrefetchdOptions, 'halfLifeMs'> {
  /** Receives messages for the operator, such as a damaged file that was set aside. */
  onNotice?: (message: string) => void;
}

/**
 * Opens a graph store for the option `store` of createPrefetchd; the prefetchd closes it when it is closed.
 * @param location `sqlite:FILE`, created if there is none, or `redis://[user:password@]host[:port][/db][?prefix=NAME]`.
 * A damaged file is renamed to FILE.damaged-<n>, and an empty one is begun. A store that cannot be used is reported to
 * `onNotice` of the prefetchd, and used once it works.
 * @param options `halfLifeMs` must be that of the prefetchd
 * @throws PrefetchdError `invalid-option`
 */
export async function createGraphStore(
  location: string,
  options: GraphStoreOptions = {},
): Promise<GraphStore> {
  const { maxNodes, maxArcs } = prefetchdConstants;
  const { halfLifeMs = prefetchdDefaults.halfLifeMs, onNotice } = options;
  return openStore(parseStore(location), {
    halfLifeMs,
    maxNodes,
    maxArcs,
    onDamaged: 'set-aside',
    ...(onNotice !== undefined && { onNotice }),
  });
}
