// What every store can be told: one table of defaults, checked once. The caps are those of the model
// (model/options.ts), so that a store holds what a predictor of the same size knows.

import { PrefetchdError } from '../errors.ts';

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

export const storeDefaults: Readonly<Required<StoreOptions>> = {
  halfLifeMs: null,
  maxNodes: 100_000,
  maxArcs: 500_000,
  maxArcsPerUrl: 128,
};

/** How far the caps may be passed before the weakest go, so that they go seldom. */
const slack = 1.25;

/** @throws PrefetchdError `invalid-option` */
export function checkStoreOptions(options: StoreOptions): Required<StoreOptions> {
  const { halfLifeMs, maxNodes, maxArcs, maxArcsPerUrl } = options;
  const resolved = {
    halfLifeMs: halfLifeMs === undefined ? storeDefaults.halfLifeMs : halfLifeMs,
    maxNodes: maxNodes ?? storeDefaults.maxNodes,
    maxArcs: maxArcs ?? storeDefaults.maxArcs,
    maxArcsPerUrl: maxArcsPerUrl ?? storeDefaults.maxArcsPerUrl,
  };
  const { halfLifeMs: life } = resolved;
  if (life !== null && !(Number.isFinite(life) && life >= 1)) {
    throw new PrefetchdError(
      'invalid-option',
      `halfLifeMs must be at least 1 or null, not ${life}`,
    );
  }
  checkCount('maxNodes', resolved.maxNodes, 2, 2_000_000);
  checkCount('maxArcs', resolved.maxArcs, 1, 50_000_000);
  checkCount('maxArcsPerUrl', resolved.maxArcsPerUrl, 1, 65_536);
  return resolved;
}

/** There is so much that the weakest must go. */
export function isTooMuch(
  { maxNodes, maxArcs }: Required<StoreOptions>,
  held: { nodes: number; arcs: number; graphs: number },
): boolean {
  return held.nodes > maxNodes * slack || held.arcs > maxArcs * held.graphs * slack;
}

function checkCount(name: string, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw new PrefetchdError(
    'invalid-option',
    `${name} must be a whole number from ${least} to ${most}, not ${String(value)}`,
  );
}
