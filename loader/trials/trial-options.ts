// The option of what an audit tries, in a file of its own: the help of the command needs no more.

import { milliseconds, timeOrMs } from '../../options/kinds.ts';
import { option } from '../../options/options.ts';

export const trialTable = {
  /** Time limit for converting all images; a conversion that has begun by then is awaited. 0: nothing is converted. */
  convertMs: option(milliseconds({ least: 0 }), 60_000, {
    flag: '--convert-time <time>',
    help: 'stop converting images after this time; 0: none',
    written: timeOrMs({ least: 0 }),
  }),
};
