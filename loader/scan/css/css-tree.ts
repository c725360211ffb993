// css-tree's parser, loaded only when a page has style: loading it takes about as long as parsing ten sheets. It parses
// the structure of a sheet; preludes and values stay text until they are needed.

import { createRequire } from 'node:module';

/** A node of css-tree's syntax tree, with the fields that are read here. */
export interface CssNode {
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly property: string;
  /** true for `!important`; a string is another flag, which makes the declaration invalid. */
  readonly important: boolean | string;
  readonly children: Iterable<CssNode> | null;
  readonly prelude: CssNode | null;
  readonly block: CssNode | null;
  readonly loc: { start: { offset: number }; end: { offset: number } };
}

type Parse = (text: string, options: object) => CssNode;

/** Deepest nesting of blocks and brackets; a text is cut where it is nested deeper, which no page needs. */
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
  parseCustomProperty: false,
};

let parse: Parse | null = null;

function refuse(error: Error): never {
  throw error;
}
function parsed(text: string, options: object): CssNode | null {
  parse ??= createRequire(import.meta.url)('css-tree/parser') as Parse;
  try {
    return parse(text, { ...options, onParseError: refuse });
  } catch {
    // At a bracket that opens nothing, css-tree 3.2.1 looks at the token behind the last one, which an earlier text has
    // left there, and may go round for ever. Semicolons leave one that does no harm.
    parse(';'.repeat(text.length + 1), { context: 'declarationList' });
  }
  try {
    return parse(text, options);
  } catch {
    return null;
  }
}

/**
 * The rules of a sheet, or the declarations of a style attribute.
 * @param offset Where the text begins in its sheet; it is added to all positions
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

/** The name of a property or at-rule, with escapes decoded; in lower case, unless it is a custom property. */
export function nameOf(written: string): string {
  if (!written.includes('\\')) return written.startsWith('--') ? written : written.toLowerCase();
  const { ident } = createRequire(import.meta.url)('css-tree/utils') as {
    ident: { decode(text: string): string };
  };
  return nameOf(ident.decode(written).replaceAll('\\', ''));
}

export const childrenOf = (node: CssNode | null): CssNode[] => [...(node?.children ?? [])];

export const withoutComments = (text: string): string =>
  text.includes('/*') ? text.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, ' ') : text;

const ofStructure =
  /\/\*[\s\S]*?(?:\*\/|$)|"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"?|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'?|\\[\s\S]|[([{}\])]/g;

/** Offsets at which the pieces of a sheet end: after a rule, and where the text ends or is nested too deep. */
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
