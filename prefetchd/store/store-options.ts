// Lists the options of every store in one table, checked once. The caps are those of the model
// (model/model-options.ts), so a store has room for a predictor of the same size.

import {
  checked,
  defaultsOf,
  type OptionsOf,
  objectOf,
  option,
  type ValuesOf,
} from '../../options/options.ts';
import { invalidOption } from '../errors.ts';
import {
  halfLifeKind,
  maxArcsKind,
  maxArcsPerNodeKind,
  maxNodesKind,
} from '../model/model-kinds.ts';

const storeTable = {
  /** Half-life of what was learned, ms, at least 1; null: all accesses count the same. */
  halfLifeMs: option(halfLifeKind, null),
  /** Limit on URLs; beyond it, the least requested are dropped: in Redis at once, in SQLite at a quarter too many. */
  maxNodes: option(maxNodesKind, 100_000),
  /** Limit on arcs (pairs of a URL and one that follows it) per graph; beyond it, URLs are dropped with the arcs that
   *  leave them (Redis), or the arcs with the lowest counts once there are a quarter too many (SQLite). */
  maxArcs: option(maxArcsKind, 500_000),
  /** Limit on arcs that leave one URL, per graph; beyond it, the one with the lowest count is dropped. */
  maxArcsPerUrl: option(maxArcsPerNodeKind, 128),
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
