// Converts what a style sheet or a style attribute refers to into a reference of the page.

import type { CssFound } from '../css/found.ts';
import type { Found } from './found.ts';

/** @param attribute The attribute whose value contains it; absent: it is in a style sheet. */
export function foundInStyle(item: CssFound, attribute?: string): Found {
  const { kind, written, skipped, imported, why, others } = item;
  const found: Found = { kind, written, named: attribute ?? item.from, ...orderOf(item) };
  if (attribute !== undefined) found.attribute = attribute;
  if (imported !== undefined) found.imported = imported;
  if (others !== undefined) found.others = others;
  // Fonts are always fetched with CORS (CSS Fonts 4, 4.9).
  if (kind === 'font') found.crossOrigin = 'anonymous';
  if (skipped !== undefined) found.skipped = skipped;
  else if (why !== undefined) found.why = why;
  return found;
}

function orderOf({ kind, mediaMatches }: CssFound): Partial<Found> {
  if (kind === 'image') return { priority: 'low' };
  if (kind === 'font') return { priority: 'highest' };
  return mediaMatches === false
    ? { priority: 'lowest', isLate: true }
    : { priority: 'highest', isBlocking: true };
}
