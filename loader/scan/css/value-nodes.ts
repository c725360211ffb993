// Parses one value into its component values (CSS Values 4, 2) with csstools' parser: css-tree's parser takes as long
// for a short text as for the longest that it has parsed.

import {
  type ComponentValue,
  isFunctionNode,
  isSimpleBlockNode,
  isTokenNode,
  isWhiteSpaceOrCommentNode,
  parseListOfComponentValues,
} from '@csstools/css-parser-algorithms';
import { type CSSToken, TokenType, tokenize } from '@csstools/css-tokenizer';
import { isTooDeep } from '../style/quantity.ts';

export interface ValueNode {
  /** A `block` is enclosed in parentheses or square brackets; a `mark` is any other token. */
  readonly type: 'url' | 'string' | 'word' | 'function' | 'block' | 'mark';
  /** The text with escapes decoded; for a function, its name. */
  readonly text: string;
  readonly content: readonly ValueNode[];
  readonly source: ComponentValue;
}

/** The nodes of a value, without white space. @returns null if the value is invalid */
export function valueNodes(text: string): ValueNode[] | null {
  if (isTooDeep(text)) return null;
  return nodesOf(parseListOfComponentValues(tokenize({ css: text })));
}

function nodesOf(values: readonly ComponentValue[]): ValueNode[] | null {
  const nodes: ValueNode[] = [];
  for (const value of values) {
    if (isWhiteSpaceOrCommentNode(value)) continue;
    const node = nodeOf(value);
    if (node === null) return null;
    nodes.push(node);
  }
  return nodes;
}

function nodeOf(source: ComponentValue): ValueNode | null {
  if (isTokenNode(source)) return nodeOfToken(source.value, source);
  const isFunction = isFunctionNode(source);
  if (!isFunction && !isSimpleBlockNode(source)) return null;
  if (!isFunction && source.startToken[0] === TokenType.OpenCurly) return null;
  const content = nodesOf(source.value);
  if (content === null) return null;
  const text = isFunction ? source.getName() : source.startToken[1];
  if (text.toLowerCase() !== 'url') {
    return { type: isFunction ? 'function' : 'block', text, content, source };
  }
  const [only, ...others] = content;
  const isUrl = only?.type === 'string' && others.length === 0;
  return isUrl ? { ...only, type: 'url' } : null;
}

const types = new Map<TokenType, ValueNode['type']>([
  [TokenType.URL, 'url'],
  [TokenType.String, 'string'],
  [TokenType.Ident, 'word'],
]);
const invalid = new Set([TokenType.BadURL, TokenType.BadString, TokenType.CloseCurly]);

function nodeOfToken(token: CSSToken, source: ComponentValue): ValueNode | null {
  if (invalid.has(token[0])) return null;
  const type = types.get(token[0]) ?? 'mark';
  const isDecoded = type !== 'mark';
  const text = isDecoded ? (token as { 4: { value: string } })[4].value : token[1];
  return { type, text, content: [], source };
}

export function splitAtCommas(nodes: readonly ValueNode[]): ValueNode[][] {
  const parts: ValueNode[][] = [[]];
  for (const node of nodes) {
    if (node.type === 'mark' && node.text === ',') parts.push([]);
    else parts.at(-1)?.push(node);
  }
  return parts;
}
