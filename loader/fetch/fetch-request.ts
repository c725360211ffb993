// A fetch call as plain data. The platform's Request validates and normalizes it; the body is read into memory, so
// that it can be sent again after a redirect or a lost connection.

import type { HeaderPair } from '../../http/header-pairs.ts';
import type { CacheMode } from '../cache/http-cache.ts';
import { LoaderError } from '../errors.ts';
import type { SameSiteContext } from '../request/cookies.ts';
import { bodyTooLarge } from './body-stream.ts';

export interface FetchRequest {
  /** http or https, without fragment. */
  url: URL;
  method: string;
  /** The caller's fields, with names in lower case. */
  headers: HeaderPair[];
  body: Uint8Array | null;
  cache: CacheMode;
  redirect: 'follow' | 'manual' | 'error';
  /** Whether cookies are sent and stored. */
  credentials: boolean;
  /** Which cookies are sent and stored (SameSite). */
  sameSite: SameSiteContext;
  /** Origin of the requested URL; the fields of the options are sent to it only. */
  askedOrigin: string;
  signal: AbortSignal | null;
}

/**
 * @throws TypeError if the platform's Request rejects the input; LoaderError `unsupported-scheme`, `invalid-url`,
 * `invalid-option`, `body-too-large`; the signal's reason.
 */
export async function fetchRequest(
  input: string | URL | Request,
  init: RequestInit,
  limits: { maxResourceBytes: number; maxUrlCharacters: number },
): Promise<FetchRequest> {
  const signal = signalOf(input, init);
  signal?.throwIfAborted();
  if (init.dispatcher !== undefined) throw notSupported('dispatcher');
  const request = new Request(input, requestInit(init));
  if (request.integrity !== '') throw notSupported('integrity');
  const url = httpUrl(request.url, limits.maxUrlCharacters);
  const { method, cache, redirect, credentials, headers } = request;
  return {
    url,
    method,
    headers: [...headers],
    body: request.body === null ? null : await readBody(request.body, limits, signal),
    cache: cache as CacheMode,
    redirect: redirect as FetchRequest['redirect'],
    credentials: credentials !== 'omit',
    // No page initiates the request; it counts as a URL typed by the user.
    sameSite: 'strict',
    askedOrigin: url.origin,
    signal,
  };
}

/**
 * The caller's own signal: that of a Request made from it may be garbage collected, and follows it with a listener.
 */
function signalOf(input: string | URL | Request, init: RequestInit): AbortSignal | null {
  if (init.signal === undefined) return input instanceof Request ? input.signal : null;
  if (init.signal === null || init.signal instanceof AbortSignal) return init.signal;
  throw new TypeError('signal must be an AbortSignal');
}

function requestInit(init: RequestInit): RequestInit {
  const own: RequestInit = { ...init, signal: null };
  // `only-if-cached` requires same-origin, which is always true outside a browser.
  if (init.cache === 'only-if-cached') own.mode ??= 'same-origin';
  return own;
}

function httpUrl(href: string, maxUrlCharacters: number): URL {
  const url = new URL(href);
  url.hash = '';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new LoaderError('unsupported-scheme', `${url.protocol} only http and https are fetched`);
  }
  if (url.href.length > maxUrlCharacters) {
    const message = `${url.href.length} characters, over limits.maxUrlCharacters (${maxUrlCharacters})`;
    throw new LoaderError('invalid-url', message);
  }
  return url;
}

async function readBody(
  body: ReadableStream<Uint8Array>,
  { maxResourceBytes }: { maxResourceBytes: number },
  signal: AbortSignal | null,
): Promise<Uint8Array> {
  const reader = body.getReader();
  const stop = (): void => void reader.cancel(signal?.reason).catch(() => {});
  signal?.addEventListener('abort', stop, { once: true });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return Buffer.concat(chunks);
      if (!(value instanceof Uint8Array)) throw new TypeError('a body must yield Uint8Arrays');
      bytes += value.byteLength;
      if (bytes > maxResourceBytes) throw bodyTooLarge(maxResourceBytes);
      chunks.push(value);
    }
  } catch (error) {
    stop();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

function notSupported(name: string): LoaderError {
  return new LoaderError('invalid-option', `RequestInit.${name} is not supported`);
}
