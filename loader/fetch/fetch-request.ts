// A fetch call as plain data. The platform's Request validates and normalizes it; the body is read into memory, so
// that it can be sent again after a redirect or a lost connection.

import { type HeaderPair, hasField, withoutFields } from '../../http/header-pairs.ts';
import { about } from '../../options/refusal.ts';
import { isConditional } from '../cache/cache.ts';
import type { CacheMode } from '../cache/http-cache.ts';
import { invalidOption, LoaderError } from '../errors.ts';
import { connectionFields, type ResolvedOptions } from '../options.ts';
import { Cookies, type SameSiteContext } from '../request/cookies.ts';
import { acceptEncoding } from '../response/content-coding.ts';

export interface FetchRequest extends Pick<Request, 'method' | 'redirect' | 'cache'> {
  /** Number of redirects before this request. */
  hops: number;
  /** An http or https URL without fragment. */
  url: URL;
  /** The caller's fields, with names in lower case. */
  headers: HeaderPair[];
  body: Uint8Array | null;
  /** Limits cookies by SameSite: `strict` holds none back, `lax` those with Strict, `none` those with Lax as well. */
  sameSite: SameSiteContext;
  cookies: Cookies;
  /** The only origin that gets the fields of `extraHeaders`: that of the call's URL; '' after a redirect to another. */
  askedOrigin: string;
  signal: AbortSignal | null;
}

/**
 * Converts the arguments of a fetch call to plain data.
 * @param signal The caller's own: that of a Request made from `input` only follows it, and may be garbage-collected.
 * @throws TypeError if the platform's Request rejects the input; LoaderError `unsupported-scheme`,
 * `invalid-option`; the signal's reason.
 */
export async function fetchRequest(
  input: string | URL | Request,
  init: RequestInit,
  signal: AbortSignal | null,
  jar: Cookies,
): Promise<FetchRequest> {
  signal?.throwIfAborted();
  // The cache mode `only-if-cached` requires the mode `same-origin`, which is always right outside a browser.
  const request = new Request(input, { mode: 'same-origin', ...init, signal: null });
  const { method, redirect, credentials, cache: mode } = request;
  const cookies = credentials === 'omit' ? new Cookies(false) : jar;
  const wrong = init.dispatcher !== undefined ? 'dispatcher' : request.integrity && 'integrity';
  if (wrong) invalidOption(...about(`init.${wrong}`, 'must be left out: it is not supported'));
  const url = new URL(request.url);
  url.hash = '';
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new LoaderError('unsupported-scheme', `${url.protocol} only http and https are fetched`);
  const headers = [...request.headers];
  // If the caller set conditions, the cache is not used (Fetch Standard, 4.6, step 14).
  const cache = mode === 'default' && isConditional({ headers }) ? 'no-store' : mode;
  const stoppable = request.body?.pipeThrough(new TransformStream(), signal ? { signal } : {});
  const body = stoppable ? Buffer.from(await new Response(stoppable).arrayBuffer()) : null;
  // No page initiates the request, so for SameSite cookies it counts like a URL that the user typed.
  const sent = { askedOrigin: url.origin, sameSite: 'strict', hops: 0 } as const;
  return { url, method, redirect, cookies, headers, body, cache, signal, ...sent };
}

/** Value of Cache-Control by cache mode, for other caches on the path (Fetch Standard, 4.6, steps 15 and 16). */
const cacheControl: Partial<Record<CacheMode, string>> = {
  'no-cache': 'max-age=0',
  'no-store': 'no-cache',
  reload: 'no-cache',
};

/**
 * Returns the header fields to send: the caller's, then those of the options for the requested origin, then the
 * defaults. The transport adds Host and framing fields. @param cookie Value of the Cookie field; '' for none.
 */
export function requestFields(request: FetchRequest, cookie: string, options: ResolvedOptions) {
  const own = withoutFields(request.headers, connectionFields);
  const extra = request.url.origin === request.askedOrigin ? options.extraHeaders : [];
  const control = cacheControl[request.cache] ?? '';
  const join = (fields: HeaderPair[], more: HeaderPair[]) =>
    fields.concat(more.filter(([name, value]) => value !== '' && !hasField(fields, name)));
  return join(join(own, extra), [
    ['cookie', cookie],
    ['user-agent', options.userAgent],
    ['accept', '*/*'],
    // A range of a compressed body cannot be decompressed by itself, so no coding is accepted.
    ['accept-encoding', hasField(own, 'range') ? 'identity' : acceptEncoding],
    ['pragma', control === 'no-cache' ? control : ''],
    ['cache-control', control],
  ]);
}
