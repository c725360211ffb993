// @supports and supports() (CSS Conditional 4): a property is supported if MDN's data have it, or if it has WebKit's
// prefix. The value is ignored, since a page that tests a value wants to use it.

import { createRequire } from 'node:module';
import { type CssNode, childrenOf, preludeOf } from './css-tree.ts';
import { chromiumFormat, chromiumTech } from './font-face.ts';

/** Properties that MDN's data have and Chromium 156 does not support. */
const notChromium = new RegExp(
  '^(?:-webkit-(?:backdrop-filter|hyphens|initial-letter|mask-(?:attachment|repeat-.)|overflow-scrolling|touch-callout)|' +
    '(?:align|justify)-tracks|box-(?:align|direction|flex|flex-group|lines|ordinal-group|orient|pack)|caret|' +
    'font-(?:smooth|synthesis-position|width)|hanging-punctuation|im(?:age-resolution|e-mode)|initial-letter-align|' +
    'line-(?:clamp|height-step)|margin-trim|mas(?:k-border.*|onry-auto-flow)|max-lines|overflow-clip-box|ruby-merge|' +
    'scroll-snap-(?:coordinate|destination|points-.|type-.)|speak-as|stroke-color|text-decoration-(?:inset|skip)|' +
    'timeline-trigger-(?:exit-)?range.*)$',
);
const ofOthers = /(?:^|[\s:(,])-(?:moz|ms|o|khtml)-/i;
let known: object | null = null;

export function isSupported(condition: string): boolean {
  const [node] = preludeOf('supports', condition) ?? [];
  return node !== undefined && holds(node);
}

/** Whether a condition of `@supports` or `supports()` holds. */
function holds(node: CssNode): boolean {
  switch (node.type) {
    case 'Condition':
      return conditionHolds(childrenOf(node));
    case 'SupportsDeclaration':
      return declarationHolds((node as unknown as { declaration: CssNode }).declaration);
    case 'FeatureFunction': // a selector() that css-tree could parse
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
  const name = property.toLowerCase();
  if (notChromium.test(name)) return false;
  if (/^--|^-webkit-/.test(name)) return true;
  known ??= createRequire(import.meta.url)('mdn-data/css/properties.json') as object;
  return Object.hasOwn(known, name);
}
