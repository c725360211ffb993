// Common Log Format (NCSA httpd; Apache `common`): address ident user [time] "request" status bytes.

import { emptyLine, type LogFormat, type ParsedLine, shareRead } from '../log-format.ts';
import { readCommonFields } from './common-fields.ts';

export const clf: LogFormat = {
  name: 'clf',
  manySites: false,
  usual: 'without-agent',
  detect: (lines) => shareRead({ parse }, lines),
  createParser: () => ({ parse }),
};

function parse(line: string): ParsedLine {
  if (line === '') return undefined;
  const read = emptyLine();
  const end = readCommonFields(line, 0, read);
  if (typeof end === 'string') return end;
  return end === line.length ? read : 'too many fields for clf';
}
