// Validates the header fields that users add. Fields that the loader controls are refused, as is any name or value
// that could split the request or change its framing.

import type { HeaderPair } from '../../http/header-pairs.ts';
import { refusal } from '../../options/refusal.ts';
import { invalidOption } from '../errors.ts';

/** Fields about the connection or the framing of a message (RFC 9110 7.6.1, 8.6, 10.1.1). */
export const connectionFields: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Validates the fields that the user adds to requests; returns names in lower case.
 * @throws LoaderError `invalid-option`
 */
export function extraHeaderPairs(given: Record<string, string> | HeaderPair[]): HeaderPair[] {
  const pairs: unknown[] = Array.isArray(given) ? given : Object.entries(given);
  return pairs.map((pair) => {
    if (!Array.isArray(pair) || pair.length !== 2) {
      fail('extraHeaders', 'an object or a list of [name, value]', pair);
    }
    const [name, value] = pair;
    // A field name is a token (RFC 9110 5.6.2).
    if (typeof name !== 'string' || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
      fail('extraHeaders', 'field names made of token characters (RFC 9110 5.6.2)', name);
    }
    const lower = name.toLowerCase();
    if (connectionFields.has(lower)) {
      fail(
        'extraHeaders',
        'without Host, Connection and framing fields, which the loader sets',
        name,
      );
    }
    if (!isFieldValue(value)) {
      fail(`extraHeaders.${name}`, 'a string of visible characters (RFC 9110 5.5)', value);
    }
    return [lower, value];
  });
}

/** Whether the value has only visible characters, spaces and tabs (RFC 9110 5.5); others could split the request. */
function isFieldValue(value: unknown): value is string {
  return typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

function fail(place: string, rule: string, value: unknown): never {
  return invalidOption(refusal(place, rule, value), place);
}
