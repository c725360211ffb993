// Reads the building blocks of field values (RFC 9110 5.6): lists, tokens, quoted strings. Commas inside quotes do not
// separate. This is the only code that decides where a quoted string ends, for Link, Cache-Control, Vary and others.
// Every function is linear in its input; none throws.

/** A field value as node:http gives it: several lines are an array. */
export type FieldValue = string | number | readonly string[] | undefined;

/** Joins the lines of a field into one list (RFC 9110 5.3); '' if it is absent. */
export function joinedLines(value: FieldValue): string {
  if (value === undefined) return '';
  return typeof value === 'object' ? value.join(', ') : String(value);
}

export interface QuotedString {
  value: string;
  /** Index after the closing quote; if the quote is never closed, the length of the text. */
  end: number;
  /** False if the text ends before the closing quote. */
  closed: boolean;
}

/** Reads the quoted-string whose opening quote is at `start` (RFC 9110 5.6.4, RFC 8288 B.4). */
export function readQuotedString(text: string, start: number): QuotedString {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  const closed = at < text.length;
  const value = text.slice(start + 1, at).replace(/\\(.?)/gs, '$1');
  return { value, end: closed ? at + 1 : text.length, closed };
}

/** Returns the index of the comma that ends the list member at `start`, or the length of the text. */
export function endOfMember(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== ',') {
    at = text[at] === '"' ? readQuotedString(text, at).end : at + 1;
  }
  return at;
}

export interface Members {
  /** The members of a list in order, trimmed, without empty members. */
  members: string[];
  /** Index of a quote that is never closed; from there on, quotes count as ordinary characters. */
  openQuoteAt: number | null;
}

/** Splits a field value at separators outside quoted strings. */
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

/** Returns a token as it is, or the content of a quoted-string; null if quotes are misplaced. */
export function unquote(text: string): string | null {
  if (!text.includes('"')) return text;
  const { value, end, closed } = readQuotedString(text, 0);
  return text[0] === '"' && closed && end === text.length ? value : null;
}

/** Splits a comma-separated list of names and converts them to lower case. */
export function nameList(text: string): string[] {
  return partsOf(text.toLowerCase(), ',');
}

/** Splits a text at each separator, even inside quotes. @returns The parts, trimmed, without empty ones */
export function partsOf(text: string, separator: string): string[] {
  const parts = text.split(separator).map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

/**
 * Writes a token as is and anything else quoted; characters not allowed in field values are dropped (RFC 9110 5.5).
 */
export function tokenOrQuoted(value: string): string {
  if (/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(value)) return value;
  return quoted(value.replace(/[^\t\x20-\x7e]/g, ''));
}

/** Writes a quoted-string (RFC 9110 5.6.4), or a string of Structured Fields (RFC 9651 3.3.3). */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
