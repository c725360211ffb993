// A reference in a style sheet or a style attribute.

import type { FontFace } from './font-face.ts';
import type { SheetImport } from './sheet-order.ts';

export interface CssFound {
  kind: 'stylesheet' | 'image' | 'font';
  /** The URL as written, escapes decoded. */
  written: string;
  /** Where the reference is: `@import`, `@font-face src` or the name of the property. */
  from: string;
  /** Where the rule or declaration begins, in characters from the start of the sheet. */
  offset: number;
  /** Why a browser fetches it, in words. */
  why?: string;
  /** Why a browser does not fetch it. */
  skipped?: string;
  /** For `@import`: whether the media match. A browser also fetches a sheet whose media do not. */
  mediaMatches?: boolean;
  imported?: SheetImport;
  fontFace?: FontFace;
  /** Further sources of a font, which a browser fetches in this order when the one before fails. */
  others?: readonly string[];
}
