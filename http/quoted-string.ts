// quoted-string, token and list members of RFC 9110 5.6, as Link, Cache-Control and structured fields use
// them. Linear: every character is looked at once.

export interface QuotedString {
  value: string;
  /** The place after the closing quote, or the end of the text. */
  end: number;
  /** False: the text ended inside. */
  closed: boolean;
}

/** Reads the quoted-string that begins with the quote at `start` (RFC 8288 B.4). */
export function readQuotedString(text: string, start: number): QuotedString {
  let value = '';
  let from = start + 1;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === '"')
      return { value: value + text.slice(from, at), end: at + 1, closed: true };
    if (character !== '\\') continue;
    value += text.slice(from, at);
    from = at + 1;
    at++;
  }
  return { value: value + text.slice(from), end: text.length, closed: false };
}

/** The comma that ends a member of a list, or the end of the text. Commas in quotes do not count. */
export function endOfMember(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== ',') {
    at = text[at] === '"' ? readQuotedString(text, at).end : at + 1;
  }
  return at;
}

/** A token as it is, anything else in quotes; what no field value can carry is left out (RFC 9110 5.5). */
export function tokenOrQuoted(value: string): string {
  if (/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(value)) return value;
  return `"${value.replace(/[^\t\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&')}"`;
}

/** Several header lines of one name are one list (RFC 9110 5.3); numbers as node:http takes them. */
export function fieldValue(value: FieldValue): string {
  if (value === undefined) return '';
  return typeof value === 'object' ? value.join(', ') : String(value);
}

export type FieldValue = string | number | readonly string[] | undefined;
