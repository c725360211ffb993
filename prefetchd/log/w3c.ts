// W3C extended log file format (WD-logfile-960323), as IIS and others write it: columns separated by
// spaces and named by #Fields. Spaces inside a referer or user agent are written `+`.

import { createDirectiveParser } from './directive-fields.ts';
import { type LogFormat, shareRead } from './log-format.ts';

const createParser = () =>
  createDirectiveParser({ separator: ' ', decode: (text) => text.replaceAll('+', ' ') });

export const w3c: LogFormat = {
  name: 'w3c',
  manySites: false,
  detect: (lines) => shareRead(createParser(), lines),
  createParser,
};
