// A request for hints, and the hints of a page.

import type { AccessKind } from '../access.ts';
import type { Hint } from '../wire/index.ts';

export interface HintQuestion {
  /** The page or object that is being requested. */
  url: string;
  /** The requested host: hints are those of its site. Absent: the host of an absolute URL; otherwise the main site. */
  host?: string;
  /** The client, for the counts and the holdback; all clients get the same hints. Absent: no particular client. */
  client?: string;
  /** The answer may be cached for others, so it is the same for both groups of a holdback. */
  isShared?: boolean;
  /** The client's browser shows the page and asks for its rules: a sign of its visit if it came from a prefetch. */
  isShown?: boolean;
  /** Kind of `url`; a document if absent. */
  urlKind?: AccessKind;
  /** Only documents, or only objects; absent: both. */
  kind?: AccessKind;
  /** For speculation rules: also pages that browsers fetch when the pointer rests on their link, as `byRulesOnly`.
   *  `otherwise`: only if no page is above p. */
  forRules?: boolean | 'otherwise';
  /** p and i for this request; absent: those of the configuration. */
  threshold?: number;
  objectThreshold?: number;
  limit?: number | null;
  /** GETALL, GETLIST: URLs sent along with the response. */
  alsoSent?: readonly string[];
  /** Time of the request, ms since the epoch; absent: now. */
  timeMs?: number;
}

/** The hints of a page for no particular client, independent of load. */
export interface AnonymousPageHints {
  url: string;
  /** At most i above p, best first; not empty. */
  hints: Hint[];
}
