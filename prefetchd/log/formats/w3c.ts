// W3C extended log file format (WD-logfile-960323), as IIS and others write it: columns separated by
// spaces and named by #Fields. Spaces inside a referer or user agent are written `+`. The draft
// has time-taken in seconds, IIS and others write whole milliseconds: a number with a point is seconds.

import { type LogFormat, shareRead } from '../log-format.ts';
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
  manySites: false,
  detect: (lines) => shareRead(createParser(), lines),
  createParser,
};
