// Checks an addition to a stored graph, as every store does before it changes anything, and computes its digest.

import { createHash } from 'node:crypto';
import { PrefetchdError } from '../errors.ts';
import { fingerprintsPerArc, type GraphDelta, neverNext } from '../model/delta/graph-delta.ts';

/**
 * Checks that a delta, the counts learned since the last addition, may be added to a store.
 * @param place Name of the store
 * @param kept What the store's graph was learned with; null: there is none yet
 * @throws PrefetchdError `invalid-option` for values that are out of range; `store-mismatch` for another predictor,
 * whose counts cannot be added
 */
export function checkAddition(
  delta: GraphDelta,
  place: string,
  kept: { predictor: string; graphs: number } | null,
): void {
  const { era, urls, graphs } = delta;
  const isCount = (value: number) => value >= 0 && value < Infinity;
  const isValid =
    Number.isInteger(era) &&
    urls.every(({ accesses }) => isCount(accesses)) &&
    graphs.flat().every(({ from, to, count, clients, seen }) => {
      const isPrint = (print: number) => print > 0 && print < 1024;
      const isBetween = from < urls.length && to < urls.length;
      const areClients = clients.length <= fingerprintsPerArc && clients.every(isPrint);
      return isBetween && isCount(count) && areClients && seen < 2 * neverNext;
    });
  if (!isValid) throw new PrefetchdError('invalid-option', 'a delta has values out of range');
  if (kept !== null) checkSamePredictor(delta, place, kept);
}

/** Returns a digest of a delta (the counts to add to a store), which is the same only for equal deltas. */
export function digestOf({ urls, graphs }: GraphDelta): string {
  const hash = createHash('sha256');
  for (const part of [urls, ...graphs]) hash.update(JSON.stringify(part));
  return hash.digest('hex').slice(0, 32);
}

/** Checks that a delta (learned counts) and the stored graph have the same predictor. @throws `store-mismatch` */
export function checkSamePredictor(
  { predictor, graphs }: GraphDelta,
  place: string,
  kept: { predictor: string; graphs: number },
): void {
  if (kept.predictor === predictor && kept.graphs === graphs.length) return;
  const has = (name: string, count: number) => `${name} (${count} graph${count === 1 ? '' : 's'})`;
  throw new PrefetchdError(
    'store-mismatch',
    `${place} keeps what ${has(kept.predictor, kept.graphs)} learned, which does not add up with ${has(predictor, graphs.length)}; name that predictor, or another store`,
  );
}
