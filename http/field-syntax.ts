// What field values are made of (RFC 9110 5.6): lists, tokens, quoted strings. Commas inside quotes separate nothing,
// and where a quoted string ends is decided here alone, for Link, Cache-Control, Vary and whoever else asks. Every
// function is linear in its input, and none throws.

/** A field as node:http has it: several lines as an array. */
export type FieldValue = string | number | readonly string[] | undefined;

/** Several lines of one field are one list (RFC 9110 5.3); '' when it is absent. */
export function joinedLines(value: FieldValue): string {
  if (value === undefined) return '';
  return typeof value === 'object' ? value.join(', ') : String(value);
}

export interface QuotedString {
  value: string;
  /** The place after the closing quote, or the end of the text. */
  end: number;
  /** False: the text ended inside. */
  closed: boolean;
}

/** Reads the quoted-string that begins with the quote at `start` (RFC 9110 5.6.4, RFC 8288 B.4). */
export function readQuotedString(text: string, start: number): QuotedString {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  const closed = at < text.length;
  const value = text.slice(start + 1, at).replace(/\\(.?)/gs, '$1');
  return { value, end: closed ? at + 1 : text.length, closed };
}

/** The comma that ends a member of a list, or the end of the text. */
export function endOfMember(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== ',') {
    at = text[at] === '"' ? readQuotedString(text, at).end : at + 1;
  }
  return at;
}

export interface Members {
  /** In their order, without white space around them; no empty ones. */
  members: string[];
  /** Where a quote was opened that never closes; from there on quotes were taken as ordinary characters. */
  openQuoteAt: number | null;
}

/** Splits at separators that do not stand in a quoted string. */
export function splitMembers(text: string, separators = ','): Members {
  const members: string[] = [];
  let openQuoteAt: number | null = null;
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const character = text.charAt(at);
    if (character === '"' && openQuoteAt === null) {
      const { end, closed } = readQuotedString(text, at);
      if (closed) at = end - 1;
      else openQuoteAt = at;
    } else if (character === '' || separators.includes(character)) {
      const member = text.slice(start, at).trim();
      if (member !== '') members.push(member);
      start = at + 1;
    }
  }
  return { members, openQuoteAt };
}

/** A token, or the text within a quoted string; null when quotes stand where none may. */
export function unquote(text: string): string | null {
  if (!text.includes('"')) return text;
  const { value, end, closed } = readQuotedString(text, 0);
  return text[0] === '"' && closed && end === text.length ? value : null;
}

/** A comma-separated list of names, in lower case. */
export function nameList(text: string): string[] {
  const names = text.toLowerCase().split(',');
  return names.map((name) => name.trim()).filter((name) => name !== '');
}

/** A token as it is, anything else in quotes; what no field value can carry is left out (RFC 9110 5.5). */
export function tokenOrQuoted(value: string): string {
  if (/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(value)) return value;
  return `"${value.replace(/[^\t\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&')}"`;
}
