// Where spans of a tag end within a chunk: names, spaces, values, and all the attributes of a tag that nobody wants.

import {
  apostrophe,
  endsName,
  equalsSign,
  greaterThanSign,
  isSpace,
  quotationMark,
  solidus,
} from './characters.ts';

export function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** HTML 13.2.5.8 */
export function tagNameEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && !endsName(text.charCodeAt(at))) at++;
  return at;
}

/** @param start After the first character, which belongs to the name whatever it is (HTML 13.2.5.33). */
export function attributeNameEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code <= greaterThanSign && (code === equalsSign || endsName(code))) return at;
    at++;
  }
  return at;
}

/** HTML 13.2.5.38 */
export function unquotedValueEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code <= greaterThanSign && (code === greaterThanSign || isSpace(code))) return at;
    at++;
  }
  return at;
}

/**
 * Passes over the attributes that are complete in this chunk (HTML 13.2.5.32 to 13.2.5.40).
 * @param start Before an attribute's name.
 * @returns Index of the `>` that ends the tag, or of an attribute that goes on in the next chunk.
 */
export function skipAttributes(text: string, start: number): number {
  let at = start;
  for (;;) {
    while (at < text.length && isBetweenAttributes(text.charCodeAt(at))) at++;
    if (at === text.length || text.charCodeAt(at) === greaterThanSign) return at;
    const end = attributeEnd(text, at);
    if (end === -1) return at;
    at = end;
  }
}

function isBetweenAttributes(code: number): boolean {
  return code === solidus || isSpace(code);
}

/** -1: not in this chunk. */
function attributeEnd(text: string, start: number): number {
  const nameEnd = attributeNameEnd(text, start + 1);
  const equals = skipSpace(text, nameEnd);
  if (equals === text.length) return -1;
  if (text.charCodeAt(equals) !== equalsSign) return equals;
  const value = skipSpace(text, equals + 1);
  if (value === text.length) return -1;
  const code = text.charCodeAt(value);
  if (code !== quotationMark && code !== apostrophe) {
    const end = unquotedValueEnd(text, value);
    return end === text.length ? -1 : end;
  }
  const closing = text.indexOf(code === apostrophe ? "'" : '"', value + 1);
  return closing === -1 ? -1 : closing + 1;
}
