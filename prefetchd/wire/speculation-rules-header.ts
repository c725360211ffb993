// The Speculation-Rules header field (HTML 7.6.3): a structured-field list of strings (RFC 9651 3.1, 3.3.3), each the
// URL of a rules document: `"/v1/speculation-rules"`, or, behind a web server with access rules, the page's own URL
// with a parameter, `"?prefetchd-rules"`, so that only visitors who may read the page get its rules.

import { PrefetchdError } from '../errors.ts';

/**
 * The field value for these documents, paths or absolute URLs.
 * @throws PrefetchdError `invalid-option` for a URL that is not printable ASCII (RFC 9651 3.3.3)
 */
export function speculationRulesHeaderOf(urls: readonly string[]): string {
  return urls.map(sfString).join(', ');
}

/** A string of a structured field (RFC 9651 4.1.6). */
export function sfString(url: string): string {
  if (!/^[\x20-\x7e]+$/.test(url)) {
    throw new PrefetchdError(
      'invalid-option',
      `the URL of speculation rules must be printable ASCII, not ${JSON.stringify(url)}`,
    );
  }
  return `"${url.replace(/["\\]/g, '\\$&')}"`;
}
