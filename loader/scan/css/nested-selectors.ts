// Selectors of rules inside other rules (CSS Nesting 1, 3).

import { withoutComments } from './css-tree.ts';

/** Longer lists are not read. */
export const longestSelectors = 16 * 1024;

/**
 * The selectors of a rule inside another one (CSS Nesting 1, 3). Each `&` is replaced by the parent, so that rules of
 * `&&` in one another would double the text.
 * @param parent null: there is none
 */
export function nestedSelectors(text: string, parent: string | null): string {
  const written = withoutComments(text).trim();
  if (parent === null) return written.replaceAll('&', ':root');
  const parts = splitSelectors(written);
  const places = parts.length + written.split('&').length;
  if (places * parent.length > longestSelectors) return '';
  const around = `:is(${parent})`;
  const ancestor = parent.includes(',') ? around : parent;
  return parts
    .map((each) => (each.includes('&') ? each.replaceAll('&', around) : `${ancestor} ${each}`))
    .join(', ');
}

/** At commas that stand in no brackets. */
function splitSelectors(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  for (const piece of text.split(',')) {
    if (depth > 0) parts.push(`${parts.pop()},${piece}`);
    else parts.push(piece.trim());
    depth += piece.split(/[([]/).length - piece.split(/[)\]]/).length;
  }
  return parts;
}
