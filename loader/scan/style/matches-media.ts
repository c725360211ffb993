// Decides whether a media query list matches. Most pages say `all`, `screen` or `print`, which need no parser.

import type { Screen } from './environment.ts';
import { listMatches } from './media-query.ts';
import { ScreenMemo } from './screen-memo.ts';

/** Longest media query list that is evaluated, in characters; longer ones never match. */
const longest = 4096;

const plain = new Map([
  ['', true],
  ['all', true],
  ['screen', true],
  ['only screen', true],
  ['print', false],
  ['not all', false],
]);

/** Whether a media query list matches (Media Queries 5); the empty list does. */
export function matchesMedia(text: string, screen: Screen): boolean {
  const query = text.trim();
  if (query.length > longest) return false;
  const known = plain.get(query.toLowerCase());
  if (known !== undefined) return known;
  return parsed.of(query, screen);
}

const parsed = new ScreenMemo((query, screen) => {
  return listMatches(query, screen);
});
