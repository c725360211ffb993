// Most responses contain no hints, so the code that reads them (hints-of.ts and the wire formats) is loaded with the
// first header field that may contain one.

import type { HeaderPair } from '../../http/header-pairs.ts';
import type { Screen } from '../scan/style/environment.ts';
import type { PageHints, hintsOf as readHints } from './hints-of.ts';

const names = new Set(['link', 'prefetch-hints', 'speculation-rules']);

export function mayHint(headers: readonly HeaderPair[]): boolean {
  return headers.some(([name]) => names.has(name.toLowerCase()));
}

let read: typeof readHints | null = null;

/**
 * @param take Receives the hints: at once, or when the code is loaded.
 * @returns Resolves after `take` was called; null if it was called already.
 */
export function hintsOf(
  headers: readonly HeaderPair[],
  pageUrl: string,
  screen: Screen,
  take: (hints: PageHints) => void,
): Promise<void> | null {
  if (read !== null) {
    take(read(headers, pageUrl, screen));
    return null;
  }
  return import('./hints-of.ts').then((module) => {
    read = module.hintsOf;
    take(read(headers, pageUrl, screen));
  });
}
