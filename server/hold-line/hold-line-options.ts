// The options of Hold-Line: how long lines are held, and how many.

import { wholeNumber } from '../../options/kinds.ts';
import { objectOf, option, type TableOf } from '../../options/options.ts';

export interface HoldLineOptions {
  /** Longest time a line is held, seconds. */
  maxSeconds?: number;
  /** Shortest time that is granted under load, seconds. */
  minSeconds?: number;
  /** Held lines above which the time is decreased. */
  threshold?: number;
  /** Held lines below which the time is increased again. */
  minimum?: number;
  /** Most lines held at a time. */
  most?: number;
}

export const holdLineTable = {
  maxSeconds: option(
    wholeNumber({ least: 1, most: 3600 }),
    20,
    'Longest time a line is held, seconds.',
  ),
  minSeconds: option(
    wholeNumber({ least: 1, most: 3600 }),
    1,
    'Shortest time that is granted under load, seconds.',
  ),
  threshold: option(
    wholeNumber({}),
    500,
    'Held lines above which the time is decreased, by a tenth with each grant.',
  ),
  minimum: option(wholeNumber({}), 250, 'Held lines below which it is increased again.'),
  most: option(
    wholeNumber({ least: 1, most: 1_000_000 }),
    1_000,
    'Lines held at a time. For one more the oldest idle one is closed, if it was held for `minSeconds`; else none is granted.',
  ),
} satisfies TableOf<HoldLineOptions>;

export const holdLineKind = objectOf(holdLineTable);
