// The options of every store. Their limits are those of the model (model/model-options.ts), so a store has room for a
// predictor of the same size.

import { checked } from '../../options/options.ts';
import { invalidOption } from '../errors.ts';
import { halfLifeKind } from '../model/model-kinds.ts';
import { modelDefaults } from '../model/model-options.ts';

export const storeDefaults = {
  /** Half-life of what was learned, ms, at least 1; null: all accesses count the same. */
  halfLifeMs: modelDefaults.halfLifeMs,
  /** Limit on URLs; beyond it, the least requested are dropped: in Redis at once, in SQLite at a quarter too many. */
  maxNodes: modelDefaults.maxNodes,
  /** Limit on arcs (pairs of a URL and one that follows it) per graph; beyond it, URLs are dropped with the arcs that
   *  leave them (Redis), or the arcs with the lowest counts once there are a quarter too many (SQLite). */
  maxArcs: modelDefaults.maxArcs,
  /** Limit on arcs that leave one URL, per graph; beyond it, the one with the lowest count is dropped. */
  maxArcsPerUrl: modelDefaults.maxArcsPerNode,
};

export type StoreSettings = typeof storeDefaults;
export type StoreOptions = Partial<StoreSettings>;

/** Completes the options, and checks the one that users give. @param options may include those of a specific store.
 *  @throws PrefetchdError `invalid-option` */
export function checkStoreOptions(options: StoreOptions): StoreSettings {
  const { halfLifeMs, maxNodes, maxArcs, maxArcsPerUrl } = { ...storeDefaults, ...options };
  checked(halfLifeKind, halfLifeMs, invalidOption, { name: 'halfLifeMs' });
  return { halfLifeMs, maxNodes, maxArcs, maxArcsPerUrl };
}
