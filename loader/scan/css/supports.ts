// @supports and supports() (CSS Conditional 4): a property is supported if MDN's data have it, or if it has WebKit's
// prefix. The value is ignored, since a page that tests a value wants to use it.

import { createRequire } from 'node:module';
import { isMark, type Value, valuesOf, wordOf } from '../style/component-values.ts';
import { conditionOf, type Truth } from '../style/condition.ts';
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
  return conditionOf(valuesOf(condition) ?? [], operandHolds) === true;
}

/** @returns undefined if the operand is a condition in parentheses */
function operandHolds({ type, text, content }: Value): Truth | undefined {
  if (type === 'block') return declarationHolds(content);
  if (text === 'font-format') return chromiumFormat.has(wordOf(content[0]));
  if (text === 'font-tech') return chromiumTech.has(wordOf(content[0]));
  return text === 'selector' ? !isOfOthers(content) : null;
}

/** Whether a declaration in the parentheses of supports() holds; undefined: they contain no declaration. */
export function declarationHolds(content: readonly Value[]): boolean | undefined {
  const [property, colon] = content;
  if (property?.type !== 'word' || !isMark(colon, ':')) return undefined;
  const name = wordOf(property);
  if (notChromium.test(name) || isOfOthers(content)) return false;
  if (/^--|^-webkit-/.test(name)) return true;
  known ??= createRequire(import.meta.url)('mdn-data/css/properties.json') as object;
  return Object.hasOwn(known, name);
}

const isOfOthers = (values: readonly Value[]): boolean =>
  values.some(({ text, content }) => /^-(?:moz|ms|o|khtml)-/i.test(text) || isOfOthers(content));
