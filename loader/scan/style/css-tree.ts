// css-tree's parser and tokenizer, loaded only when they are needed: loading them takes about as long as parsing ten
// sheets. Of a sheet only the structure is parsed; preludes and values stay text until they are needed.

import { createRequire } from 'node:module';

/** A node of css-tree's syntax tree, with the fields that are read here. */
export interface CssNode {
  readonly type: string;
  readonly name: string;
  readonly property: string;
  /** The text of a leaf node. In a declaration or a media feature it is really a node, which `nodeIn` returns. */
  readonly value: string;
  readonly unit: string;
  /** true for `!important`; a string is another flag, which makes the declaration invalid. */
  readonly important: boolean | string;
  readonly children: Iterable<CssNode> | null;
  readonly prelude: CssNode | null;
  readonly block: CssNode | null;
  readonly loc: { start: { offset: number }; end: { offset: number } };
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
  library = {
    parse,
    ...require('css-tree/tokenizer'),
    ...require('css-tree/utils'),
  } as CssTreeLibrary;
  return library;
}

/** Deepest nesting of blocks and brackets that is read; no page needs as much. */
const deepest = 128;
/**
 * Length in characters beyond which a piece of a sheet ends after the current rule. Pieces are short because css-tree
 * clears, for each text, as much memory as its longest text so far has taken.
 */
const longestPiece = 32 * 1024;
const asText = {
  positions: true,
  parseValue: false,
  parseRulePrelude: false,
  parseAtrulePrelude: false,
};

/** Parses a text, given as its parts (`partsOf`). @param options Options of css-tree @returns null if it fails */
export function parsed(parts: readonly string[], options: object): CssNode | null {
  const { parse } = library ?? load();
  const text = parts.join('');
  // At a closing bracket that closes nothing, css-tree 3.2.1 looks at the token whose index is the length of the text.
  // An earlier text has left it there; if it is an opening bracket, css-tree may go round for ever. Parsing semicolons
  // leaves a token there that does no harm.
  if (parts.some((part) => /^[)\]}]$/.test(part)))
    parse(';'.repeat(text.length + 1), { context: 'declarationList' });
  try {
    return parse(text, options);
  } catch {
    return null;
  }
}

/** Returns the components of a value; null if it is invalid. */
export function valuesOf(text: string): CssNode[] | null {
  // A value without a closing bracket, as most are, is not split: css-tree fails only on brackets that close nothing.
  const parts = /[)\]}]/.test(text) ? partsOf(text) : [text];
  const value = parsed(parts, { context: 'value', parseCustomProperty: true });
  return value && childrenOf(value);
}

/**
 * Returns the rules of a sheet, or the declarations of a style attribute.
 * @param offset Where the text begins in its sheet; it is added to all positions
 */
export function structureOf(
  text: string,
  offset = 0,
  context: 'stylesheet' | 'declarationList' = 'stylesheet',
): CssNode[] {
  const nodes: CssNode[] = [];
  let [piece, start, length]: [string[], number, number] = [[], offset, 0];
  const read = () => {
    const root = parsed(piece, { ...asText, offset: start, context });
    for (const node of childrenOf(root)) nodes.push(node);
    [piece, start, length] = [[], start + length, 0];
  };
  for (const part of partsOf(text)) {
    piece.push(part);
    length += part.length;
    if (length > longestPiece && part.endsWith('}')) read();
  }
  read();
  return nodes;
}

export const childrenOf = (node: CssNode | null): CssNode[] => [...(node?.children ?? [])];

export const nodeIn = ({ value }: CssNode): CssNode | null => value as unknown as CssNode | null;

/** Decodes the escapes in a name, and lowercases it unless it is that of a custom property. */
export function nameOf(written: string): string {
  const { ident } = library ?? load();
  const name = written.includes('\\') ? ident.decode(written) : written;
  return name.startsWith('--') ? name : name.toLowerCase();
}

/** Returns a word, the name of a function or a string, decoded as by `nameOf`; '' for another node. */
export const wordOf = (node: CssNode | undefined): string =>
  nameOf(node?.name ?? (node?.type === 'String' ? node.value : ''));

/** Returns the URL of `url(x)` or `url("x")`; null: the value is neither. */
export const urlOf = (node: CssNode | undefined): string | null =>
  node?.type === 'Url' ? node.value.trim() : null;

export function splitAtCommas(values: readonly CssNode[]): CssNode[][] {
  const parts: CssNode[][] = [[]];
  for (const value of values) {
    if (value.type === 'Operator' && value.value === ',') parts.push([]);
    else parts.at(-1)?.push(value);
  }
  return parts;
}

const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/**
 * Splits a text into tokens; a function or a block is one token with its content. Comments become blanks, so that
 * positions stay the same. The result ends where the text is nested too deep.
 */
export function partsOf(text: string): string[] {
  const { tokenize, tokenTypes: t } = library ?? load();
  const parts: string[] = [];
  const open: string[] = [];
  tokenize(text, (type, start, end) => {
    if (open.length > deepest) return;
    const character = text[start] ?? '';
    const closer = type === t.Function ? ')' : closers[character];
    const written = type === t.Comment ? ' '.repeat(end - start) : text.slice(start, end);
    parts.push(open.length > 0 ? `${parts.pop()}${written}` : written);
    if (closer !== undefined) open.push(closer);
    else if (character === open.at(-1)) open.pop();
  });
  return parts;
}

/** Splits a text at the commas outside brackets. */
export function listOf(text: string): string[] {
  const items = [''];
  for (const part of partsOf(text)) {
    if (part === ',') items.push('');
    else items.push(`${items.pop()}${part}`);
  }
  return items.map((each) => each.trim());
}
