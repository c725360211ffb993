// Quoted fields of Apache and nginx: Apache writes `\"` and `\\`, both write `\x22`. They may contain a request line.
// A quote after an odd number of backslashes does not close the field.

import type { LogLine } from '../log-format.ts';

const backslash = 0x5c;

/** The first unescaped quote from `from`; -1 if there is none. */
export function closingQuote(line: string, from: number): number {
  for (let quote = line.indexOf('"', from); quote !== -1; quote = line.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (before >= from && line.charCodeAt(before) === backslash) before--;
    if ((quote - before) % 2 === 1) return quote;
  }
  return -1;
}

/** The quote that ends a field: unescaped, and followed by a space or the end. */
export function fieldEnd(line: string, from: number): number {
  for (let quote = closingQuote(line, from); quote !== -1; quote = closingQuote(line, quote + 1)) {
    if (quote + 1 === line.length || line.charCodeAt(quote + 1) === 0x20) return quote;
  }
  return -1;
}

/** Reads `GET /x HTTP/1.0` between `start` and `end`. The target may contain spaces; HTTP/0.9 has no version. If
 *  it is not a request (`-`, or a TLS handshake sent to a plain port), method and URL stay empty. */
export function readRequest(line: string, start: number, end: number, into: LogLine): void {
  const space = methodEnd(line, start, end);
  if (space === -1) return;
  const target = line.slice(space + 1, targetEnd(line, space, end));
  into.method = isGet(line, start, space) ? 'GET' : line.slice(start, space);
  into.url = target.includes('\\') ? unescapeToUrl(target) : target;
}

function isGet(line: string, start: number, end: number): boolean {
  return (
    end - start === 3 &&
    line.charCodeAt(start) === 0x47 &&
    line.charCodeAt(start + 1) === 0x45 &&
    line.charCodeAt(start + 2) === 0x54
  );
}

/** The space after a method of letters and `-`: RFC 9110 9.1 permits more characters, but no server uses them. */
function methodEnd(line: string, start: number, end: number): number {
  for (let at = start; at < end && at < start + 32; at++) {
    const code = line.charCodeAt(at);
    if (code === 0x20) return at > start ? at : -1;
    if (!((code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 0x2d)) return -1;
  }
  return -1;
}

/** Position where ` HTTP/1.0` begins, or `end` if there is no version. */
function targetEnd(line: string, space: number, end: number): number {
  const usual = end - 9;
  if (usual > space && line.charCodeAt(usual) === 0x20 && isVersionAt(line, usual + 1))
    return usual;
  const last = line.lastIndexOf(' ', end - 1);
  return last > space && isVersionAt(line, last + 1) ? last : end;
}

function isVersionAt(line: string, at: number): boolean {
  return (
    line.charCodeAt(at) === 0x48 &&
    line.charCodeAt(at + 1) === 0x54 &&
    line.charCodeAt(at + 2) === 0x54 &&
    line.charCodeAt(at + 3) === 0x50 &&
    line.charCodeAt(at + 4) === 0x2f
  );
}

/** A referer or user agent; `-` means none. */
export function quotedText(line: string, start: number, end: number): string {
  return end - start === 1 && line.charCodeAt(start) === 0x2d ? '' : line.slice(start, end);
}

/** Converts the log's escapes to percent-encoding: `\xC3\xA9` is `%C3%A9`, `\"` is `%22`. */
function unescapeToUrl(target: string): string {
  return target.replace(/\\(?:x([0-9A-Fa-f]{2})|(.)|$)/gsu, (_, hex?: string, char?: string) => {
    if (hex !== undefined) return `%${hex.toUpperCase()}`;
    return char === '"' ? '%22' : char === '\\' || char === undefined ? '%5C' : `%5C${char}`;
  });
}
