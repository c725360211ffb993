// What a style sheet or a style attribute refers to.

import type { FontFace } from './font-face.ts';
import type { SheetImport } from './sheet-order.ts';

export interface CssFound {
  kind: 'stylesheet' | 'image' | 'font';
  /** The URL as written, escapes decoded. */
  written: string;
  /** `@import`, `@font-face src` or the name of the property. */
  from: string;
  /** Of the rule or the declaration: characters from the start of the sheet. */
  offset: number;
  /** In words, why a browser fetches it. */
  why?: string;
  /** Why a browser does not fetch it. */
  skipped?: string;
  /** Of `@import`. A browser also fetches a sheet whose media do not match. */
  mediaMatches?: boolean;
  imported?: SheetImport;
  fontFace?: FontFace;
  /** Further sources of a font, which a browser fetches in this order when the one before fails. */
  others?: readonly string[];
}
