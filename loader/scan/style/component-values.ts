// Parses text into component values (CSS Syntax 3, 5.4.8): the tokens of css-tree, nested by their brackets. Values of
// properties, media queries, conditions of @supports and sizes of images are read from them.

import { createRequire } from 'node:module';

export interface Value {
  /** A `block` is enclosed in parentheses or square brackets; a `mark` is any other token. */
  readonly type: 'url' | 'string' | 'word' | 'number' | 'function' | 'block' | 'mark';
  /** The text with escapes decoded; of a function, its name in lower case; of a block, its bracket. */
  readonly text: string;
  /** What is inside the brackets; [] for other types. */
  readonly content: Value[];
}

interface Library {
  tokenize(text: string, onToken: (type: number, start: number, end: number) => void): void;
  readonly tokenTypes: Readonly<Record<string, number>>;
}
type Decoders = Record<'ident' | 'string' | 'url', { decode(text: string): string }>;

/** Deepest nesting that is read, which no page needs; a value with more is invalid. */
const deepest = 32;

let parse: ((text: string) => Value[] | null) | null = null;

/** The component values of a text, without white space and comments. @returns null if the text is invalid */
export function valuesOf(text: string): Value[] | null {
  parse ??= loadParser();
  return parse(text);
}

function loadParser(): (text: string) => Value[] | null {
  const require = createRequire(import.meta.url);
  const { tokenize, tokenTypes: t } = require('css-tree/tokenizer') as Library;
  const { ident, string, url } = require('css-tree/utils') as Decoders;
  const ignored = new Set([t.WhiteSpace, t.Comment]);
  const invalid = new Set([t.BadUrl, t.BadString, t.LeftCurlyBracket, t.RightCurlyBracket]);
  const numbers = new Set([t.Number, t.Percentage, t.Dimension]);
  const ends = new Map([
    [t.Function, t.RightParenthesis],
    [t.LeftParenthesis, t.RightParenthesis],
    [t.LeftSquareBracket, t.RightSquareBracket],
  ]);
  const leaf = (type: number, text: string): Value => {
    if (type === t.Ident) return { type: 'word', text: ident.decode(text), content: [] };
    if (type === t.String) return { type: 'string', text: string.decode(text), content: [] };
    if (type === t.Url) return { type: 'url', text: url.decode(text), content: [] };
    return { type: numbers.has(type) ? 'number' : 'mark', text, content: [] };
  };
  return (text) => {
    const top: Value[] = [];
    const open: Array<{ end: number | undefined; content: Value[] }> = [];
    let isValid = true;
    tokenize(text, (type, start, stop) => {
      isValid &&= !invalid.has(type) && open.length <= deepest;
      if (!isValid || ignored.has(type)) return;
      const around = open.at(-1);
      if (around !== undefined && type === around.end) open.pop();
      else {
        const written = text.slice(start, stop);
        const value = ends.has(type) ? outer(type, written) : leaf(type, written);
        (around?.content ?? top).push(value);
        if (ends.has(type)) open.push({ end: ends.get(type), content: value.content });
      }
    });
    return isValid ? top : null;
  };
  function outer(type: number, text: string): Value {
    if (type !== t.Function) return { type: 'block', text, content: [] };
    return { type: 'function', text: ident.decode(text.slice(0, -1)).toLowerCase(), content: [] };
  }
}

/** The URL of `url(x)` or `url("x")`; null: the value is neither. */
export function urlOf({ type, text, content }: Value): string | null {
  if (type === 'url') return text;
  const [only, ...others] = type === 'function' && text === 'url' ? content : [];
  return only?.type === 'string' && others.length === 0 ? only.text : null;
}

/** The text of a word in lower case; '' for any other value. */
export const wordOf = (value: Value | undefined): string =>
  value?.type === 'word' ? value.text.toLowerCase() : '';

export const isMark = (value: Value | undefined, text: string): boolean =>
  value?.type === 'mark' && value.text === text;

export function splitAtCommas(values: readonly Value[]): Value[][] {
  const parts: Value[][] = [[]];
  for (const value of values) {
    if (isMark(value, ',')) parts.push([]);
    else parts.at(-1)?.push(value);
  }
  return parts;
}
