// Reports a request to prefetchd when its response is complete: an access, or why it is not one. An incomplete
// response (visitor gone, site failed) teaches nothing.
//
// A prefetch is reported as such if its response may be learned, because the visitor now has the page. 304 counts
// too: it confirms the visitor's copy. The Referer identifies the page shown, which is a sign that a prefetched page is
// used: showing it causes no request. Another is that its speculation rules are asked for (rules-document.ts).

import type { Access } from '../../prefetchd/access.ts';
import { normaliseDefaults } from '../../prefetchd/normalise-url.ts';
import { type DropReason, isByRules, isUserActivated } from '../../prefetchd/rules/eligibility.ts';
import type { NavigationStart } from '../../prefetchd/rules/navigation-start.ts';
import { withoutPrefix } from '../../prefetchd/wire/hint.ts';
import { isHttp1, type Request } from '../listen/handler.ts';
import type { HeadResponse } from './head-hook.ts';
import type { HintSource } from './source.ts';
import type { Visited } from './visited.ts';

export interface Visit {
  readonly req: Request;
  readonly visited: Visited;
  /** Path and query. */
  readonly url: string;
  /** The host that was asked; undefined: the request names none. */
  readonly host: string | undefined;
  readonly client: string | null;
  readonly kind: Access['kind'];
  readonly timeMs: number;
  readonly isPrefetch: boolean;
  /** Where the request began; undefined: nothing tells. */
  readonly start: NavigationStart | undefined;
  /** Why its visitor is not learned from, and has no `client`: Sec-GPC, a robot; null: it is. */
  readonly leftOut: DropReason | null;
}

export interface Outcome {
  readonly status: number;
  /** Content-Length, or what was written. */
  readonly bytes: number;
  /** Why the response is not learned. */
  readonly reason: DropReason | null;
  /** Complete HTML, or confirmed by 304. */
  readonly isPage: boolean;
  /** How long a browser may show the response without asking again, ms. */
  readonly freshMs: number;
  /** It carries speculation rules, which a browser asks for when it shows the page. */
  readonly hasRules: boolean;
}

export function reportAccess(source: HintSource, visit: Visit, outcome: Outcome): void {
  const { req, url, host, client, kind, timeMs, isPrefetch } = visit;
  const { status, bytes, reason, isPage, freshMs, hasRules } = outcome;
  const of = { url, kind, ...(host !== undefined && { host }) };
  if (visit.leftOut !== null) {
    source.dropped(visit.leftOut, visit.leftOut === 'gpc' ? undefined : of);
    return;
  }
  if (reason !== null || client === null) {
    source.dropped(reason ?? (isPrefetch ? 'prefetch' : 'malformed'), of);
    return;
  }
  // With a query, only what is known to be a page is learned as one (prefetchd/rules/page-query.ts).
  const isUnknown = kind === 'document' && url.includes('?') && !isPage;
  if (isUnknown) {
    source.dropped(isPrefetch ? 'prefetch' : 'query', of);
    return;
  }
  const access: Access = { ...of, client, timeMs, status, bytes, prefetch: isPrefetch };
  if (kind === 'document' && isUserActivated(req.headers)) access.userActivated = true;
  const page = pageOfReferer(visit);
  if (page !== null) access.page = page;
  if (kind === 'document') {
    access.freshMs = freshMs;
    if (visit.start !== undefined) access.entry = visit.start === 'elsewhere';
  }
  if (isPrefetch) {
    const byRules = isByRules(req.headers);
    if (byRules !== undefined) access.byRules = byRules;
    if (hasRules && byRules === true) access.tellsShown = true;
  }
  source.learn(access);
}

/** HTTP/2's compatibility API emits `finish` even for an aborted stream. */
export function isComplete(req: Request, res: HeadResponse): boolean {
  if (isHttp1(req)) return true;
  return res.writableEnded && !req.stream.aborted && req.stream.rstCode === 0;
}

/** Path and query of a Referer on this host. */
function pageOfReferer({ visited: { headers, prefix }, host }: Visit): string | null {
  const { referer } = headers;
  if (typeof referer !== 'string' || host === undefined) return null;
  const start = referer.startsWith('https://') ? 8 : referer.startsWith('http://') ? 7 : -1;
  const end = start + host.length;
  if (start === -1 || !referer.startsWith(host, start) || referer.charCodeAt(end) !== 47)
    return null;
  // A longer one would invalidate the access reported with it.
  if (referer.length - end > normaliseDefaults.maxCharacters) return null;
  return withoutPrefix(referer.slice(end), prefix);
}
