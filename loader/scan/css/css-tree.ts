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
/**
 * A part of a sheet that is longer ends with the next rule: for each text css-tree clears as much memory as the longest
 * that it has read takes.
 */
const longestPiece = 32 * 1024;
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
    return parse(text, options);
  } catch {
    return null;
  }
}

/**
 * The rules of a sheet, or the declarations of a style attribute.
 * @param offset of the text, which is added to all positions
 */
export function structureOf(
  text: string,
  offset = 0,
  context: 'stylesheet' | 'declarationList' = 'stylesheet',
): CssNode[] {
  const nodes: CssNode[] = [];
  let start = 0;
  for (const end of piecesOf(text)) {
    const piece = parsed(text.slice(start, end), { ...asText, offset: offset + start, context });
    for (const node of childrenOf(piece)) nodes.push(node);
    start = end;
  }
  return nodes;
}

/** Of a property or an at-rule, escapes decoded. */
export function nameOf(written: string): string {
  if (!written.includes('\\')) return written.startsWith('--') ? written : written.toLowerCase();
  const { ident } = createRequire(import.meta.url)('css-tree/utils') as {
    ident: { decode(text: string): string };
  };
  return nameOf(ident.decode(written).replaceAll('\\', ''));
}

/** The prelude of an at-rule, as css-tree reads it. @returns null: it is invalid */
export function preludeOf(name: string, text: string): CssNode[] | null {
  const [rule] = childrenOf(parsed(`@${name} ${text}`, { positions: true }));
  const prelude = rule?.prelude;
  return prelude?.type === 'AtrulePrelude' ? childrenOf(prelude) : null;
}

export const childrenOf = (node: CssNode | null): CssNode[] => [...(node?.children ?? [])];

export const withoutComments = (text: string): string =>
  text.includes('/*') ? text.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, ' ') : text;

const ofStructure =
  /\/\*[\s\S]*?(?:\*\/|$)|"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"?|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'?|\\[\s\S]|[([{}\])]/g;

/** The ends of parts that are read alone, each behind a rule; what is too deep is in none. */
function piecesOf(text: string): number[] {
  const ends: number[] = [];
  let depth = 0;
  let braces = 0;
  let start = 0;
  ofStructure.lastIndex = 0;
  for (let match = ofStructure.exec(text); match !== null; match = ofStructure.exec(text)) {
    const [character] = match;
    if ('([{'.includes(character)) {
      if (character === '{') braces++;
      if (++depth > deepest) return [...ends, match.index];
    } else if (')]}'.includes(character)) {
      depth = Math.max(0, depth - 1);
      if (character === '}') braces = Math.max(0, braces - 1);
      const isLong = match.index - start > longestPiece;
      if (!isLong || braces > 0 || depth > 0) continue;
      start = ofStructure.lastIndex;
      ends.push(start);
    }
  }
  return [...ends, text.length];
}
