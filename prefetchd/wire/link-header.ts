// Reads and writes the Link header field (RFC 8288 3). The reader follows appendix B.2 to B.4 with two differences: a
// member that does not begin with < is skipped up to its comma instead of ending the field, and a link without rel is
// ignored. It takes linear time, reads limited characters and links, and never throws; a link cut by the limit is left
// out. Invariant: parseLinks reads what formatLink writes.

import {
  endOfMember,
  type FieldValue,
  readQuotedString,
  tokenOrQuoted,
} from '../../http/field-syntax.ts';

export interface Link {
  /** Absolute URL, resolved against the URL of the response (RFC 8288 3.1). */
  url: string;
  /** Relation types in lower case, in order; only the first rel parameter counts (3.3). */
  rels: readonly string[];
  /** Parameters by lower-case name; the first value of a repeated name; '' if there is no value. `title*` is
   *  decoded. */
  params: ReadonlyMap<string, string>;
  /** Absolute URL of the resource that the link is about; null: the response itself (3.2). */
  anchor: string | null;
}

export interface LinkLimits {
  /** Limit on the characters read, over all header lines. */
  maxCharacters?: number;
  maxLinks?: number;
}

export const linkLimits: Readonly<Required<LinkLimits>> = {
  maxCharacters: 64 * 1024,
  maxLinks: 100,
};

/** Reads the links of a response from the URL `base`. Header lines are read separately, so a broken one does not affect
 *  the others. */
export function parseLinks(field: FieldValue, base: string, limits: LinkLimits = {}): Link[] {
  const { maxCharacters, maxLinks } = { ...linkLimits, ...limits };
  const lines = typeof field === 'object' ? field : field === undefined ? [] : [String(field)];
  const links: Link[] = [];
  let left = maxCharacters;
  for (const line of lines) {
    if (left <= 0 || links.length >= maxLinks) break;
    readLine(line.slice(0, left), line.length > left, base, maxLinks, links);
    left -= line.length;
  }
  return links;
}

function readLine(
  text: string,
  isCut: boolean,
  base: string,
  maxLinks: number,
  links: Link[],
): void {
  let at = 0;
  while (links.length < maxLinks) {
    at = skip(text, at, isSpaceOrComma);
    if (at >= text.length) return;
    if (text[at] !== '<') {
      at = endOfMember(text, at);
      continue;
    }
    const close = text.indexOf('>', at);
    if (close === -1) return;
    const target = text.slice(at + 1, close);
    const params = new Map<string, string>();
    at = readParameters(text, close + 1, params);
    if (at >= text.length && isCut) return;
    const link = linkOf(target, params, base);
    if (link !== null) links.push(link);
    if (text[at] !== ',') at = endOfMember(text, at);
  }
}

function linkOf(target: string, params: Map<string, string>, base: string): Link | null {
  const rels = (params.get('rel') ?? '')
    .toLowerCase()
    .split(/[ \t]+/)
    .filter((rel) => rel !== '');
  const url = URL.parse(target, base);
  if (rels.length === 0 || url === null) return null;
  const named = params.get('anchor');
  const anchor = named === undefined ? null : URL.parse(named, base);
  if (named !== undefined && anchor === null) return null;
  return { url: url.href, rels, params, anchor: anchor?.href ?? null };
}

/** Reads parameters (appendix B.3). Returns the position after them: a comma, garbage, or the end of the text. */
function readParameters(text: string, start: number, params: Map<string, string>): number {
  let at = skip(text, start, isSpace);
  while (text[at] === ';') {
    const from = skip(text, at + 1, isSpace);
    at = skip(text, from, (code) => !isSpace(code) && !isOneOf(code, '=;,'));
    const name = text.slice(from, at).toLowerCase();
    let value = '';
    at = skip(text, at, isSpace);
    if (text[at] === '=') {
      at = skip(text, at + 1, isSpace);
      if (text[at] === '"') {
        ({ value, end: at } = readQuotedString(text, at));
      } else {
        const valueFrom = at;
        at = skip(text, at, (code) => !isOneOf(code, ';,'));
        value = text.slice(valueFrom, at).trimEnd();
      }
    }
    at = skip(text, at, isSpace);
    keep(params, name, value);
  }
  return at;
}

function keep(params: Map<string, string>, name: string, value: string): void {
  if (name === '' || params.has(name)) return;
  const decoded = name.endsWith('*') ? decodedValue(value) : value;
  if (decoded !== null) params.set(name, decoded);
}

/** Decodes a value such as `UTF-8'de'letztes%20Kapitel` (RFC 8187 3.2); null if it is not UTF-8. */
function decodedValue(value: string): string | null {
  const match = /^utf-8'[^']*'([^']*)$/i.exec(value);
  if (match === null) return null;
  try {
    return decodeURIComponent(match[1] as string);
  } catch {
    return null;
  }
}

function skip(text: string, start: number, passes: (code: number) => boolean): number {
  let at = start;
  while (at < text.length && passes(text.charCodeAt(at))) at++;
  return at;
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x09;
const isSpaceOrComma = (code: number): boolean => isSpace(code) || code === 0x2c;
const isOneOf = (code: number, characters: string): boolean =>
  characters.includes(String.fromCharCode(code));

/**
 * Writes one member of the field. `target` is a serialised URL (hint.ts); any character the parser would have escaped
 * is escaped again, so that a caller's mistake cannot break out of <>. A parameter with null has no value.
 */
export function formatLink(
  target: string,
  params: ReadonlyArray<readonly [name: string, value: string | null]>,
): string {
  const safe = target
    .toWellFormed()
    .replace(/[^\x21\x23-\x3b\x3d\x3f-\x7e]/gu, (character) => encodeURIComponent(character));
  const written = params.map(([name, value]) =>
    value === null ? `; ${name}` : `; ${name}=${tokenOrQuoted(value)}`,
  );
  return `<${safe}>${written.join('')}`;
}
