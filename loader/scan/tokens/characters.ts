// Characters that the tokenizer tells apart.

const solidus = 0x2f;
const greaterThanSign = 0x3e;

/** ASCII whitespace. A carriage return counts, since newlines are normalised (HTML 13.2.3.5). */
export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d || code === 0x0c;
}

/** What ends a tag name (HTML 13.2.5.8). */
export function endsName(code: number): boolean {
  return code <= greaterThanSign && (code === greaterThanSign || code === solidus || isSpace(code));
}

/** CR and CR LF are LF (HTML 13.2.3.5); NUL becomes U+FFFD in raw text and in attribute values (HTML 13.2.5). */
export function normalised(text: string): string {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  return lines.includes('\0') ? lines.replaceAll('\0', '\ufffd') : lines;
}

/** The character of a code unit; ASCII letters in lower case. */
export function lowerCase(code: number): string {
  return String.fromCharCode(code >= 0x41 && code <= 0x5a ? code + 0x20 : code);
}
