// CloudFront standard logs: #Version and #Fields, then tab-separated columns; or (v2) one JSON object per line with the
// same names. Referer and user agent are percent-encoded, `%` itself sometimes twice (`%2520`).

import type { LineParser, LogFormat } from '../log-format.ts';
import { createDirectiveParser, lineOfColumns } from './directive-fields.ts';
import { secondsMs } from './duration.ts';
import { parseJsonLine } from './json-line.ts';

const style = { separator: '\t', decode: decodeTwice, duration: secondsMs } as const;

function createParser(): LineParser {
  const columns = createDirectiveParser(style);
  return {
    parse(line) {
      if (line.charCodeAt(0) !== 0x7b) return columns.parse(line);
      const object = parseJsonLine(line);
      if (typeof object === 'string') return object;
      return lineOfColumns(Object.keys(object), Object.values(object).map(String), style);
    },
  };
}

export const cloudfront: LogFormat = {
  name: 'cloudfront',
  createParser,
};

function decodeTwice(text: string): string {
  return decoded(decoded(text));
}

/** Invalid escapes stay as they are. */
function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
