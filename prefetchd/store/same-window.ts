import { PrefetchdError } from '../errors.ts';
import type { DependencyGraph } from '../model/dependency-graph.ts';

/** Counts of different windows do not add up. @throws PrefetchdError `invalid-option` */
export function checkSameWindow(kept: number | null, graph: DependencyGraph): void {
  if (kept === null || kept === graph.window) return;
  throw new PrefetchdError(
    'invalid-option',
    `window must be ${kept}, that of the store, not ${graph.window}: their counts do not add up`,
  );
}
