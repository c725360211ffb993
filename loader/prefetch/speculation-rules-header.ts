// Reads the Speculation-Rules header field (HTML 7.6.3): a structured-field list of strings (RFC 9651 3.1, 3.3.3), each
// the URL of a rules document. Members that are not strings are skipped (HTML); a syntax error invalidates the whole
// field (RFC 9651 4.2).

import { parseList } from 'structured-headers';
import { type FieldValue, joinedLines } from '../../http/field-syntax.ts';

const longestField = 8 * 1024;
const mostMembers = 20;

/** The first 20 URLs as written, not resolved. Never throws; a field of more than 8 KiB yields no URLs. */
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
