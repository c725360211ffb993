// The query of a URL on a page that is not UTF-8: written in the page's encoding, percent-encoded, as forms and
// browsers do; characters that encoding lacks as `%26%23NNN%3B` (URL standard, "percent-encode after encoding"). Path
// and fragment are UTF-8 on every page. The encoders are loaded when the first such query comes.

import { createRequire } from 'node:module';

type Encode = (encoding: string, text: string, percentEncodeSet: string) => string;

let encode: Encode | null = null;

/** The special-query percent-encode set (URL standard 1.3), besides what is encoded anyway. */
const specialQuerySet = ' "#\'<>';

/** Most queries: every encoding of a page writes them alike. ISO-2022-JP has no place for these three controls. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const needsEncoding = /[^\x00-\x7f]|[\x0e\x0f\x1b]/;

/** Would a page's encoding change this reference? */
export function dependsOnEncoding(written: string): boolean {
  return needsEncoding.test(queryOf(written).query);
}

/** @param encoding name of the Encoding standard; UTF-16 and UTF-8 pages write UTF-8. */
export function withEncodedQuery(written: string, encoding: string): string {
  if (/^utf-/i.test(encoding)) return written;
  const { before, query, after } = queryOf(written);
  if (!needsEncoding.test(query)) return written;
  encode ??= loadEncoder();
  // The URL parser takes line ends and tabs out before it looks at anything.
  return before + encode(encoding, query.replace(/[\t\n\r]+/g, ''), specialQuerySet) + after;
}

function queryOf(written: string): { before: string; query: string; after: string } {
  const hash = written.indexOf('#');
  const end = hash === -1 ? written.length : hash;
  const mark = written.slice(0, end).indexOf('?');
  const start = mark === -1 ? end : mark + 1;
  return {
    before: written.slice(0, start),
    query: written.slice(start, end),
    after: written.slice(end),
  };
}

function loadEncoder(): Encode {
  const require = createRequire(import.meta.url);
  require('@exodus/bytes/encoding.js'); // the encodings of several bytes
  return (require('@exodus/bytes/whatwg.js') as { percentEncodeAfterEncoding: Encode })
    .percentEncodeAfterEncoding;
}
