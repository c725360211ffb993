// The tokens of one value, as far as finding URLs in it needs them (CSS Syntax 3, 4).

import { decoded } from './escapes.ts';

export interface ValueToken {
  /** A function with its `(`; a word is an identifier, a number or a hash; a mark is any other character. */
  type: 'function' | 'url' | 'string' | 'word' | 'space' | 'mark';
  /** Decoded; of a function its name in lower case. */
  value: string;
  start: number;
  end: number;
}

/** White space that ends an escape of hexadecimal digits. */
const ofEscape = '(?<=\\\\[0-9a-fA-F]{1,6})[ \\t\\n\\f\\r]';
const name = `(?:[-+.#%\\w\\u0000\\u0080-\\uffff]|\\\\[^\\n\\r\\f]|${ofEscape})+`;
const token = new RegExp(
  [
    '((?:[ \\t\\n\\f\\r]|/\\*\\*/)+)',
    // Strings and URLs may be open at the end, which closes them.
    '("(?:[^"\\\\\\n\\r\\f]|\\\\(?:\\r\\n|[\\s\\S]))*(?:"|\\\\?$)|\'(?:[^\'\\\\\\n\\r\\f]|\\\\(?:\\r\\n|[\\s\\S]))*(?:\'|\\\\?$))',
    `(url\\([ \\t\\n\\f\\r]*(?![ \\t\\n\\f\\r"'])(?:[^"'()\\\\ \\t\\n\\f\\r]|\\\\[^\\n\\r\\f]|${ofEscape})*[ \\t\\n\\f\\r]*(?:\\)|\\\\?$))`,
    `(${name}\\()`,
    `(${name})`,
    '([\\s\\S])',
  ].join('|'),
  'iy',
);

const trimmable = /^[ \t\n\f\r]+|[ \t\n\f\r]+$/g;

/** @returns null: a bad string or a bad URL makes it invalid */
export function valueTokens(text: string): ValueToken[] | null {
  const tokens: ValueToken[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const start = token.lastIndex;
    const match = token.exec(text);
    if (match === null) return null;
    const [, space, string, url, called, word, mark] = match;
    const end = token.lastIndex;
    const add = (type: ValueToken['type'], value: string) =>
      tokens.push({ type, value, start, end });
    if (space !== undefined) add('space', ' ');
    else if (string !== undefined) add('string', decoded(withoutQuotes(string)));
    else if (url !== undefined) add('url', decoded(contentOfUrl(url)));
    else if (called !== undefined) {
      const value = decoded(called.slice(0, -1)).toLowerCase();
      if (value === 'url' && !/[ \t\n\f\r]*["']/y.test(text.slice(end, end + 256))) return null;
      add('function', value);
    } else if (word !== undefined) add('word', decoded(word));
    else if (mark === '"' || mark === "'") return null;
    else add('mark', mark as string);
  }
  return tokens;
}

function withoutQuotes(text: string): string {
  const isClosed = text.length > 1 && text.endsWith(text[0] as string) && !endsEscaped(text);
  return text.slice(1, isClosed ? -1 : undefined);
}

function contentOfUrl(text: string): string {
  const isClosed = text.endsWith(')') && !endsEscaped(text);
  return text.slice(4, isClosed ? -1 : undefined).replace(trimmable, '');
}

/** Whether an odd number of backslashes stands before the last character. */
function endsEscaped(text: string): boolean {
  let backslashes = 0;
  while (text[text.length - 2 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

/** Index after the `)` that closes the function or group whose content begins at `from`. */
export function endOfBlock(tokens: readonly ValueToken[], from: number): number {
  let depth = 1;
  for (let index = from; index < tokens.length; index++) {
    const { type, value } = tokens[index] as ValueToken;
    if (type === 'function' || (type === 'mark' && value === '(')) depth++;
    else if (type === 'mark' && value === ')' && --depth === 0) return index + 1;
  }
  return tokens.length;
}

/** What is in the block that begins at `from`, without its `)`. */
export function contentOfBlock(tokens: readonly ValueToken[], from: number): ValueToken[] {
  const end = endOfBlock(tokens, from);
  const last = tokens[end - 1];
  const isClosed = last !== undefined && end > from && last.type === 'mark' && last.value === ')';
  return tokens.slice(from, isClosed ? end - 1 : end);
}

/** The parts between commas that stand in no parentheses. */
export function splitAtCommas(tokens: readonly ValueToken[]): ValueToken[][] {
  const parts: ValueToken[][] = [[]];
  let depth = 0;
  for (const each of tokens) {
    const { type, value } = each;
    if (type === 'function' || (type === 'mark' && value === '(')) depth++;
    else if (type === 'mark' && value === ')') depth--;
    if (depth === 0 && type === 'mark' && value === ',') parts.push([]);
    else parts.at(-1)?.push(each);
  }
  return parts;
}

export const isWord = (each: ValueToken | undefined, value: string): boolean =>
  each?.type === 'word' && each.value.toLowerCase() === value;

export const withoutSpaces = (tokens: readonly ValueToken[]): ValueToken[] =>
  tokens.filter(({ type }) => type !== 'space');
