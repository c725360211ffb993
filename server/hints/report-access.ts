// What a request and its response taught, told to prefetchd when the response is complete: an access, or
// why it is none. A response that broke off, because the visitor went or the site failed, teaches nothing.
//
// A prefetch is told as one: the visitor has the page now, if it was answered with one that may be learned, for
// it will be when it is shown. 304 counts: it confirms the one that the visitor holds.
// An embedded object's Referer names the page that is shown. For a page that came from a prefetch it is
// the only sign of use: showing it asks the server for nothing.

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
  /** Content-Length; 0 when the response has none. */
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

/** Both halves of HTTP/2's compatibility API say `finish` whatever became of the stream. */
export function isComplete(req: Request, res: HeadResponse): boolean {
  if (isHttp1(req)) return true;
  return res.writableEnded && !req.stream.aborted && req.stream.rstCode === 0;
}

/** Path and query of a page of this host. */
function pageOfReferer(req: Request): string | null {
  const { referer } = req.headers;
  const host = req.headers[':authority'] ?? req.headers.host;
  if (typeof referer !== 'string' || typeof host !== 'string' || host === '') return null;
  const start = referer.startsWith('https://') ? 8 : referer.startsWith('http://') ? 7 : -1;
  const end = start + host.length;
  if (start === -1 || !referer.startsWith(host, start) || referer.charCodeAt(end) !== 47)
    return null;
  // A longer one would spoil the access it is told with.
  return referer.length - end > normaliseDefaults.maxCharacters ? null : referer.slice(end);
}
