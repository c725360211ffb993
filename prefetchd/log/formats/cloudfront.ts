// CloudFront standard logs: #Version and #Fields, then tab-separated columns. Referer and user agent are
// percent-encoded, `%` itself sometimes twice (`%2520`).

import { type LogFormat, shareRead } from '../log-format.ts';
import { createDirectiveParser } from './directive-fields.ts';
import { secondsMs } from './duration.ts';

const createParser = () =>
  createDirectiveParser({ separator: '\t', decode: decodeTwice, duration: secondsMs });

export const cloudfront: LogFormat = {
  name: 'cloudfront',
  manySites: false,
  detect: (lines) => shareRead(createParser(), lines),
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
