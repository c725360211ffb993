// Encodes the query of a URL on a page that is not in UTF-8: it is percent-encoded in the page's encoding, as in
// browsers, with unencodable characters as `%26%23NNN%3B` (URL Standard, "percent-encode after encoding"). Path and
// fragment are always in UTF-8. The encoders are loaded on demand.

import { createRequire } from 'node:module';

type Encode = (encoding: string, text: string, percentEncodeSet: string) => string;

let encode: Encode | null = null;

/** The special-query percent-encode set (URL Standard 1.3), without the characters that are always encoded. */
const specialQuerySet = ' "#\'<>';

/** Matches a query that depends on the page's encoding: not ASCII, or a control character that ISO-2022-JP lacks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this pattern finds control characters
const needsEncoding = /[^\x00-\x7f]|[\x0e\x0f\x1b]/;

/** Whether the query of this URL, as written in a page, is encoded differently depending on the page's encoding. */
export function dependsOnEncoding(written: string): boolean {
  return needsEncoding.test(/\?([^#]*)/.exec(written)?.[1] ?? '');
}

/** Encodes the query in the text of a URL. @param encoding Name in the Encoding Standard; pages in UTF-16 use UTF-8. */
export function withEncodedQuery(written: string, encoding: string): string {
  if (/^utf-/i.test(encoding)) return written;
  const [, before, query = '', after] = /^([^?#]*\?)([^#]*)(.*)$/s.exec(written) ?? [];
  if (!needsEncoding.test(query)) return written;
  encode ??= loadEncoder();
  // Tabs and newlines are removed, as the URL parser would do before it encodes the query.
  return before + encode(encoding, query.replace(/[\t\n\r]+/g, ''), specialQuerySet) + after;
}

function loadEncoder(): Encode {
  const require = createRequire(import.meta.url);
  require('@exodus/bytes/encoding.js'); // this adds the multi-byte encodings
  return (require('@exodus/bytes/whatwg.js') as { percentEncodeAfterEncoding: Encode })
    .percentEncodeAfterEncoding;
}
