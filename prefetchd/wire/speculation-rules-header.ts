// The Speculation-Rules header field (HTML 7.6.3): a structured-field list of strings (RFC 9651 3.1, 3.3.3), each the
// URL of a rules document: `"/v1/speculation-rules"`, or, behind a web server with access rules, the page's own URL
// with a parameter, `"?prefetchd-rules"`, so that only who may read the page gets its rules. Members that are not
// strings are skipped (HTML); a syntax error invalidates the whole field (RFC 9651 4.2).

import { parseList } from 'structured-headers';
import { type FieldValue, joinedLines } from '../../http/field-syntax.ts';
import { PrefetchdError } from '../errors.ts';

const longestField = 8 * 1024;
const mostMembers = 20;

/**
 * The field value for these documents, paths or absolute URLs.
 * @throws PrefetchdError `invalid-option` for a URL that is not printable ASCII (RFC 9651 3.3.3)
 */
export function speculationRulesHeaderOf(urls: readonly string[]): string {
  return urls.map(sfString).join(', ');
}

function sfString(url: string): string {
  if (!/^[\x20-\x7e]+$/.test(url)) {
    throw new PrefetchdError(
      'invalid-option',
      `the URL of speculation rules must be printable ASCII, not ${JSON.stringify(url)}`,
    );
  }
  return `"${url.replace(/["\\]/g, '\\$&')}"`;
}

/** The URLs as written, unresolved. Never throws; at most 20, from at most 8 KiB of text. */
export function parseSpeculationRulesHeader(field: FieldValue): string[] {
  const text = joinedLines(field);
  if (text.length > longestField) return [];
  try {
    const values = parseList(text).map(([value]) => value);
    return values.filter((value) => typeof value === 'string').slice(0, mostMembers);
  } catch {
    return [];
  }
}
