// Classifies and normalizes characters for the tokenizer.

const solidus = 0x2f;
const greaterThanSign = 0x3e;

/** Whether this is ASCII whitespace, including CR, which becomes a newline (HTML 13.2.3.5). */
export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d || code === 0x0c;
}

/** Whether the character ends a tag name (HTML 13.2.5.8). */
export function endsName(code: number): boolean {
  return code <= greaterThanSign && (code === greaterThanSign || code === solidus || isSpace(code));
}

/** Turns CR and CR LF into LF (HTML 13.2.3.5), and NUL into U+FFFD, as in raw text and attributes (HTML 13.2.5). */
export function normalised(text: string): string {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  return lines.includes('\0') ? lines.replaceAll('\0', '\ufffd') : lines;
}

/** The character of a code unit, with ASCII letters in lower case. */
export function lowerCase(code: number): string {
  return String.fromCharCode(code >= 0x41 && code <= 0x5a ? code + 0x20 : code);
}
