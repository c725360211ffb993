// The sizes attribute (HTML 4.8.4.3.11, "parse a sizes attribute"): how wide an image will be.

import {
  type ComponentValue,
  isFunctionNode,
  isWhiteSpaceOrCommentNode,
  parseListOfComponentValues,
} from '@csstools/css-parser-algorithms';
import { TokenType, tokenize } from '@csstools/css-tokenizer';
import { isMediaQueryWithoutType, parseFromTokens } from '@csstools/media-query-list-parser';
import type { Screen } from '../style/environment.ts';
import { conditionMatches } from '../style/media-query.ts';
import { isTooDeep } from '../style/nesting.ts';
import { isMathFunction, quantityOf, splitBy } from '../style/quantity.ts';

/** Longer ones are ignored. */
const longest = 16_384;

/** CSS pixels. `auto`, as wide as the layout makes it, is passed over: no layout is known. The default is 100vw. */
export function sourceSize(text: string, screen: Screen): number {
  const whole = screen.width;
  if (text.length > longest || isTooDeep(text)) return whole;
  const values = parseListOfComponentValues(tokenize({ css: text }));
  for (const part of splitBy(values, TokenType.Comma)) {
    const content = trimmedEnd(part);
    const last = content.at(-1);
    if (last === undefined) continue;
    const size = sizeOf(last, screen);
    if (size === null) continue;
    const condition = trimmedEnd(content.slice(0, -1));
    if (condition.every(isWhiteSpaceOrCommentNode) || holds(condition, screen)) return size;
  }
  return whole;
}

/** null: no length. */
function sizeOf(value: ComponentValue, screen: Screen): number | null {
  const size = quantityOf(value, screen);
  if (size === null) return null;
  const isLength = size.type === 'length' || (size.type === 'number' && size.value === 0);
  if (!isLength) return null;
  if (size.value >= 0) return size.value;
  // A negative result of a function is as small as can be (CSS Values 4, 10.9).
  return isFunctionNode(value) && isMathFunction(value.getName()) ? 0 : null;
}

function holds(condition: readonly ComponentValue[], screen: Screen): boolean {
  const tokens = condition.flatMap((value) => value.tokens());
  const [query, ...others] = parseFromTokens(tokens, { preserveInvalidMediaQueries: true });
  if (query === undefined || others.length > 0 || !isMediaQueryWithoutType(query)) return false;
  return conditionMatches(query.media, screen) === true;
}

function trimmedEnd(values: readonly ComponentValue[]): ComponentValue[] {
  return values.slice(0, 1 + values.findLastIndex((value) => !isWhiteSpaceOrCommentNode(value)));
}
