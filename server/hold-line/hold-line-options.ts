// The options of Hold-Line: how long lines are held, and how many.

import { wholeNumber } from '../../options/kinds.ts';
import { type OptionsOf, objectOf, option } from '../../options/options.ts';

export const holdLineTable = {
  /** Longest time a line is held, seconds. */
  maxSeconds: option(wholeNumber({ least: 1, most: 3600 }), 20),
};

export type HoldLineOptions = OptionsOf<typeof holdLineTable>;

/** What no site needs to set; tests do (`withConstants`). */
export const holdLineConstants = {
  /** Shortest time that is granted under load, seconds. */
  minSeconds: 1,
  /** Held lines above which the time is decreased, by a tenth with each grant, and below which it increases again. */
  threshold: 500,
  minimum: 250,
  /**
   * Lines held at a time. For one more the oldest idle one is closed, if it was held for `minSeconds`; else none is
   * granted.
   */
  most: 1_000,
};

export const holdLineKind = objectOf(holdLineTable);
