// @supports and supports() (CSS Conditional 4): a property is supported if MDN's data have it, or if it has WebKit's
// prefix. The value is ignored, since a page that tests a value wants to use it.

import { createRequire } from 'node:module';
import { conditionOf, type Truth } from '../style/condition.ts';
import { type CssNode, childrenOf, nameOf, parsed, partsOf, wordOf } from '../style/css-tree.ts';
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
let known: object | null = null;

export function isSupported(condition: string): boolean {
  const truthOf = (node: CssNode): Truth => {
    if (node.type === 'Condition') return conditionOf(node, truthOf);
    const text = condition.slice(node.loc.start.offset, node.loc.end.offset);
    if (node.type === 'SupportsDeclaration') return declarationHolds(text.slice(1)) ?? null;
    const [, name] = /^([-\w]*)\(/.exec(text.toLowerCase()) ?? [];
    const [first] = childrenOf(node);
    if (name === 'font-format') return chromiumFormat.has(wordOf(first));
    if (name === 'font-tech') return chromiumTech.has(wordOf(first));
    return name === 'selector' ? !isOfOthers(text) : null;
  };
  const options = { context: 'condition', kind: 'supports', positions: true };
  const whole = parsed(partsOf(condition), options);
  return whole !== null && truthOf(whole) === true;
}

/** Whether Chromium supports a declaration; undefined if the text is no declaration. */
export function declarationHolds(text: string): boolean | undefined {
  const [, property] = /^\s*([-\w\\]+)\s*:/.exec(text) ?? [];
  if (property === undefined) return undefined;
  const name = nameOf(property);
  if (notChromium.test(name) || isOfOthers(text)) return false;
  if (/^--|^-webkit-/.test(name)) return true;
  known ??= createRequire(import.meta.url)('mdn-data/css/properties.json') as object;
  return Object.hasOwn(known, name);
}

const isOfOthers = (text: string): boolean => /(?<![-\w])-(?:moz|ms|o|khtml)-/i.test(text);
