// `fetch` over the loader's transport and HTTP cache: the platform's Request and Response outside, persistent and
// verified connections inside. A call passes through fetch-request.ts (input and header fields) and call.ts (one
// request); this file follows redirects, asks the cache or the network (Fetch Standard, 4.6 "HTTP-network-or-cache
// fetch"; RFC 9111), and creates the Response. Nothing is stored before a response is complete and known to belong to
// its request.

import { fieldLines } from '../../http/header-pairs.ts';
import type { CachedResponse, Lookup, Validation } from '../cache/http-cache.ts';
import { LoaderError } from '../errors.ts';
import { withHoldLine } from '../hold-line/held-line.ts';
import { type LoaderOptions, ofPages, type ResolvedOptions, resolveOptions } from '../options.ts';
import { cacheWhileOpen } from '../page/page-cache.ts';
import { Cookies } from '../request/cookies.ts';
import { requestSite } from '../request/referrer.ts';
import { nothingStored, plainPlan } from '../request/request-plan.ts';
import { isRedirectStatus, locationOf, parseLocation } from '../response/redirect.ts';
import { inPlaceOf, verdictOn } from '../response/verdict.ts';
import { type PageTransport, Transport } from '../transport/transport.ts';
import { type Answer, Call, type CallOptions, explain } from './call.ts';
import { type FetchRequest, fetchRequest, requestFields } from './fetch-request.ts';

/** Limit on redirects of a call (Fetch Standard, HTTP-redirect fetch). */
const mostRedirects = 20;

/**
 * The options of a loader that are not for pages only, with other defaults: `protocol` is `persistent` (no response
 * waits for the reader of another), and `cookies` is off.
 */
export type FetchOptions = Omit<LoaderOptions, (typeof ofPages)[number]>;

export interface Fetch extends AsyncDisposable {
  /**
   * Follows the Fetch Standard outside a browser; docs/loader.md lists the differences.
   * @returns The response, once its header section has arrived; the body streams as it is read.
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

/** Makes a `fetch` function with its own connections. @throws LoaderError `invalid-option` */
export function createFetch(options: FetchOptions = {}): Fetch {
  const client = new FetchClient(resolve(options));
  const [close, destroy] = [() => client.close(), async () => client.destroy()];
  return Object.assign(client.fetch, { close, destroy, [Symbol.asyncDispose]: close });
}

function resolve(options: FetchOptions): ResolvedOptions {
  const resolved = resolveOptions(options); // throws if they are invalid
  const name = ofPages.find((each) => Object.hasOwn(options, each));
  if (name !== undefined) {
    throw new LoaderError('invalid-option', `options.${name} is for pages, not for createFetch`);
  }
  return {
    ...(resolved.holdLine === false ? resolved : withHoldLine(resolved)),
    protocol: options.protocol ?? 'persistent',
    cookies: options.cookies ?? false,
    // Faults that browsers tolerate are errors here: a program that calls a server's interface should see them.
    tolerant: false,
  };
}

type Input = string | URL | Request;

class FetchClient {
  readonly #options: ResolvedOptions;
  readonly #transport: Transport;
  readonly #share: PageTransport;
  readonly #cookies: Cookies;
  /** Calls of `fetch` whose header section has not arrived yet. */
  readonly #unanswered = new Set<Promise<Response>>();
  readonly #underWay = new Set<Call>();
  #isClosed = false;

  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.#transport = new Transport(options);
    this.#share = this.#transport.beginPage();
    this.#cookies = new Cookies(options.cookies);
  }

