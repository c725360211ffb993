// @import (CSS Cascade 5, 2). Chromium fetches a sheet whose media do not match, but none whose
// supports() has a declaration that it does not support. Chromium 156 fetches one whose supports() has any condition in
// parentheses, even a false one, probably as it looks for imports before it reads the sheet.

import type { Screen } from '../style/environment.ts';
import { matchesMedia } from '../style/matches-media.ts';
import type { CssFound } from './found.ts';
import { isSupported } from './supports.ts';
import {
  contentOfBlock,
  endOfBlock,
  isWord,
  type ValueToken,
  valueTokens,
} from './value-tokens.ts';

/** @param text What follows `@import`. @returns null: it is invalid, or refers to nothing */
export function importOf(text: string, offset: number, screen: Screen): CssFound | null {
  const tokens = valueTokens(text);
  if (tokens === null) return null;
  let index = spaceEnd(tokens, 0);
  const written = urlAt(tokens, index);
  if (written === null || written.trim() === '') return null;
  index = tokens[index]?.type === 'function' ? endOfBlock(tokens, index + 1) : index + 1;
  index = spaceEnd(tokens, index);
  const found: CssFound = {
    kind: 'stylesheet',
    written: written.trim(),
    from: '@import',
    offset,
    selectors: null,
  };
  if (isWord(tokens[index], 'layer')) {
    found.layer = '';
    index = spaceEnd(tokens, index + 1);
  } else if (isCall(tokens[index], 'layer')) {
    const content = contentOfBlock(tokens, index + 1);
    found.layer = text.slice(content[0]?.start ?? 0, content.at(-1)?.end ?? 0).trim();
    index = spaceEnd(tokens, endOfBlock(tokens, index + 1));
  }
  if (isCall(tokens[index], 'supports')) {
    const content = contentOfBlock(tokens, index + 1);
    const source = text.slice(content[0]?.start ?? 0, content.at(-1)?.end ?? 0);
    if (!isFetchedFor(content, source)) {
      found.skipped = 'supports() does not hold';
    }
    index = spaceEnd(tokens, endOfBlock(tokens, index + 1));
  }
  const media = text
    .slice(tokens[index]?.start ?? text.length)
    .replaceAll('/**/', ' ')
    .trim();
  if (/^data:/i.test(found.written)) return null;
  return { ...found, media, mediaMatches: matchesMedia(media, screen) };
}

function isFetchedFor(content: readonly ValueToken[], source: string): boolean {
  const [first] = content;
  const isCondition = isWord(first, 'not') || first?.type === 'function' || first?.value === '(';
  return isCondition || isSupported(`(${source})`);
}

const isCall = (token: ValueToken | undefined, name: string) =>
  token?.type === 'function' && token.value === name;

function spaceEnd(tokens: readonly ValueToken[], from: number): number {
  return tokens[from]?.type === 'space' ? from + 1 : from;
}

function urlAt(tokens: readonly ValueToken[], index: number): string | null {
  const token = tokens[index];
  if (token?.type === 'string' || token?.type === 'url') return token.value;
  if (!isCall(token, 'url')) return null;
  return contentOfBlock(tokens, index + 1).find(({ type }) => type === 'string')?.value ?? null;
}
