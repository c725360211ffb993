// Selectors of rules inside other rules (CSS Nesting 1, 3).

import { withoutComments } from './css-tree.ts';

/** Longest selector list that is read, in characters. */
export const longestSelectors = 16 * 1024;

/**
 * The selectors of a rule inside another one (CSS Nesting 1, 3). Each `&` is replaced by the parent's selectors. The
 * length is limited, since each level of nested `&&` doubles the text.
 * @param parent The selectors of the parent rule; null if there is none
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

/** Splits a selector list at the commas outside brackets. */
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