  readonly fetch = async (input: Input, init: RequestInit = {}): Promise<Response> => {
    const asked = input instanceof Request ? input.signal : null;
    const signal = init.signal === undefined ? asked : init.signal;
    try {
      if (this.#isClosed) throw new LoaderError('loader-closed', 'fetch after close');
      const call = this.#follow(await fetchRequest(input, init, signal));
      this.#unanswered.add(call);
      return await call.finally(() => this.#unanswered.delete(call));
    } catch (error) {
      throw explain(error, 'fetch failed', signal);
    }
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#unanswered);
    const error = new LoaderError('loader-closed', 'fetch was closed before its body was read');
    for (const call of this.#underWay) if (!call.isWanted) call.fail(error);
    await Promise.all([...this.#underWay].map(({ over }) => over.promise));
    this.destroy();
  }

  destroy(): void {
    this.#isClosed = true;
    this.#transport.close();
  }

  async #follow(asked: FetchRequest): Promise<Response> {
    let request = asked;
    for (let hops = 0; ; hops++) {
      const answer = await this.#answer(request);
      try {
        const { status, headers } = answer;
        const { url, redirect } = request;
        const location = isRedirectStatus(status) ? locationOf(headers) : '';
        if (redirect === 'manual' || location === '') return responseOf(answer, request, hops > 0);
        if (redirect === 'error') {
          throw new LoaderError('invalid-redirect', `${status}, and redirect is 'error'`);
        }
        if (hops >= mostRedirects) {
          throw new LoaderError('too-many-redirects', `more than ${mostRedirects} redirects`);
        }
        request = redirected(request, parseLocation(location, { url: url.href, status }), status);
      } catch (error) {
        answer.discard();
        throw error;
      }
      answer.discard();
    }
  }

  /**
   * Answers one request from the cache or the network, without following redirects.
   * @throws LoaderError if neither has an answer; the signal's reason.
   */
  async #answer(request: FetchRequest): Promise<Answer> {
    const { method, url, credentials, sameSite, cache: mode } = request;
    const cookie = credentials === 'omit' ? '' : this.#cookies.header(url, sameSite);
    const key = { method, url: url.href, headers: requestFields(request, cookie, this.#options) };
    const without: Lookup = { kind: mode === 'only-if-cached' ? 'unavailable' : 'miss' };
    const store = this.#options.cache && cacheWhileOpen(this.#options.cache);
    const found = store?.lookup(key, mode) ?? without;
    const asked = { ...request, key, store, validation: null };
    if (found.kind === 'unavailable') return await this.#stored(nothingStored, asked);
    if (found.kind === 'miss') return await this.#send(asked);
    if (found.kind === 'validate') return await this.#validate(asked, found.validation);
    if (found.refresh !== null) {
      // The stale response is revalidated in the background (RFC 5861 3): the caller's signal does not cancel that, and
      // its errors are ignored.
      const refreshed = this.#send({ ...asked, signal: null, validation: found.refresh });
      refreshed.then((answer) => answer.discard()).catch(() => {});
    }
    const answer = await this.#stored(found.response, asked);
    // `hit`: the cache answered, and no request was sent (RFC 9211 2.1). It comes after the entries of other caches.
    return { ...answer, headers: [...answer.headers, ['cache-status', 'loadahead; hit']] };
  }

  async #validate(asked: CallOptions, validation: Validation): Promise<Answer> {
    const plan = { ...plainPlan, validation };
    let stored: CachedResponse | null | undefined;
    try {
      const answer = await this.#send({ ...asked, validation });
      const { kind } = verdictOn(plan, answer);
      if (kind === 'as-is') return answer;
      answer.discard();
      stored = validation.staleIfError;
      if (kind === 'not-modified') stored = asked.store?.validated(asked.key, validation, answer);
    } catch (error) {
      stored = inPlaceOf(error as LoaderError, plan);
      if (!stored || asked.signal?.aborted) throw error;
    }
    return await (stored ? this.#stored(stored, asked) : this.#send(asked));
  }

  async #stored(stored: CachedResponse, asked: CallOptions): Promise<Answer> {
    const call = new Call({ ...asked, store: null }, this.#options.limits, this.#share);
    call.replay(stored).catch((error) => call.fail(error));
    return await call.answer.promise;
  }

  /** Sends a request to the network. @returns The answer, once its header section has arrived. */
  async #send(asked: CallOptions): Promise<Answer> {
    const { url, credentials, sameSite } = asked;
    const call = new Call(asked, this.#options.limits, this.#share);
    this.#underWay.add(call);
    call.over.promise.then(() => {
      this.#underWay.delete(call);
      void this.#share.rest(url.origin);
    });
    this.#share.submit(call.exchange);
    const answer = await call.answer.promise;
    const cookies = credentials === 'omit' ? [] : fieldLines(answer.headers, 'set-cookie');
    for (const cookie of cookies) this.#cookies.store(cookie, url, sameSite);
    return answer;
  }
}

/** Header fields that describe the request body, and are dropped with it. */
const ofBody = /^content-(?:encoding|language|location|type)$/;

/** Header fields that must not be sent to another origin. */
const ofOrigin = /^(?:authorization|cookie|proxy-authorization)$/;

/** Returns the request that follows a redirect (Fetch Standard, 4.4 "HTTP-redirect fetch"; RFC 9110 15.4). */
function redirected(request: FetchRequest, url: URL, status: number): FetchRequest {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const becomesGet = status === 303 ? !isRead : status < 303 && request.method === 'POST';
  const isForeign = url.origin !== request.url.origin;
  const isKept = ([name]: [string, string]) =>
    !(becomesGet && ofBody.test(name)) && !(isForeign && ofOrigin.test(name));
  const next = { ...request, url, headers: request.headers.filter(isKept) };
  if (isForeign) next.askedOrigin = '';
  // A cross-site redirect sends no Strict cookies and, unless the method is safe, no Lax ones.
  const isCrossSite = requestSite(request.url, url) === 'cross-site';
  if (isCrossSite) next.sameSite = isRead || becomesGet ? 'lax' : 'none';
  return becomesGet ? { ...next, method: 'GET', body: null } : next;
}

/** Makes the platform's Response of an answer. @throws LoaderError `malformed-response` if that is impossible. */
function responseOf(
  answer: Answer,
  { url, method }: FetchRequest,
  isRedirected: boolean,
): Response {
  const { status, statusText, headers } = answer;
  // A Response with one of these statuses must not have a body (Fetch Standard, 2.2.3).
  const body = method === 'HEAD' || [204, 205, 304].includes(status) ? null : answer.body;
  try {
    const response = new Response(body, { status, statusText, headers });
    if (body === null) answer.discard();
    return labelled(response, { url: url.href, redirected: isRedirected, type: 'basic' });
  } catch (cause) {
    const message = `no Response can have status ${status} with these fields`;
    throw new LoaderError('malformed-response', message, { cause });
  }
}

/** Sets the properties of a Response that its constructor does not accept. */
function labelled(response: Response, labels: Partial<Response>): Response {
  const clone = () => labelled(Response.prototype.clone.call(response), labels);
  for (const [name, value] of Object.entries({ ...labels, clone })) {
    Object.defineProperty(response, name, { value });
  }
  return response;
}
