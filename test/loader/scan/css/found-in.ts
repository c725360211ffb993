// What a sheet refers to, asked of a page by the names that it has; the same in every chunking, or an error.

import { CssScanner } from '../../../../loader/scan/css/css-scanner.ts';
import type { CssFound, Shown } from '../../../../loader/scan/css/found.ts';
import { isSure } from '../../../../loader/scan/css/is-sure.ts';
import { defaultScreen } from '../../../../loader/scan/style/environment.ts';
import { chunkings } from '../chunkings.ts';

/** @param names types as they are, classes with `.`, ids with `#` */
export function page(names: string): Shown {
  const all = new Set(names.split(' '));
  return {
    hasTag: (name) => all.has(name),
    hasClass: (name) => all.has(`.${name}`),
    hasId: (name) => all.has(`#${name}`),
  };
}

export interface Told extends CssFound {
  sure: boolean;
}

export function scan(chunks: readonly string[], shown: Shown, dpr = 1): Told[] {
  const found: CssFound[] = [];
  const screen = { ...defaultScreen, dpr };
  const scanner = new CssScanner({ screen, onFound: (item) => found.push(item) });
  for (const chunk of chunks) scanner.write(chunk);
  scanner.end();
  return found.map((item) => ({ ...item, sure: isSure(item, shown, scanner.fonts) }));
}

export function found(css: string, names = 'html body p', dpr = 1): Told[] {
  const shown = page(names);
  let first: string | null = null;
  for (const { name, chunks } of chunkings(css)) {
    const result = JSON.stringify(scan(chunks, shown, dpr));
    first ??= result;
    if (result !== first) throw new Error(`${name}: ${result}, not ${first}`);
  }
  return scan([css], shown, dpr);
}

/** Of those that are fetched; perhaps ones end in `?`. */
export function fetched(css: string, names?: string, dpr?: number): string[] {
  return found(css, names, dpr)
    .filter(({ skipped }) => skipped === undefined)
    .map(({ written, sure }) => (sure ? written : `${written}?`));
}
