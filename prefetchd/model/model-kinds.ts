// Defines option kinds shared by predictors, stores, services and hint requests, and the names of all predictors. They
// are separate from tables and predictors, so that a command line can parse its flags without loading any.

import { number, orNull, wholeNumber } from '../../options/kinds.ts';
import { maxCountedClients } from './graph/client-sets.ts';

/** Range of the threshold (p), above which a URL is hinted. No probability exceeds 1, so values from 1 to 2 mean no
 *  hints (Padmanabhan's paper simulates such values, too); a higher value is an error. */
export const thresholdRange = { least: 0, most: 2 };
export const thresholdKind = number(thresholdRange);
/** Range of the limit (i), the largest number of hints per access. */
export const limitRange = { least: 1, most: 10_000 };
export const limitKind = orNull(wholeNumber, limitRange);
/** The values allowed for the window (w), the number of a client's latest accesses that are considered together. */
export const windowKind = wholeNumber({ least: 2, most: 100 });
/** The values allowed for the number of distinct clients (k) that must have followed an arc before it gives hints. */
export const minClientsKind = wholeNumber({ least: 1, most: maxCountedClients });
/** Range of the percentage of visitors from whom hints are withheld (option `holdback`). */
export const holdbackRange = { least: 1, most: 50 };
export const halfLifeKind = orNull(number, { least: 1 });

export type PredictorName = 'double-graph' | 'dependency-graph';

export const predictorNames: readonly PredictorName[] = ['double-graph', 'dependency-graph'];

export function isPredictorName(name: string): name is PredictorName {
  return (predictorNames as readonly string[]).includes(name);
}
