// Converts a request target to the URL of an access: path and query for one site or, for a log of many sites, an
// absolute URL.

import type { AccessKind } from '../access.ts';
import { isNoPage, kindOfPath, kindOfTarget } from '../rules/access-kind.ts';
import { type PathVerdict, verdictOfPath } from '../rules/filter.ts';

/** The cached result for a target. */
export interface TargetFacts {
  url: string;
  /** Host (with a non-default port) of an absolute target; empty otherwise. */
  host: string;
  pathKind: AccessKind;
  /** Kind by the path alone, whatever the query; feeds are objects. */
  paperKind: AccessKind;
  /** True for a download or a feed, by path and query. */
  isNoPage: boolean;
  pathVerdict: PathVerdict;
}

/** `none` if the target is not the URL of a page (`*`, an authority for CONNECT, garbage). @param normalise see
 *  urlNormaliser */
export function targetFacts(
  target: string,
  keepHost: boolean,
  normalise: (raw: string) => string | null,
): TargetFacts | 'none' {
  const isPath = target.charCodeAt(0) === 0x2f;
  const absolute = isPath ? null : absoluteUrl(target);
  if (!isPath && absolute === null) return 'none';
  const pathAndQuery = absolute === null ? target : absolute.pathname + absolute.search;
  const path = pathAndQuery.replace(/[?#].*$/s, '');
  const url = normalise(absolute !== null && keepHost ? absolute.href : pathAndQuery);
  if (url === null) return 'none';
  return {
    url,
    host: absolute?.host ?? '',
    pathKind: kindOfTarget(pathAndQuery),
    paperKind: /\.(?:rss|atom)$/i.test(path) ? 'object' : kindOfPath(path),
    isNoPage: isNoPage(pathAndQuery),
    pathVerdict: verdictOfPath(pathAndQuery),
  };
}

function absoluteUrl(target: string): URL | null {
  return /^https?:\/\//i.test(target) ? URL.parse(target) : null;
}
