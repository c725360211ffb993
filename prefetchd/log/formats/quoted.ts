// Reads quoted fields of Apache and nginx: Apache writes `\"` and `\\`, both write `\x22`. A field may be a request
// line. A quote after an odd number of backslashes does not close the field.

/** Returns where the first unescaped quote from `from` on is; -1 if there is none. */
export function closingQuote(line: string, from: number): number {
  for (let quote = line.indexOf('"', from); quote !== -1; quote = line.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (before >= from && line[before] === '\\') before--;
    if ((quote - before) % 2 === 1) return quote;
  }
  return -1;
}

/** Returns where the quote that ends a field is: unescaped, and followed by a space or the end of the line. */
export function fieldEnd(line: string, from: number): number {
  for (let quote = closingQuote(line, from); quote !== -1; quote = closingQuote(line, quote + 1)) {
    if (quote + 1 === line.length || line[quote + 1] === ' ') return quote;
  }
  return -1;
}

/**
 * Reads `GET /x HTTP/1.0`. The target may contain spaces; HTTP/0.9 has no version. A method has letters and `-` (RFC
 * 9110 9.1 permits more, but no server uses it). For a text that is no request (`-`, or a TLS handshake sent to a plain
 * port) method and URL are empty.
 */
export function requestOf(text: string): { method: string; url: string } {
  if (!/^[A-Za-z-]{1,31} /.test(text)) return { method: '', url: '' };
  const method = text.slice(0, text.indexOf(' '));
  const last = text.lastIndexOf(' ');
  const hasVersion = last > method.length && text.startsWith('HTTP/', last + 1);
  const target = text.slice(method.length + 1, hasVersion ? last : undefined);
  return { method, url: target.includes('\\') ? unescapeToUrl(target) : target };
}

/** Converts the log's escapes to percent-encoding: `\xC3\xA9` is `%C3%A9`, `\"` is `%22`. */
function unescapeToUrl(target: string): string {
  return target.replace(/\\(?:x([0-9A-Fa-f]{2})|(.)|$)/gsu, (_, hex?: string, char?: string) => {
    if (hex !== undefined) return `%${hex.toUpperCase()}`;
    return char === '"' ? '%22' : char === '\\' || char === undefined ? '%5C' : `%5C${char}`;
  });
}

/** Returns the text of a field; empty if the log has `-` for it. */
export function given(text: string): string {
  return text === '-' ? '' : text;
}
