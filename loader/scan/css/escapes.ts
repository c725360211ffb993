// Escapes (CSS Syntax 3, 4.3.7).

const escapes = /\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\n\f\r])?|(\r\n|[\n\f\r])|([\s\S])|$)/gu;

/** The value of an identifier, a string without its quotes, or an unquoted URL. */
export function decoded(text: string): string {
  const whole = text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
  if (!whole.includes('\\')) return whole;
  return whole.replace(escapes, (_, hex?: string, newline?: string, character?: string) => {
    if (hex !== undefined) return characterOf(Number.parseInt(hex, 16));
    return newline === undefined ? (character ?? '') : '';
  });
}

function characterOf(code: number): string {
  const isScalar = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isScalar ? String.fromCodePoint(code) : '\ufffd';
}
