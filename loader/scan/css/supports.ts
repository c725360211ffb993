// @supports and supports() (CSS Conditional 4): a property is supported if it is known to MDN or has the prefix of
// WebKit. Its value is not looked at: a page that tests one wants to use it.

import { createRequire } from 'node:module';
import { type CssNode, childrenOf, preludeOf } from './css-tree.ts';
import { chromiumFormat, chromiumTech } from './font-face.ts';

const ofOthers = /(?:^|[\s:(,])-(?:moz|ms|o|khtml)-/i;
let known: object | null = null;

export function isSupported(condition: string): boolean {
  const [node] = preludeOf('supports', condition) ?? [];
  return node !== undefined && holds(node);
}

/** Of `@supports` or in `supports()`. */
function holds(node: CssNode): boolean {
  switch (node.type) {
    case 'Condition':
      return conditionHolds(childrenOf(node));
    case 'SupportsDeclaration':
      return declarationHolds((node as unknown as { declaration: CssNode }).declaration);
    case 'FeatureFunction': // selector(), which css-tree could read
      return true;
    case 'GeneralEnclosed': {
      const { function: called } = node as unknown as { function: string | null };
      const name = childrenOf(node)[0]?.name?.toLowerCase() ?? '';
      if (called === 'font-format') return chromiumFormat.has(name);
      return called === 'font-tech' && chromiumTech.has(name);
    }
    default:
      return false;
  }
}

function conditionHolds(nodes: readonly CssNode[]): boolean {
  let result: boolean | null = null;
  let isNegated = false;
  let isOr = false;
  for (const node of nodes) {
    const word = node.type === 'Identifier' ? node.name.toLowerCase() : '';
    if (word === 'not') isNegated = true;
    else if (word === 'or' || word === 'and') isOr = word === 'or';
    else {
      const one = holds(node) !== isNegated;
      result = result === null ? one : isOr ? result || one : result && one;
      isNegated = false;
    }
  }
  return result ?? false;
}

function declarationHolds({ property, value }: CssNode): boolean {
  if (ofOthers.test(`${property}:${(value as unknown as CssNode).value}`)) return false;
  if (property.startsWith('--') || /^-webkit-/i.test(property)) return true;
  known ??= createRequire(import.meta.url)('mdn-data/css/properties.json') as object;
  return Object.hasOwn(known, property.toLowerCase());
}
