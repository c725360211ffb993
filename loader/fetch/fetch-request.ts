// A fetch call as plain data. The platform's Request validates and normalizes it; the body is read into memory, so
// that it can be sent again after a redirect or a lost connection.

import { type HeaderPair, hasField, withoutFields } from '../../http/header-pairs.ts';
import { conditions } from '../cache/cache.ts';
import type { CacheMode } from '../cache/http-cache.ts';
import { LoaderError } from '../errors.ts';
import { connectionFields, type ResolvedOptions } from '../options.ts';
import type { SameSiteContext } from '../request/cookies.ts';
import { acceptEncoding } from '../response/content-coding.ts';

export interface FetchRequest extends Pick<Request, 'method' | 'redirect' | 'credentials'> {
  /** An http or https URL without fragment. */
  url: URL;
  /** The caller's fields, with names in lower case. */
  headers: HeaderPair[];
  body: Uint8Array | null;
  cache: CacheMode;
  /** Limits cookies by SameSite: `strict` holds none back, `lax` those with Strict, `none` those with Lax as well. */
  sameSite: SameSiteContext;
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
): Promise<FetchRequest> {
  signal?.throwIfAborted();
  // The cache mode `only-if-cached` requires the mode `same-origin`, which is always right outside a browser.
  const mode = init.cache === 'only-if-cached' ? ({ mode: 'same-origin' } as const) : {};
  const request = new Request(input, { ...mode, ...init, signal: null });
  const { method, redirect, credentials } = request;
  if (init.dispatcher !== undefined || request.integrity !== '') {
    throw new LoaderError('invalid-option', 'init: dispatcher and integrity are not supported');
  }
  const url = new URL(request.url);
  url.hash = '';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new LoaderError('unsupported-scheme', `${url.protocol} only http and https are fetched`);
  }
  const headers = [...request.headers];
  // If the caller set conditions, the cache is not used (Fetch Standard, 4.6, step 14).
  const isConditional = conditions.some((name) => hasField(headers, name));
  const cache = request.cache === 'default' && isConditional ? 'no-store' : request.cache;
  const stoppable = request.body?.pipeThrough(new TransformStream(), signal ? { signal } : {});
  const body = stoppable ? Buffer.from(await new Response(stoppable).arrayBuffer()) : null;
  // No page initiates the request, so it counts like a URL that the user typed.
  const sent = { askedOrigin: url.origin, sameSite: 'strict' } as const;
  return { url, method, redirect, credentials, headers, body, cache, signal, ...sent };
}

/** Value of Cache-Control by cache mode, for other caches on the path (Fetch Standard, 4.6, steps 15 and 16). */
const cacheControl: Partial<Record<CacheMode, string>> = {
  'no-cache': 'max-age=0',
  'no-store': 'no-cache',
  reload: 'no-cache',
};

/**
 * Returns the header fields to send: the caller's, then those of the options for the requested origin, then the
 * defaults. The transport adds Host and framing fields.
 * @param cookie Value of the Cookie field; '' for none.
 */
export function requestFields(
  { url, headers, cache, askedOrigin }: FetchRequest,
  cookie: string,
  { extraHeaders, userAgent }: ResolvedOptions,
): HeaderPair[] {
  const fields = withoutFields(headers, connectionFields);
  const add = (pairs: HeaderPair[]): void => {
    fields.push(...pairs.filter(([name, value]) => value !== '' && !hasField(fields, name)));
  };
  // A range of a compressed body cannot be decompressed by itself.
  const codings = hasField(fields, 'range') ? 'identity' : acceptEncoding;
  if (url.origin === askedOrigin) add(extraHeaders);
  const control = cacheControl[cache] ?? '';
  add([
    ['cookie', cookie],
    ['user-agent', userAgent],
    ['accept', '*/*'],
    ['accept-encoding', codings],
    ['pragma', control === 'no-cache' ? control : ''],
    ['cache-control', control],
  ]);
  return fields;
}
