// Invalidation by unsafe requests (RFC 9111 4.4).

import { fieldLines } from '../../../http/header-pairs.ts';
import { isSafe } from '../../../http/methods.ts';
import type { CacheRequest, CacheResponse } from '../entry.ts';

/** URLs that this response invalidates: the requested one, and those it points to within the same origin. */
export function outdatedUrls(request: CacheRequest, response: CacheResponse): string[] {
  if (isSafe(request.method) || response.status < 200 || response.status > 399) return [];
  const urls = new Set([request.url]);
  const { origin } = new URL(request.url);
  for (const name of ['location', 'content-location']) {
    for (const line of fieldLines(response.headers, name)) {
      if (!URL.canParse(line, request.url)) continue;
      const url = new URL(line, request.url);
      url.hash = '';
      if (url.origin === origin) urls.add(url.href);
    }
  }
  return [...urls];
}
