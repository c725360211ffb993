// css-tree's parser, loaded when a page has style: to load it takes about as long as to read ten sheets. Of a sheet it
// reads the structure; preludes and values stay text until somebody asks for them.

import { createRequire } from 'node:module';

/** A node of css-tree's syntax tree, as far as it is read here. */
export interface CssNode {
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly unit: string;
  readonly property: string;
  /** `!important`; a text is another flag, which makes the declaration invalid. */
  readonly important: boolean | string;
  readonly children: Iterable<CssNode> | null;
  readonly prelude: CssNode | null;
  readonly block: CssNode | null;
  readonly loc: { start: { offset: number }; end: { offset: number } };
}

type Parse = (text: string, options: object) => CssNode;

/** Blocks and brackets in one another; a text is cut where it is deeper, which no page is. */
const deepest = 128;
const asText = {
  positions: true,
  parseValue: false,
  parseRulePrelude: false,
  parseAtrulePrelude: false,
  parseCustomProperty: false,
};

let parse: Parse | null = null;

function parsed(text: string, options: object): CssNode | null {
  parse ??= createRequire(import.meta.url)('css-tree/parser') as Parse;
  try {
    return parse(text.slice(0, depthEnd(text)), options);
  } catch {
    return null;
  }
}

/**
 * The rules of a sheet, or the declarations of a style attribute.
 * @param offset of the text, which is added to all positions
 */
export const structureOf = (
  text: string,
  offset = 0,
  context: 'stylesheet' | 'declarationList' = 'stylesheet',
): CssNode[] => childrenOf(parsed(text, { ...asText, offset, context }));

/** Of a property or an at-rule, escapes decoded. */
export function nameOf(written: string): string {
  if (!written.includes('\\')) return written.startsWith('--') ? written : written.toLowerCase();
  const { ident } = createRequire(import.meta.url)('css-tree/utils') as {
    ident: { decode(text: string): string };
  };
  return nameOf(ident.decode(written).replaceAll('\\', ''));
}

/** @returns null: the value is invalid */
export function nodesOfValue(text: string): CssNode[] | null {
  const value = parsed(text, { context: 'value', parseCustomProperty: true });
  return value && childrenOf(value);
}

/** The prelude of an at-rule, as css-tree reads it. @returns null: it is invalid */
export function preludeOf(name: string, text: string): CssNode[] | null {
  const [rule] = childrenOf(parsed(`@${name} ${text}`, { positions: true }));
  const prelude = rule?.prelude;
  return prelude?.type === 'AtrulePrelude' ? childrenOf(prelude) : null;
}

export const childrenOf = (node: CssNode | null): CssNode[] => [...(node?.children ?? [])];

/** The parts between commas. */
export function splitAtCommas(nodes: readonly CssNode[]): CssNode[][] {
  const parts: CssNode[][] = [[]];
  for (const node of nodes) {
    if (node.type === 'Operator' && node.value === ',') parts.push([]);
    else parts.at(-1)?.push(node);
  }
  return parts;
}

export const withoutComments = (text: string): string =>
  text.includes('/*') ? text.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, ' ') : text;

function depthEnd(text: string): number {
  const bracket = /[([{}\])]/g;
  let depth = 0;
  for (let match = bracket.exec(text); match !== null; match = bracket.exec(text)) {
    if (!'([{'.includes(match[0])) depth = Math.max(0, depth - 1);
    else if (++depth > deepest) return match.index;
  }
  return text.length;
}
