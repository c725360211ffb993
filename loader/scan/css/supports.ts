// @supports and supports() (CSS Conditional 4). What a browser supports is not known here, so a test of a property is
// taken to be true unless it has the prefix of another browser. A page that tests a property wants to use it.

import { chromiumFormat, chromiumTech } from './font-face.ts';
import {
  contentOfBlock,
  endOfBlock,
  isWord,
  type ValueToken,
  valueTokens,
  withoutSpaces,
} from './value-tokens.ts';

const deepest = 32;
const ofOthers = /(?:^|[\s:(,])-(?:moz|ms|o|khtml)-/i;

export function isSupported(condition: string): boolean {
  const tokens = valueTokens(condition);
  return tokens !== null && conditionHolds(condition, tokens, 0);
}

function conditionHolds(text: string, all: readonly ValueToken[], depth: number): boolean {
  if (depth > deepest) return false;
  const tokens = withoutSpaces(all);
  let index = 0;
  let result: boolean | null = null;
  let isOr = false;
  while (index < tokens.length) {
    const isNegated = isWord(tokens[index], 'not');
    if (isNegated) index++;
    const token = tokens[index++];
    if (token === undefined) return false;
    const isGroup = token.type === 'mark' && token.value === '(';
    if (!isGroup && token.type !== 'function') return false;
    const content = contentOfBlock(tokens, index);
    index = endOfBlock(tokens, index);
    const truth = isGroup
      ? groupHolds(text, content, depth)
      : functionHolds(token.value, text, content);
    const one = truth !== isNegated;
    result = result === null ? one : isOr ? result || one : result && one;
    if (index === tokens.length) return result;
    isOr = isWord(tokens[index], 'or');
    if (!isOr && !isWord(tokens[index], 'and')) return false;
    index++;
  }
  return false;
}

/** A declaration, or a condition. */
function groupHolds(text: string, content: readonly ValueToken[], depth: number): boolean {
  const [first, second] = content;
  if (first?.type === 'word' && second?.type === 'mark' && second.value === ':') {
    return !ofOthers.test(sourceOf(text, content));
  }
  return conditionHolds(text, content, depth + 1);
}

function functionHolds(name: string, text: string, content: readonly ValueToken[]): boolean {
  const [first] = content;
  if (name === 'selector') return !/-(?:moz|ms)-/i.test(sourceOf(text, content));
  if (first === undefined) return false;
  if (name === 'font-format') return chromiumFormat.has(first.value.toLowerCase());
  return name === 'font-tech' && chromiumTech.has(first.value.toLowerCase());
}

const sourceOf = (text: string, tokens: readonly ValueToken[]) =>
  text.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0);
