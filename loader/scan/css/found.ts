// What a style sheet refers to, and what must be known of the page to say that a browser fetches it.

import type { FontFace } from './font-face.ts';
import type { Declaration } from './page-cascade.ts';
import type { SelectorUse } from './selector-use.ts';
import type { SheetImport } from './sheet-order.ts';

export interface CssFound {
  kind: 'stylesheet' | 'image' | 'font';
  /** The URL as written, escapes decoded. */
  written: string;
  /** `@import`, `@font-face src` or the name of the property. */
  from: string;
  /** Of the rule or the declaration: characters from the start of the sheet. */
  offset: number;
  /** null: nothing is selected, as in a style attribute. */
  selectors: readonly SelectorUse[] | null;
  /** That it is in, and the property that it sets. */
  declaration?: Declaration;
  property?: string;
  /** The declaration sets this custom property, which others use. */
  variable?: string;
  /** It counts only if this custom property is not set. */
  fallbackOf?: string;
  /** By what an element uses the custom property. */
  usedBy?: SelectorUse | null;
  /** Why nobody can be sure that a browser fetches it. */
  maybe?: string;
  /** Why a browser does not fetch it. */
  skipped?: string;
  /** Of `@import`, as written. A browser also fetches a sheet whose media do not match. */
  media?: string;
  mediaMatches?: boolean;
  /** Of `@import`: the name of its layer as written; '': it has none. Absent: no layer. */
  layer?: string;
  imported?: SheetImport;
  fontFace?: FontFace;
}
