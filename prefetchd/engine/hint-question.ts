// What a prefetchd is asked, and what it answers of a page.

import type { AccessKind } from '../access.ts';
import type { Hint } from '../wire/index.ts';

export interface HintQuestion {
  /** The page or object that is asked for now. */
  url: string;
  /** Who asks; absent: nobody in particular, and nothing is taken as had. */
  client?: string;
  /** The answer may be kept for others, so it is the same for everybody; for `client` it is only counted. */
  isShared?: boolean;
  /** What `url` is; a document if absent. */
  urlKind?: AccessKind;
  /** Only documents, or only objects; absent: both. */
  kind?: AccessKind;
  /** p and i of this question; absent: those of the configuration. */
  threshold?: number;
  limit?: number | null;
  /** GETALL, GETLIST: what goes along with the answer. */
  alsoSent?: readonly string[];
  /** Absent: now. */
  timeMs?: number;
}

/** What is hinted on a page to nobody in particular, and no less for the process being busy. */
export interface PageHints {
  url: string;
  /** At most i above p, best first; not empty. */
  hints: Hint[];
}
