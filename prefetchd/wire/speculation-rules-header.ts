// The Speculation-Rules header field (HTML 7.6.3): a structured-field list of strings (RFC 9651 3.1,
// 3.3.3), each the URL of a rules document: `"/v1/speculation-rules"`. Members that are no strings are
// skipped, as HTML says; a string that is broken spoils the whole field, as RFC 9651 4.2 says.

import {
  endOfMember,
  type FieldValue,
  joinedLines,
  readQuotedString,
} from '../../http/field-syntax.ts';
import { PrefetchdError } from '../errors.ts';

const longestField = 8 * 1024;
const mostMembers = 20;

/**
 * The value that names these documents, paths or absolute URLs.
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

/** The URLs as they were written, unresolved. Never throws; at most 20, of at most 8 KiB of text. */
export function parseSpeculationRulesHeader(field: FieldValue): string[] {
  const text = joinedLines(field);
  if (text.length > longestField) return [];
  const urls: string[] = [];
  for (let at = 0; at < text.length && urls.length < mostMembers; at++) {
    while (text[at] === ' ' || text[at] === '\t') at++;
    if (text[at] === '"') {
      const { value, end } = readQuotedString(text, at);
      if (!isSfString(text.slice(at, end))) return [];
      if (!/^[ \t]*(?:[,;]|$)/.test(text.slice(end, endOfMember(text, end) + 1))) return [];
      urls.push(value);
      at = end;
    }
    at = endOfMember(text, at);
  }
  return urls;
}

/** Printable ASCII, and only quotes and backslashes escaped (RFC 9651 4.2.5). */
function isSfString(quoted: string): boolean {
  return /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"$/.test(quoted);
}
