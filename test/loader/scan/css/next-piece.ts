// How far the expressions of the reader of style sheets look beyond what they match.

import type { Tried } from '../tokens/work.ts';

/** To the end of the next declaration; for rules to the second brace, since what they pass over has no blocks inside. */
export const nextPiece: Tried = (text, from, expression) => {
  const passesBlocks = expression.source.includes('\\{(');
  const next = (passesBlocks ? /[^{}]*[{}]?[^{}]*[{}]?/y : /[^;{}]*[;{}]?/y) as RegExp;
  next.lastIndex = from;
  return next.exec(text)?.[0].length ?? 0;
};
