// Reports a request to prefetchd when its response is complete: as an access, or with the reason why it is none.
// Nothing is learned from an incomplete response (the visitor left, or the site failed).
//
// A prefetch is reported as one if its response may be learned, because the visitor now has the page. A 304 counts too:
// it confirms the visitor's copy. The Referer identifies the page shown, which is a sign that a prefetched page is
// used: showing it causes no request. The other sign is a request for the page's speculation rules (own-paths.ts).

import type { Access } from '../../prefetchd/access.ts';
import { longestUrl } from '../../prefetchd/access.ts';
import { type DropReason, isByRules, isUserActivated } from '../../prefetchd/rules/eligibility.ts';
import type { NavigationStart } from '../../prefetchd/rules/navigation-start.ts';
import { withoutPrefix } from '../../prefetchd/wire/hint.ts';
import type { Request } from '../listen/handler.ts';
import type { HintSource } from './source.ts';
import type { Visited } from './visited.ts';

export interface ReportedVisit {
  readonly req: Request;
  readonly visited: Visited;
  /** Path and query of the request. */
  readonly url: string;
  /** The host that the request is for; undefined: the request names none. */
  readonly host: string | undefined;
  readonly client: string | null;
  readonly kind: Access['kind'];
  readonly timeMs: number;
  readonly isPrefetch: boolean;
  /** Where the navigation to the page began: on this site or elsewhere; undefined: the request does not tell. */
  readonly start: NavigationStart | undefined;
  /**
   * Why nothing is learned of the visitor, who then has no `client`: Sec-GPC, a robot; null: the visit may be learned.
   */
  readonly leftOut: DropReason | null;
}

export interface ResponseOutcome {
  readonly status: number;
  /** Content-Length of the response, or the number of bytes written. */
  readonly bytes: number;
  /** Why nothing may be learned from the response; null: it may be learned. */
  readonly reason: DropReason | null;
  /** True if the response is complete HTML, or a 304 that confirms the visitor's copy. */
  readonly isPage: boolean;
  /** How long a browser may use the response without revalidating it, ms. */
  readonly freshMs: number;
  /** True if the response names speculation rules, which a browser requests when it shows the page. */
  readonly hasRules: boolean;
}

export function reportAccess(
  source: Pick<HintSource, 'learn' | 'dropped'>,
  visit: ReportedVisit,
  outcome: ResponseOutcome,
): void {
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
  // A URL with a query is learned as a page only if the response is one (prefetchd/rules/page-query.ts).
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

/** Returns path and query of the Referer; null if it is not on this host. */
function pageOfReferer({ visited: { headers, prefix }, host }: ReportedVisit): string | null {
  const { referer } = headers;
  if (typeof referer !== 'string' || host === undefined) return null;
  const start = referer.startsWith('https://') ? 8 : referer.startsWith('http://') ? 7 : -1;
  const end = start + host.length;
  if (start === -1 || !referer.startsWith(host, start) || referer.charCodeAt(end) !== 47)
    return null;
  // prefetchd would reject the whole access for a URL that is too long, so the access is reported without its Referer.
  if (referer.length - end > longestUrl) return null;
  return withoutPrefix(referer.slice(end), prefix);
}
