// Parses one value into its component values (CSS Values 4, 2), and finds the URLs in it that a browser fetches and the
// custom properties (CSS Images 4, CSS Variables 1). csstools' parser is used, because css-tree's takes as long for a short
// text as for the longest that it has parsed.

import {
  type ComponentValue,
  isFunctionNode,
  isSimpleBlockNode,
  isTokenNode,
  isWhiteSpaceOrCommentNode,
  parseListOfComponentValues,
} from '@csstools/css-parser-algorithms';
import { type CSSToken, TokenType, tokenize } from '@csstools/css-tokenizer';
import { best, isImageType } from '../images/selection.ts';
import type { Screen } from '../style/environment.ts';
import { isTooDeep, quantityOf } from '../style/quantity.ts';

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

export interface ValueUrls {
  readonly urls: string[];
  readonly uses: VariableUse[];
}

/** One use of `var()`. */
export interface VariableUse {
  /** Name of the custom property, with its two dashes. */
  readonly name: string;
  /** What the fallback refers to, which counts if the custom property is not set. */
  readonly fallback: ValueUrls;
}

/** Text that makes a value worth parsing; an escape in the name of a function does so, too. */
const refersPlainly = /url\(|image-set\(|var\(|src\(|-(?:moz|ms|o)-/i;
const mayRefer = (value: string): boolean =>
  refersPlainly.test(value) || (value.includes('\\') && value.includes('('));
const nothing: ValueUrls = { urls: [], uses: [] };

/** Functions that Chromium 156 does not know; a declaration with one of them is ignored. */
const unknown = /^(?:src|image|cross-fade|element|paint-image|-(?:moz|ms|o)-.*)$/i;

/** @returns null if the value is invalid, so that its declaration does not count */
export function urlsOfValue(text: string, screen: Screen): ValueUrls | null {
  if (!mayRefer(text)) return nothing;
  const nodes = valueNodes(text);
  const found: ValueUrls = { urls: [], uses: [] };
  return nodes?.every((node) => read(node, screen, found)) ? found : null;
}

function read(node: ValueNode, screen: Screen, found: ValueUrls): boolean {
  const { type, text, content } = node;
  if (type === 'url') add(found, text);
  if (type === 'word') return !/^-(?:moz|ms|o)-/i.test(text);
  const name = type === 'function' ? text.toLowerCase() : '';
  if (unknown.test(name)) return false;
  if (name === 'var') return readVariable(content, screen, found);
  if (name !== 'image-set' && name !== '-webkit-image-set') {
    return content.every((each) => read(each, screen, found));
  }
  const chosen = imageOfSet(content, screen);
  if (chosen !== null) add(found, chosen);
  return chosen !== null;
}

/** Adds a URL that needs a request: data: URLs contain their content, and a mere fragment is in the same document. */
function add({ urls }: ValueUrls, url: string): void {
  const written = url.trim();
  if (written !== '' && !written.startsWith('#') && !/^data:/i.test(written)) urls.push(written);
}

function readVariable(
  [first, ...rest]: readonly ValueNode[],
  screen: Screen,
  { uses }: ValueUrls,
): boolean {
  if (!first?.text.startsWith('--')) return false;
  const fallback: ValueUrls = { urls: [], uses: [] };
  uses.push({ name: first.text, fallback });
  return rest.every((node) => read(node, screen, fallback));
}

/**
 * Chooses an image of image-set(). The standard leaves the choice open (CSS Images 4, 2.4). Chromium 156 takes the one
 * of the lowest resolution that is sharp on the screen, or else of the highest one; of images with equal resolution it
 * takes the first.
 * @returns '' if no image is of a supported type; null if the image-set() is invalid
 */
function imageOfSet(content: readonly ValueNode[], screen: Screen): string | null {
  const all = splitAtCommas(content).map((part) => optionOf(part, screen));
  const options = all.filter((option) => option !== null);
  if (options.length < all.length) return null;
  const shown = options.filter(({ isShown }) => isShown);
  return best(shown, screen.dpr)?.url ?? '';
}

function optionOf(part: readonly ValueNode[], screen: Screen) {
  let url: string | null = null;
  let density = 1;
  let isShown = true;
  for (const { type, text, content, source } of part) {
    const resolution = quantityOf(source, screen);
    if (type === 'url' || type === 'string') url = text;
    else if (text === 'type') isShown = isImageType(content[0]?.text.toLowerCase() ?? '');
    else if (resolution?.type === 'resolution' && resolution.value >= 0) density = resolution.value;
    else if (type === 'function' && resolution === null)
      url ??= ''; // a gradient
    else return null;
  }
  return url === null ? null : { url, density, isShown };
}
