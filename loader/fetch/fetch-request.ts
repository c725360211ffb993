// A fetch call as plain data. The platform's Request validates and normalizes it; the body is read into memory, so
// that it can be sent again after a redirect or a lost connection.

import { type HeaderPair, hasField, withoutFields } from '../../http/header-pairs.ts';
import { conditions } from '../cache/cache.ts';
import type { CacheMode } from '../cache/http-cache.ts';
import { LoaderError } from '../errors.ts';
import type { ResolvedOptions } from '../options.ts';
import type { SameSiteContext } from '../request/cookies.ts';
import { connectionFields } from '../request/extra-headers.ts';
import { acceptEncoding } from '../response/content-coding.ts';

export interface FetchRequest {
  /** An http or https URL without fragment. */
  url: URL;
  method: string;
  /** The caller's fields, with names in lower case. */
  headers: HeaderPair[];
  body: Uint8Array | null;
  cache: CacheMode;
  redirect: 'follow' | 'manual' | 'error';
  /** false: no cookies are sent or stored. */
  credentials: boolean;
  /** Decides which cookies are sent and stored by their SameSite attribute. */
  sameSite: SameSiteContext;
  /** Origin of the requested URL; the fields of the options are sent to it only. */
  askedOrigin: string;
  signal: AbortSignal | null;
}

/**
 * @param signal The caller's own: that of a Request made from the input only follows it, and may be garbage collected.
 * @throws TypeError if the platform's Request rejects the input; LoaderError `unsupported-scheme`,
 * `invalid-option`; the signal's reason.
 */
export async function fetchRequest(
  input: string | URL | Request,
  init: RequestInit,
  signal: AbortSignal | null,
): Promise<FetchRequest> {
  signal?.throwIfAborted();
  const own: RequestInit = { ...init, signal: null };
  // `only-if-cached` requires same-origin, which is always true outside a browser.
  if (init.cache === 'only-if-cached') own.mode ??= 'same-origin';
  const request = new Request(input, own);
  if (init.dispatcher !== undefined || request.integrity !== '') {
    const message = 'RequestInit.dispatcher and integrity are not supported';
    throw new LoaderError('invalid-option', message);
  }
  const url = new URL(request.url);
  url.hash = '';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new LoaderError('unsupported-scheme', `${url.protocol} only http and https are fetched`);
  }
  const headers = [...request.headers];
  // With conditions of the caller, the cache is not used (Fetch Standard, 4.6, step 14).
  const isConditional = conditions.some((name) => hasField(headers, name));
  return {
    url,
    method: request.method,
    headers,
    body: request.body === null ? null : await readBody(request.body, signal),
    cache: request.cache === 'default' && isConditional ? 'no-store' : (request.cache as CacheMode),
    redirect: request.redirect as FetchRequest['redirect'],
    credentials: request.credentials !== 'omit',
    // No page initiates the request, so it counts like a URL that the user typed.
    sameSite: 'strict',
    askedOrigin: url.origin,
    signal,
  };
}

/** What tells other caches on the path the cache mode (Fetch Standard, 4.6, steps 15 and 16). */
const cacheControl: Partial<Record<CacheMode, string>> = {
  'no-cache': 'max-age=0',
  'no-store': 'no-cache',
  reload: 'no-cache',
};

/**
 * The header fields to send: the caller's, then those of the options for the requested origin, then the defaults. The
 * transport adds Host and framing fields.
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
  // A part of an encoded body cannot be decoded.
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

/** The whole body, or the signal's reason. */
async function readBody(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | null,
): Promise<Uint8Array> {
  const stoppable = body.pipeThrough(new TransformStream(), signal === null ? {} : { signal });
  return new Uint8Array(await new Response(stoppable).arrayBuffer());
}
