// Reports a request to prefetchd when its response is complete: an access, or why it is not one. An incomplete
// response (visitor gone, site failed) teaches nothing.
//
// A prefetch is reported as such if its response may be learned, because the visitor now has the page. 304 counts
// too: it confirms the visitor's copy. The Referer of an embedded object identifies the page shown; for a prefetched
// page it is the only sign of use, because showing it causes no request.

import type { Access } from '../../prefetchd/access.ts';
import { normaliseDefaults } from '../../prefetchd/normalise-url.ts';
import type { DropReason } from '../../prefetchd/rules/eligibility.ts';
import { isHttp1, type Request } from '../listen/handler.ts';
import type { HeadResponse } from './head-hook.ts';
import type { HintSource } from './source.ts';

export interface Visit {
  readonly req: Request;
  /** Path and query. */
  readonly url: string;
  readonly client: string | null;
  readonly kind: Access['kind'];
  readonly timeMs: number;
  readonly isPrefetch: boolean;
}

export interface Outcome {
  readonly status: number;
  /** Content-Length; 0 if the response has none. */
  readonly bytes: number;
  /** Why the response is not learned. */
  readonly reason: DropReason | null;
}

export function reportAccess(source: HintSource, visit: Visit, outcome: Outcome): void {
  const { req, url, client, kind, timeMs, isPrefetch } = visit;
  const { status, bytes, reason } = outcome;
  if (reason !== null || client === null) {
    source.dropped(isPrefetch ? 'prefetch' : (reason ?? 'malformed'));
    return;
  }
  const access = { client, url, timeMs, kind, status, bytes, prefetch: isPrefetch };
  const page = kind === 'object' && !isPrefetch ? pageOfReferer(req) : null;
  source.learn(page === null ? access : { ...access, page });
}

/** HTTP/2's compatibility API emits `finish` even for an aborted stream. */
export function isComplete(req: Request, res: HeadResponse): boolean {
  if (isHttp1(req)) return true;
  return res.writableEnded && !req.stream.aborted && req.stream.rstCode === 0;
}

/** Path and query of a Referer on this host. */
function pageOfReferer(req: Request): string | null {
  const { referer } = req.headers;
  const host = req.headers[':authority'] ?? req.headers.host;
  if (typeof referer !== 'string' || typeof host !== 'string' || host === '') return null;
  const start = referer.startsWith('https://') ? 8 : referer.startsWith('http://') ? 7 : -1;
  const end = start + host.length;
  if (start === -1 || !referer.startsWith(host, start) || referer.charCodeAt(end) !== 47)
    return null;
  // A longer one would invalidate the access reported with it.
  return referer.length - end > normaliseDefaults.maxCharacters ? null : referer.slice(end);
}
