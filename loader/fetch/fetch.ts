// `fetch` over the loader's transport and HTTP cache: the platform's Request and Response outside, persistent and
// verified connections inside. A call passes through fetch-request.ts (input), request-fields.ts (fields to send),
// caching.ts (stored?), collapsing.ts (in flight?), sender.ts and network-fetch.ts (network); here it follows redirects
// and becomes a Response.

import { withoutFields } from '../../http/header-pairs.ts';
import { LoaderError } from '../errors.ts';
import type { LoaderOptions, ResolvedOptions } from '../options.ts';
import { requestSite } from '../request/referrer.ts';
import { resolveOptions } from '../resolve-options.ts';
import { isRedirectStatus, locationOf, parseLocation } from '../response/redirect.ts';
import { lastStatus, statusFault } from '../response/verdict.ts';
import { Caching } from './caching.ts';
import type { FetchAnswer } from './fetch-answer.ts';
import { type FetchRequest, fetchRequest } from './fetch-request.ts';
import { explain, Sender } from './sender.ts';

/**
 * The options of a loader with other defaults: `protocol` is `persistent` (no response waits for the reader of
 * another), `cookies` and
 * `tolerant` are off, `limits.maxRedirects` is 20 (Fetch Standard).
 */
export type FetchOptions = Pick<
  LoaderOptions,
  | 'cache'
  | 'protocol'
  | 'connections'
  | 'pipeline'
  | 'holdLine'
  | 'timeouts'
  | 'limits'
  | 'tls'
  | 'tolerant'
  | 'extraHeaders'
  | 'userAgent'
  | 'cookies'
  | 'refusePrivateAddresses'
  | 'dispatcher'
>;

export interface Fetch extends AsyncDisposable {
  /**
   * Follows the Fetch Standard outside a browser; docs/fetch.md lists the differences.
   * @returns When the header section has arrived; the body streams as it is read.
   * @throws TypeError if there is no response, with a LoaderError as `cause`; the signal's reason if aborted.
   */
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /**
   * Refuses new requests; resolves once the running ones are done and all connections are closed. It waits for
   * bodies that are being read and cancels the others. The caller closes the cache.
   */
  close(): Promise<void>;
  /** Closes all connections now; requests in flight fail with `loader-closed`. */
  destroy(): Promise<void>;
}

/** @throws LoaderError `invalid-option` */
export function createFetch(options: FetchOptions = {}): Fetch {
  const fetcher = new Fetcher(resolve(options));
  const close = (): Promise<void> => fetcher.close();
  const destroy = (): Promise<void> => fetcher.destroy();
  const call = (input: string | URL | Request, init?: RequestInit) =>
    fetcher.fetch(input, init ?? {});
  return Object.assign(call, { close, destroy, [Symbol.asyncDispose]: close });
}

/** Options for loading pages, which a single request does not have. */
const ofPages = ['batch', 'dictionaries', 'headers', 'images', 'imageFirstBytes'];

function resolve(options: FetchOptions): ResolvedOptions {
  const resolved = resolveOptions(options); // throws if they are invalid
  for (const name of ofPages) {
    if (!Object.hasOwn(options, name)) continue;
    throw new LoaderError(
      'invalid-option',
      `options.${name} applies to pages and is not available in createFetch`,
    );
  }
  const { maxRedirects = 20 } = options.limits ?? {};
  return {
    ...resolved,
    protocol: options.protocol ?? 'persistent',
    cookies: options.cookies ?? false,
    tolerant: options.tolerant ?? false,
    limits: { ...resolved.limits, maxRedirects },
  };
}

class Fetcher {
  readonly #options: ResolvedOptions;
  readonly #sender: Sender;
  readonly #caching: Caching;
  #closed = false;
  /** Calls whose header section has not arrived yet. */
  readonly #calls = new Set<Promise<Response>>();

  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.#sender = new Sender(options);
    this.#caching = new Caching(options, this.#sender);
  }

  async fetch(input: string | URL | Request, init: RequestInit): Promise<Response> {
    let signal = init.signal ?? null;
    try {
      if (this.#closed) throw new LoaderError('loader-closed', 'fetch after close');
      const request = await fetchRequest(input, init, this.#options.limits);
      signal = request.signal;
      const call = this.#follow(request);
      this.#calls.add(call);
      const response = await call.finally(() => this.#calls.delete(call));
      return response;
    } catch (error) {
      throw explain(error, 'fetch failed', signal);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#calls);
    await this.#sender.idle();
    await this.destroy();
  }

  async destroy(): Promise<void> {
    this.#closed = true;
    this.#caching.close();
    this.#sender.close();
  }

  async #follow(asked: Awaited<ReturnType<typeof fetchRequest>>): Promise<Response> {
    const { maxRedirects } = this.#options.limits;
    let request = asked;
    for (let hops = 0; ; hops++) {
      const answer = await this.#caching.answer(request);
      if (request.redirect === 'manual' || !isRedirect(answer)) {
        const labels = { url: request.url.href, redirected: hops > 0 };
        return toResponse(answer, request.method, labels);
      }
      answer.discard();
      if (request.redirect === 'error') {
        throw new LoaderError('invalid-redirect', `${answer.status}, and redirect is 'error'`);
      }
      if (hops >= maxRedirects) {
        throw new LoaderError('too-many-redirects', `more than ${maxRedirects} redirects`);
      }
      request = redirected(request, answer);
    }
  }
}

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
function isRedirect({ status, headers }: FetchAnswer): boolean {
  return isRedirectStatus(status) && locationOf(headers) !== '';
}

/**
 * The request that follows a redirect (Fetch Standard, 4.4 "HTTP-redirect fetch"; RFC 9110 15.4).
 * @throws LoaderError `invalid-redirect`, `unsupported-scheme`
 */
function redirected(request: FetchRequest, { status, headers }: FetchAnswer): FetchRequest {
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

/** Null body statuses (Fetch Standard, 2.2.3). */
const nullBody = new Set([204, 205, 304]);

interface Labels {
  url: string;
  redirected: boolean;
}

/**
 * Creates the platform's Response and sets `url` and `redirected`, which its constructor does not accept.
 * @throws LoaderError `http-status`, `malformed-response` if the answer cannot become a Response.
 */
function toResponse(answer: FetchAnswer, method: string, labels: Labels): Response {
  const { status, statusText, headers } = answer;
  if (status > lastStatus) {
    answer.discard();
    throw new LoaderError('http-status', statusFault(status, statusText));
  }
  const bodiless = nullBody.has(status) || method === 'HEAD';
  if (bodiless) answer.discard();
  try {
    // Allowed characters of a reason phrase (RFC 9112 4).
    const phrase = /^[\t\x20-\x7e\x80-\xff]*$/.test(statusText) ? statusText : '';
    const init = { status, statusText: phrase, headers: new Headers(headers) };
    return label(new Response(bodiless ? null : answer.body, init), labels);
  } catch (cause) {
    answer.discard();
    const message = `no Response can have status ${status} with these fields`;
    throw new LoaderError('malformed-response', message, { cause });
  }
}

function label(response: Response, labels: Labels): Response {
  return Object.defineProperties(response, {
    url: { value: labels.url },
    redirected: { value: labels.redirected },
    type: { value: 'basic' },
    clone: { value: () => label(Response.prototype.clone.call(response), labels) },
  });
}
