// css-tree's tokenizer and parser, loaded only when they are needed: loading them takes about as long as parsing ten
// sheets. Its tokens make the statements of a sheet; values and conditions stay text until they are parsed.

import { createRequire } from 'node:module';

/** A node of css-tree's syntax tree, with the fields that are read here. */
export interface CssNode {
  readonly type: string;
  readonly name: string;
  /** The text of a leaf node. In a media feature it is really a node, which `nodeIn` returns. */
  readonly value: string;
  readonly unit: string;
  /** Fields of a media query: `not screen and (width > 9px)`. */
  readonly modifier: 'not' | 'only' | null;
  readonly mediaType: string | null;
  readonly condition: CssNode | null;
  /** Field of a declaration in the condition of @supports. */
  readonly declaration: { readonly property: string };
  /** Terms and comparisons of a range, `9px < width` or `9px < width < 99px`; a ratio has only `left` and `right`. */
  readonly left: CssNode;
  readonly leftComparison: string;
  readonly middle: CssNode;
  readonly rightComparison: string | null;
  readonly right: CssNode | null;
  readonly children: Iterable<CssNode> | null;
}

/** A rule, an at-rule or a declaration of a style sheet. */
export interface Statement {
  /** Name of an at-rule with its `@`, or of a property, decoded; '' for a rule. */
  readonly name: string;
  /** The selectors of a rule, the prelude of an at-rule, or the value of a declaration. */
  readonly text: string;
  /** What is in its braces; null: it has none. */
  readonly block: string | null;
  /** Where the statement, its block and what follows it begin, in characters from the start of the sheet. */
  readonly offset: number;
  readonly inside: number;
  readonly end: number;
  /** Whether the statement ends with a semicolon. */
  readonly isComplete: boolean;
}

interface CssTreeLibrary {
  parse(text: string, options: object): CssNode;
  tokenize(text: string, onToken: (type: number, start: number, end: number) => void): void;
  readonly tokenTypes: Readonly<Record<string, number>>;
  readonly ident: { decode(text: string): string };
}

let library: CssTreeLibrary | null = null;

function load(): CssTreeLibrary {
  const require = createRequire(import.meta.url);
  const parse = require('css-tree/parser') as CssTreeLibrary['parse'];
  library = { parse, ...require('css-tree/tokenizer'), ...require('css-tree/utils') };
  return library as CssTreeLibrary;
}

/** Deepest nesting of blocks and brackets that is read; no page needs as much. */
const deepest = 32;

/** Parses a text without its comments. @param options Options of css-tree @returns null if it fails */
export function parsed(text: string, options: object): CssNode | null {
  const parts = partsOf(text);
  // At a closing bracket that closes nothing, css-tree 3.2.1 may go round for ever; nothing valid has one.
  if (parts.some((part) => /^[)\]}]$/.test(part))) return null;
  try {
    return (library ?? load()).parse(parts.join(''), options);
  } catch {
    return null;
  }
}

/** Returns the components of a value; null if it is invalid. */
export function valuesOf(text: string): CssNode[] | null {
  const value = parsed(text, { context: 'value', parseCustomProperty: true });
  return value && childrenOf(value);
}

export const childrenOf = (node: CssNode | null): CssNode[] => [...(node?.children ?? [])];

export const nodeIn = ({ value }: CssNode): CssNode | null => value as unknown as CssNode | null;

/** Decodes the escapes in a name, and lowercases it unless it is that of a custom property. */
export function nameOf(written: string): string {
  const name = written.includes('\\') ? (library ?? load()).ident.decode(written) : written;
  return name.startsWith('--') ? name : name.toLowerCase();
}

/** Returns a word, the name of a function or a string, decoded as by `nameOf`; '' for another node. */
export const wordOf = (node: CssNode | undefined): string =>
  nameOf(node?.name ?? (node?.type === 'String' ? node.value : ''));

/** Returns the URL of `url(x)` or `url("x")`; null: the value is neither. */
export const urlOf = (node: CssNode | undefined): string | null =>
  node?.type === 'Url' ? node.value.trim() : null;

function split<T>(items: readonly T[], isBetween: (item: T) => boolean): T[][] {
  const parts: T[][] = [[]];
  for (const item of items) {
    if (isBetween(item)) parts.push([]);
    else parts.at(-1)?.push(item);
  }
  return parts;
}

export const splitAtCommas = (values: readonly CssNode[]): CssNode[][] =>
  split(values, ({ type, value }) => type === 'Operator' && value === ',');

const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/**
 * Splits a text into tokens; a function or a block is one token with its content. Comments become blanks, except in
 * blocks. The result ends where the text is nested too deep.
 */
export function partsOf(text: string): string[] {
  const { tokenize, tokenTypes: t } = library ?? load();
  const parts: string[] = [];
  const open: string[] = [];
  let [from, isTooDeep] = [0, false];
  tokenize(text, (type, start, end) => {
    if (isTooDeep) return;
    const character = text[start] ?? '';
    const closer = type === t.Function ? ')' : closers[character];
    if (closer !== undefined) open.push(closer);
    else if (open.length > 0 && character === open.at(-1)) open.pop();
    isTooDeep = open.length > deepest;
    if (open.length > 0 && !isTooDeep && end < text.length) return;
    parts.push(
      type === t.Comment && open.length === 0 ? ' '.repeat(end - from) : text.slice(from, end),
    );
    from = end;
  });
  return parts;
}

/** Splits a text at the commas outside brackets. */
export const listOf = (text: string): string[] =>
  split(partsOf(text), (part) => part === ',').map((parts) => parts.join('').trim());

/**
 * Splits a text into statements (CSS Syntax 3, 5.5).
 * @param offset Where the text begins in its sheet
 * @param isInside Whether the text is in a rule or an attribute, where declarations and nested rules are
 */
export function statementsOf(text: string, offset: number, isInside: boolean): Statement[] {
  const statements: Statement[] = [];
  const isBetween = isInside ? /^[\s;]*$/ : /^(?:\s*|<!--|-->)$/;
  let [first, after, start, end] = ['', '', offset, offset];
  for (const part of [...partsOf(text), '']) {
    end += part.length;
    const isAt = first.startsWith('@');
    const isCustom = isInside && first.startsWith('--');
    const hasBlock = part.startsWith('{') && !isCustom;
    const isEnd = hasBlock || part === '' || (part === ';' && (isInside || isAt));
    if (first === '' && isBetween.test(part)) start = end;
    else if (first === '' && !isEnd) first = part;
    else if (!isEnd) after += part;
    else {
      const block = hasBlock ? part.slice(1, part.endsWith('}') ? -1 : undefined) : null;
      const inside = end - part.length + 1;
      const rest = { block, offset: start, inside, end, isComplete: part === ';' };
      const [, value] = (isInside && /^\s*:(.*)$/s.exec(after)) || [];
      if (isAt) statements.push({ name: nameOf(first), text: after, ...rest });
      else if (hasBlock) statements.push({ name: '', text: first + after, ...rest });
      else if (value || (value === '' && isCustom))
        statements.push({ name: nameOf(first), text: value, ...rest });
      [first, after, start] = ['', '', end];
    }
  }
  return statements;
}
