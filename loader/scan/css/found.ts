// What a style sheet refers to, and what must be known of the page to say that a browser fetches it.

import type { FontFace } from './font-face.ts';

/** One selector of a list, and the names that must be in the page for it to match. */
export interface SelectorUse {
  readonly text: string;
  /** Types as they are, in lower case; classes with `.` and ids with `#` before. */
  readonly names: readonly string[];
  /** Made of names and combinators alone. Whether any other one matches is not known. */
  readonly isPlain: boolean;
  readonly pseudoElement: string | null;
}

export interface CssFound {
  kind: 'stylesheet' | 'image' | 'font';
  /** The URL as written, escapes decoded. */
  written: string;
  /** `@import`, `@font-face src` or the name of the property. */
  from: string;
  /** Of the rule or the declaration: characters from the start of the sheet. */
  offset: number;
  /** null: nothing is selected, as in a style attribute. */
  selectors: SelectorUse[] | null;
  /** Rules that use the custom property that this is in. */
  usedBy?: SelectorUse[] | null;
  /** Why nobody can be sure that a browser fetches it. */
  maybe?: string;
  /** Why a browser does not fetch it. */
  skipped?: string;
  /** Of `@import`, as written. A browser also fetches a sheet whose media do not match. */
  media?: string;
  mediaMatches?: boolean;
  fontFace?: FontFace;
}

/** What the page has shown so far. */
export interface Shown {
  /** @param name in lower case */
  hasTag(name: string): boolean;
  hasClass(name: string): boolean;
  hasId(name: string): boolean;
  /** Whether it has text with a character of this range. Absent: it has ASCII letters, and nothing else is known. */
  hasCharacter?(first: number, last: number): boolean;
}

/** Whether one of these selectors matches for sure. null: what they would select is there. */
export function areShown(uses: readonly SelectorUse[] | null, shown: Shown): boolean {
  return uses === null || uses.some((use) => use.isPlain && use.names.every(isThere(shown)));
}

const isThere = (shown: Shown) => (name: string) => {
  if (name.startsWith('.')) return shown.hasClass(name.slice(1));
  if (name.startsWith('#')) return shown.hasId(name.slice(1));
  return shown.hasTag(name);
};
