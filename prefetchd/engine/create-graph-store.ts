// Opens a store for a prefetchd created by a program, in the same way as `prefetchd serve` does.

import { silentLog } from '../../options/logger.ts';
import { joined } from '../../options/options.ts';
import type { GraphStore } from '../store/graph-store.ts';
import { openStore, parseStore } from '../store/store-location.ts';
import {
  type PrefetchdOptions,
  prefetchdConstants,
  prefetchdDefaults,
} from './prefetchd-options.ts';

export type GraphStoreOptions = Pick<PrefetchdOptions, 'halfLifeMs' | 'log'>;

/**
 * Opens a graph store for the option `store` of createPrefetchd; the prefetchd closes it when it is closed.
 * @param location A store's name as `prefetchd serve --store` takes it, such as `sqlite:FILE`. A file is created if there
 * is none; a damaged one is renamed to FILE.damaged-<n>, and an empty one is begun. A store that cannot be used is
 * reported to `log` of the prefetchd, and used once it works.
 * @param options `halfLifeMs` must be that of the prefetchd; `log` is told of a damaged file
 * @throws PrefetchdError `invalid-option`
 */
export async function createGraphStore(
  location: string,
  options: GraphStoreOptions = {},
): Promise<GraphStore> {
  const { maxNodes, maxArcs } = joined({}, prefetchdConstants, options);
  const { halfLifeMs = prefetchdDefaults.halfLifeMs, log = silentLog } = options;
  return openStore(parseStore(location), {
    halfLifeMs,
    maxNodes,
    maxArcs,
    onDamaged: 'set-aside',
    onNotice: (message) => log.error({}, message),
  });
}
