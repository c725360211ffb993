// Reads @import (CSS Cascade 5, 2). Chromium fetches a sheet even if its media do not match, but not if its supports()
// has a declaration that Chromium does not support. Chromium 156 also fetches a sheet whose supports() has a condition
// in parentheses, even a false one, probably because it looks for imports before it reads the sheet.

import type { Screen } from '../style/environment.ts';
import { matchesMedia } from '../style/media-query.ts';
import { type CssNode, childrenOf, preludeOf, withoutComments } from './css-tree.ts';
import { isSupported } from './supports.ts';

export interface ImportRule {
  written: string;
  /** false if its media do not match: a browser fetches the sheet, but its rules do not count. */
  applies: boolean;
  /** Why a browser does not fetch it. */
  skipped: string | null;
  /** Name of the layer as written; '' for an anonymous layer; null if there is no layer. */
  layer: string | null;
}

/** @param text What follows `@import`. @returns null if the rule is invalid, or needs no request */
export function importOf(text: string, screen: Screen): ImportRule | null {
  const [target, ...others] = preludeOf('import', text) ?? [];
  const written = target?.value.trim() ?? '';
  if (written === '' || /^data:/i.test(written)) return null;
  const found: ImportRule = { written, applies: true, skipped: null, layer: null };
  for (const node of others) {
    const content = node.type === 'Function' ? childrenOf(node) : [];
    if (node.type === 'MediaQueryList') {
      found.applies = matchesMedia(withoutComments(text.slice(startOf(node))), screen);
    } else if (node.name === 'layer') found.layer = content[0]?.name ?? '';
    else if (content[0]?.type === 'Declaration' && !isSupported(`(${sourceOf(node, text)})`)) {
      found.skipped = 'supports() does not hold';
    }
  }
  return found;
}

const before = '@import '.length;
const startOf = ({ loc }: CssNode): number => loc.start.offset - before;

/** The text in the parentheses of a function. */
const sourceOf = (node: CssNode, text: string): string =>
  text.slice(startOf(node) + node.name.length + 1, node.loc.end.offset - before - 1);
