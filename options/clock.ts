// The option `now`: tests and simulations give a clock of their own.

import { aFunction } from './kinds.ts';
import { option } from './options.ts';

export const clockTable = {
  /** Current time, ms since the epoch. */
  now: option(aFunction<() => number>(), Date.now, { shownDefault: '`Date.now`' }),
};
