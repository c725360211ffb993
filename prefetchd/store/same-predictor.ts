import { PrefetchdError } from '../errors.ts';
import type { GraphDelta } from '../model/delta/graph-delta.ts';

/** Checks the predictor, because counts of different ones cannot be added. @throws PrefetchdError `store-mismatch` */
export function checkSamePredictor(
  place: string,
  kept: { predictor: string; graphs: number },
  { predictor, graphs }: GraphDelta,
): void {
  if (kept.predictor === predictor && kept.graphs === graphs.length) return;
  const has = (name: string, count: number) => `${name} (${count} graph${count === 1 ? '' : 's'})`;
  throw new PrefetchdError(
    'store-mismatch',
    `${place} keeps what ${has(kept.predictor, kept.graphs)} learned, which does not add up with ${has(predictor, graphs.length)}; name that predictor, or another store`,
  );
}
