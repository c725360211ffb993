// W3C extended log file format (WD-logfile-960323), as written by IIS and others: space-separated columns named by
// #Fields. Spaces inside a referer or user agent are written `+`. time-taken is in seconds in the draft but in whole
// milliseconds in IIS and others, so only a number with a decimal point is seconds.

import type { LogFormat } from '../log-format.ts';
import { createDirectiveParser } from './directive-fields.ts';
import { plainMs, secondsMs } from './duration.ts';

const createParser = () =>
  createDirectiveParser({
    separator: ' ',
    decode: (text) => text.replaceAll('+', ' '),
    duration: (text) => (text?.includes('.') ? secondsMs(text) : plainMs(text)),
  });

export const w3c: LogFormat = {
  name: 'w3c',
  createParser,
};
