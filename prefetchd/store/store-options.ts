// What every store can be told: one table, checked once. The caps are those of the model
// (model/model-options.ts), so that a store holds what a predictor of the same size knows.

import { checked, defaultsOf, objectOf, option, type TableOf } from '../../options/options.ts';
import { invalidOption } from '../errors.ts';
import {
  halfLifeKind,
  maxArcsKind,
  maxArcsPerNodeKind,
  maxNodesKind,
} from '../model/model-kinds.ts';

export interface StoreOptions {
  /** What was learned counts half after this long, ms, at least 1; null: all accesses count the same. */
  halfLifeMs?: number | null;
  /** URLs; a quarter more, and the weakest go until there are no more than this. */
  maxNodes?: number;
  /** Arcs of each graph; a quarter more, and the weakest go until there are no more than this. */
  maxArcs?: number;
  /** Arcs that leave one URL, in each graph; the weakest gives way. */
  maxArcsPerUrl?: number;
}

const storeTable = {
  halfLifeMs: option(halfLifeKind, null, 'What was learned counts half after this long.'),
  maxNodes: option(maxNodesKind, 100_000, 'URLs; a quarter more, and the weakest go.'),
  maxArcs: option(maxArcsKind, 500_000, 'Arcs of each graph; a quarter more, and the weakest go.'),
  maxArcsPerUrl: option(maxArcsPerNodeKind, 128, 'Arcs that leave one URL; the weakest gives way.'),
} satisfies TableOf<StoreOptions>;

const storeKind = objectOf(storeTable);

export const storeDefaults: Readonly<Required<StoreOptions>> = defaultsOf(storeTable);

/** How far the caps may be passed before the weakest go, so that they go seldom. */
const slack = 1.25;

/** @param options of which a store has others besides. @throws PrefetchdError `invalid-option` */
export function checkStoreOptions(options: StoreOptions): Required<StoreOptions> {
  const { halfLifeMs, maxNodes, maxArcs, maxArcsPerUrl } = options;
  return checked(storeKind, { halfLifeMs, maxNodes, maxArcs, maxArcsPerUrl }, invalidOption);
}

/** There is so much that the weakest must go. */
export function isTooMuch(
  { maxNodes, maxArcs }: Required<StoreOptions>,
  held: { nodes: number; arcs: number; graphs: number },
): boolean {
  return held.nodes > maxNodes * slack || held.arcs > maxArcs * held.graphs * slack;
}
