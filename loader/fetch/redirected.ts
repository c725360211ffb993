// The request that follows a redirect (Fetch Standard, 4.4 "HTTP-redirect fetch"; RFC 9110 15.4).

import { withoutFields } from '../../http/header-pairs.ts';
import { requestSite } from '../request/referrer.ts';
import { isRedirectStatus, locationOf, parseLocation } from '../response/redirect.ts';
import type { FetchAnswer } from './fetch-answer.ts';
import type { FetchRequest } from './fetch-request.ts';

/** Fields that describe the dropped request body. */
const bodyFields = new Set([
  'content-encoding',
  'content-language',
  'content-location',
  'content-type',
]);

/** Fields for a single origin. */
const secretFields = new Set(['authorization', 'cookie', 'proxy-authorization']);

/**
 * Whether the answer is a redirect with a target.
 * @throws LoaderError `invalid-redirect`
 */
export function isRedirect({ status, headers }: FetchAnswer): boolean {
  return isRedirectStatus(status) && locationOf(headers) !== '';
}

/** @throws LoaderError `invalid-redirect`, `unsupported-scheme` */
export function redirected(request: FetchRequest, { status, headers }: FetchAnswer): FetchRequest {
  const url = parseLocation(locationOf(headers), { url: request.url.href, status });
  const becomesGet =
    ((status === 301 || status === 302) && request.method === 'POST') ||
    (status === 303 && request.method !== 'GET' && request.method !== 'HEAD');
  const next: FetchRequest = { ...request, url };
  if (becomesGet) {
    next.method = 'GET';
    next.body = null;
    next.headers = withoutFields(next.headers, bodyFields);
  }
  if (requestSite(request.url, url) === 'cross-site') {
    // A cross-site redirect sends no Strict cookies and, unless the method is safe, no Lax ones.
    next.sameSite = next.method === 'GET' || next.method === 'HEAD' ? 'lax' : 'none';
  }
  if (url.origin !== request.url.origin) {
    next.headers = withoutFields(next.headers, secretFields);
    next.askedOrigin = '';
  }
  return next;
}
