// Whether a media attribute matches. The grammar is loaded on demand: most pages say `all`, `screen` or `print`.

import { requireBeside } from '../require-beside.ts';
import type { Screen } from './environment.ts';
import { ScreenMemo } from './screen-memo.ts';

/** Longer ones never match. */
const longest = 4096;

const plain = new Map([
  ['', true],
  ['all', true],
  ['screen', true],
  ['only screen', true],
  ['print', false],
  ['not all', false],
]);

/** Whether a media query list matches (Media Queries 5); the empty one does. */
export function matchesMedia(text: string, screen: Screen): boolean {
  const query = text.trim();
  if (query.length > longest) return false;
  const known = plain.get(query.toLowerCase());
  if (known !== undefined) return known;
  return parsed.of(query, screen);
}

const parsed = new ScreenMemo((query, screen) => {
  const media = requireBeside<typeof import('./media-query.ts')>(import.meta.url, 'media-query');
  return media.listMatches(query, screen);
});
