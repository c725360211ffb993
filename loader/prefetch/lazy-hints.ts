// Most responses hint at nothing: what reads hints (hints-of.ts, and the wire formats below it) is loaded when the first
// field comes that may.

import type { HeaderPair } from '../../http/header-pairs.ts';
import type { PageHints, hintsOf as readHints } from './hints-of.ts';

const names = new Set(['link', 'prefetch-hints', 'speculation-rules']);

export function mayHint(headers: readonly HeaderPair[]): boolean {
  return headers.some(([name]) => names.has(name.toLowerCase()));
}

let read: typeof readHints | null = null;

/**
 * @param take told what the section says: at once, or when what reads it is loaded.
 * @returns resolves when it was told; null: it was.
 */
export function hintsOf(
  headers: readonly HeaderPair[],
  pageUrl: string,
  take: (hints: PageHints) => void,
): Promise<void> | null {
  if (read !== null) {
    take(read(headers, pageUrl));
    return null;
  }
  return import('./hints-of.ts').then((module) => {
    read = module.hintsOf;
    take(read(headers, pageUrl));
  });
}
