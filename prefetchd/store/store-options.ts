// Lists the options of every store in one table, checked once. The rows are those of the model
// (model/model-options.ts), so a store has room for a predictor of the same size.

import {
  checked,
  defaultsOf,
  type OptionsOf,
  objectOf,
  type ValuesOf,
} from '../../options/options.ts';
import { invalidOption } from '../errors.ts';
import { modelTable } from '../model/model-options.ts';

const storeTable = {
  /** Half-life of what was learned, ms, at least 1; null: all accesses count the same. */
  halfLifeMs: modelTable.halfLifeMs,
  /** Limit on URLs; beyond it, the least requested are dropped: in Redis at once, in SQLite at a quarter too many. */
  maxNodes: modelTable.maxNodes,
  /** Limit on arcs (pairs of a URL and one that follows it) per graph; beyond it, URLs are dropped with the arcs that
   *  leave them (Redis), or the arcs with the lowest counts once there are a quarter too many (SQLite). */
  maxArcs: modelTable.maxArcs,
  /** Limit on arcs that leave one URL, per graph; beyond it, the one with the lowest count is dropped. */
  maxArcsPerUrl: modelTable.maxArcsPerNode,
};

export type StoreOptions = OptionsOf<typeof storeTable>;
export type StoreSettings = ValuesOf<typeof storeTable>;

const storeKind = objectOf(storeTable);

export const storeDefaults: Readonly<StoreSettings> = defaultsOf(storeTable);

/** Checks the options. @param options may include those of a specific store. @throws PrefetchdError `invalid-option` */
export function checkStoreOptions(options: StoreOptions): StoreSettings {
  const { halfLifeMs, maxNodes, maxArcs, maxArcsPerUrl } = options;
  return checked(storeKind, { halfLifeMs, maxNodes, maxArcs, maxArcsPerUrl }, invalidOption);
}
