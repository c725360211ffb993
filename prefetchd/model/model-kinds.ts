// Kinds of values that predictors, stores, services and questions share, apart from the tables: a command line reads its
// flags with these and builds no table.

import { number, orNull, wholeNumber } from '../../options/kinds.ts';
import { maxCountedClients } from './tables/client-sets.ts';

/** p. Nothing is more probable than 1; above stands for no hints, as in the paper's sweep, and 2 is a slip. */
export const thresholdRange = { least: 0, most: 2 };
export const thresholdKind = number(thresholdRange);
/** i */
export const limitRange = { least: 1, most: 10_000 };
export const limitKind = orNull(wholeNumber, limitRange);
/** w */
export const windowKind = wholeNumber({ least: 2, most: 100 });
/** k */
export const minClientsKind = wholeNumber({ least: 1, most: maxCountedClients });
export const halfLifeKind = orNull(number, { least: 1 });
export const idleGapKind = orNull(number, { above: 0 });
export const maxClientsKind = wholeNumber({ least: 1, most: 10_000_000 });
export const maxNodesKind = wholeNumber({ least: 2, most: 2_000_000 });
export const maxArcsKind = wholeNumber({ least: 1, most: 50_000_000 });
export const maxArcsPerNodeKind = wholeNumber({ least: 1, most: 65_536 });
