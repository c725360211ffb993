// `fetch` over the loader's transport and HTTP cache: the platform's Request and Response outside, persistent and
// verified connections inside. A call passes through fetch-request.ts (input and header fields), network-or-cache.ts and
// call.ts (one request); this file follows redirects and creates the Response.

import { LoaderError } from '../errors.ts';
import { withHoldLine } from '../hold-line/held-line.ts';
import { type LoaderOptions, ofPages, type ResolvedOptions, resolveOptions } from '../options.ts';
import { requestSite } from '../request/referrer.ts';
import { isRedirectStatus, locationOf, parseLocation } from '../response/redirect.ts';
import { type Answer, explain } from './call.ts';
import { type FetchRequest, fetchRequest } from './fetch-request.ts';
import { NetworkOrCache } from './network-or-cache.ts';

/** Limit on redirects of a call (Fetch Standard, HTTP-redirect fetch). */
const mostRedirects = 20;

/**
 * The options of a loader with other defaults: `protocol` is `persistent` (no response waits for the reader of
 * another), and `cookies` is off.
 */
export type FetchOptions = Omit<LoaderOptions, (typeof ofPages)[number]>;

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
  const resolved = resolve(options);
  const network = new NetworkOrCache(resolved);
  /** Calls whose header section has not arrived yet. */
  const calls = new Set<Promise<Response>>();
  let isClosed = false;

  const fetch = async (
    input: string | URL | Request,
    init: RequestInit = {},
  ): Promise<Response> => {
    const asked = input instanceof Request ? input.signal : null;
    const signal = init.signal === undefined ? asked : init.signal;
    try {
      if (isClosed) throw new LoaderError('loader-closed', 'fetch after close');
      const request = await fetchRequest(input, init, signal);
      const call = follow(request, network);
      calls.add(call);
      return await call.finally(() => calls.delete(call));
    } catch (error) {
      throw explain(error, 'fetch failed', signal);
    }
  };
  const destroy = async (): Promise<void> => {
    isClosed = true;
    network.close();
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    await Promise.allSettled(calls);
    await network.idle();
    await destroy();
  };
  return Object.assign(fetch, { close, destroy, [Symbol.asyncDispose]: close });
}

function resolve(options: FetchOptions): ResolvedOptions {
  const resolved = resolveOptions(options); // throws if they are invalid
  const name = ofPages.find((each) => Object.hasOwn(options, each));
  if (name !== undefined) {
    const message = `options.${name} applies to pages and is not available in createFetch`;
    throw new LoaderError('invalid-option', message);
  }
  return {
    ...(resolved.holdLine === false ? resolved : withHoldLine(resolved)),
    protocol: options.protocol ?? 'persistent',
    cookies: options.cookies ?? false,
    // A program that reads an interface should see its faults.
    tolerant: false,
  };
}

async function follow(asked: FetchRequest, network: NetworkOrCache): Promise<Response> {
  let request = asked;
  for (let hops = 0; ; hops++) {
    const answer = await network.answer(request);
    const { status, headers } = answer;
    const { url, method, redirect } = request;
    let isUsed = false;
    try {
      const location = isRedirectStatus(status) ? locationOf(headers) : '';
      if (redirect === 'manual' || location === '') {
        const response = toResponse(answer, method, { url: url.href, redirected: hops > 0 });
        isUsed = response.body !== null;
        return response;
      }
      if (redirect === 'error') {
        throw new LoaderError('invalid-redirect', `${status}, and redirect is 'error'`);
      }
      if (hops >= mostRedirects) {
        throw new LoaderError('too-many-redirects', `more than ${mostRedirects} redirects`);
      }
      request = redirected(request, parseLocation(location, { url: url.href, status }), status);
    } finally {
      if (!isUsed) answer.discard();
    }
  }
}

/** Header fields that describe the request body, and are dropped with it. */
const ofBody = /^content-(?:encoding|language|location|type)$/;

/** Header fields that must not be sent to another origin. */
const ofOrigin = /^(?:authorization|cookie|proxy-authorization)$/;

/** The request that follows a redirect (Fetch Standard, 4.4 "HTTP-redirect fetch"; RFC 9110 15.4). */
function redirected(request: FetchRequest, url: URL, status: number): FetchRequest {
  const becomesGet =
    ((status === 301 || status === 302) && request.method === 'POST') ||
    (status === 303 && request.method !== 'GET' && request.method !== 'HEAD');
  const next: FetchRequest = { ...request, url };
  if (becomesGet) {
    next.method = 'GET';
    next.body = null;
    next.headers = next.headers.filter(([name]) => !ofBody.test(name));
  }
  if (requestSite(request.url, url) === 'cross-site') {
    // A cross-site redirect sends no Strict cookies and, unless the method is safe, no Lax ones.
    next.sameSite = next.method === 'GET' || next.method === 'HEAD' ? 'lax' : 'none';
  }
  if (url.origin !== request.url.origin) {
    next.headers = next.headers.filter(([name]) => !ofOrigin.test(name));
    next.askedOrigin = '';
  }
  return next;
}

/**
 * Creates the platform's Response and sets what its constructor does not accept.
 * @throws LoaderError `malformed-response` if the answer cannot become a Response.
 */
function toResponse(answer: Answer, method: string, labels: Labels): Response {
  const { status, statusText, headers } = answer;
  // Null body statuses (Fetch Standard, 2.2.3).
  const body = method === 'HEAD' || [204, 205, 304].includes(status) ? null : answer.body;
  try {
    return label(new Response(body, { status, statusText, headers }), labels);
  } catch (cause) {
    const message = `no Response can have status ${status} with these fields`;
    throw new LoaderError('malformed-response', message, { cause });
  }
}

type Labels = Pick<Response, 'url' | 'redirected'>;

function label(response: Response, { url, redirected }: Labels): Response {
  return Object.defineProperties(response, {
    url: { value: url },
    redirected: { value: redirected },
    type: { value: 'basic' },
    clone: { value: () => label(Response.prototype.clone.call(response), { url, redirected }) },
  });
}
