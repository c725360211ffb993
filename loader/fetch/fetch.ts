// `fetch` over the loader's transport and HTTP cache: the platform's Request and Response outside, persistent and
// verified connections inside. A call passes through fetch-request.ts (input and header fields) and call.ts (one
// request); this file follows redirects, asks the cache or the network (Fetch Standard, 4.6 "HTTP-network-or-cache
// fetch"; RFC 9111), and creates the Response. Nothing is stored before a response is complete and known to belong to
// its request.

import { fieldLines, fieldValue } from '../../http/header-pairs.ts';
import { about } from '../../options/refusal.ts';
import type { CachedResponse, Lookup, Validation } from '../cache/http-cache.ts';
import { invalidOption, LoaderError } from '../errors.ts';
import { heldConnections } from '../hold-line/held-line.ts';
import { type LoaderOptions, ofPages, type ResolvedOptions, resolveOptions } from '../options.ts';
import { cacheWhileOpen } from '../page/page-cache.ts';
import { Cookies } from '../request/cookies.ts';
import { requestSite } from '../request/referrer.ts';
import { nothingStored, plainPlan } from '../request/request-plan.ts';
import { isRedirectStatus, locationOf, redirectTarget } from '../response/redirect.ts';
import { inPlaceOf, verdictOn } from '../response/verdict.ts';
import { Transport } from '../transport/transport.ts';
import { type Answer, type Asked, Call, type CallOptions, explain } from './call.ts';
import { type FetchRequest, fetchRequest, requestFields } from './fetch-request.ts';

/** The options of a loader that are not for pages only, with other defaults: `protocol` is `persistent` (no response
 *  waits for the reader of another), and `cookies` is off. */
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
  const resolved = resolve(options);
  const transport = new Transport(resolved);
  const cookies = new Cookies(resolved.cookies);
  const underWay = new Set<Call>();
  const client = { options: resolved, share: transport.beginPage(), underWay };
  const begun = new Set<Promise<Response>>();
  let isClosed = false;

  const ask = async (...request: [string | URL | Request, RequestInit, AbortSignal | null]) => {
    if (isClosed) throw new LoaderError('loader-closed', 'fetch after close');
    return await follow({ ...client, ...(await fetchRequest(...request, cookies)) });
  };
  const fetch = async (input: string | URL | Request, init: RequestInit = {}) => {
    const { signal = input instanceof Request ? input.signal : null } = init;
    const response = ask(input, init, signal)
      .catch((error) => Promise.reject(explain(error, 'fetch failed', signal)))
      .finally(() => begun.delete(response));
    begun.add(response);
    return response;
  };
  const destroy = async () => {
    isClosed = true;
    transport.close();
  };
  const close = async () => {
    isClosed = true;
    const error = new LoaderError('loader-closed', 'fetch was closed before its body was read');
    // A response that arrives during the wait may be a redirect; the request that follows it is then under way, too.
    while (begun.size + underWay.size > 0) {
      await Promise.allSettled([...begun, ...[...underWay].map(({ answer }) => answer.promise)]);
      await new Promise(setImmediate); // meanwhile the callers begin to read bodies
      for (const call of underWay)
        if (call.response !== null && !call.body.locked) call.fail(error);
      await Promise.all([...underWay].map(({ over }) => over.promise));
    }
    await destroy();
  };
  return Object.assign(fetch, { close, destroy, [Symbol.asyncDispose]: close });
}

function resolve(options: FetchOptions): ResolvedOptions {
  const resolved = resolveOptions(options); // throws if they are invalid
  const name = ofPages.find((each) => Object.hasOwn(options, each));
  if (name !== undefined) invalidOption(...about(name, 'is for pages, not for createFetch'));
  return {
    ...resolved,
    ...(resolved.holdLine !== false && heldConnections(resolved.holdLine)),
    protocol: options.protocol ?? 'persistent',
    cookies: options.cookies ?? false,
    limits: { ...resolved.limits, maxRedirects: 20 }, // Fetch Standard, 4.4 "HTTP-redirect fetch"
    // Faults that browsers tolerate are errors here: a program that calls a server's interface should see them.
    tolerant: false,
  };
}

async function follow(request: Asked): Promise<Response> {
  const answer = await answerTo(request);
  const next = redirected(request, answer);
  return next === null ? responseOf(answer, request) : await follow(next);
}

/** Answers one request from cache or network. @throws LoaderError if neither has an answer; the signal's reason */
async function answerTo(request: Asked): Promise<Answer> {
  const { method, url, sameSite, cache: mode, options, cookies } = request;
  const headers = requestFields(request, cookies.header(url, sameSite), options);
  const key = { method, url: url.href, headers };
  const without: Lookup = { kind: mode === 'only-if-cached' ? 'unavailable' : 'miss' };
  const store = options.cache && cacheWhileOpen(options.cache);
  const found = store?.lookup(key, mode) ?? without;
  const asked = { ...request, key, store, validation: null };
  if (found.kind === 'unavailable')
    return await new Call({ ...asked, store: null }).replay(nothingStored);
  if (found.kind === 'miss') return await send(asked);
  if (found.kind === 'validate') return await validate(asked, found.validation);
  if (found.refresh !== null) {
    // The stale response is revalidated in the background (RFC 5861 3): the caller's signal does not cancel that, and
    // its errors are ignored.
    const refreshed = send({ ...asked, signal: null, validation: found.refresh });
    refreshed.then((answer) => answer.discard()).catch(() => {});
  }
  // `hit`: the cache answered, and no request was sent (RFC 9211 2.1). It comes after the entries of other caches.
  found.response.headers.push(['cache-status', 'loadahead; hit']);
  return await new Call({ ...asked, store: null }).replay(found.response);
}

async function validate(asked: CallOptions, validation: Validation): Promise<Answer> {
  const plan = { ...plainPlan, validation };
  let stored: CachedResponse | null | undefined;
  try {
    const answer = await send({ ...asked, validation });
    const { kind } = verdictOn(plan, answer.response);
    if (kind === 'as-is') return answer;
    answer.discard();
    stored = validation.staleIfError;
    if (kind === 'not-modified')
      stored = asked.store?.validated(asked.key, validation, answer.response);
  } catch (error) {
    stored = inPlaceOf(error as LoaderError, plan);
    if (!stored || asked.signal?.aborted) throw error;
  }
  if (!stored) return await send(asked);
  return await new Call({ ...asked, store: null }).replay(stored);
}

/** Sends a request to the network. @returns The answer, once its header section has arrived. */
async function send(asked: CallOptions): Promise<Answer> {
  const { url, sameSite, cookies, share, underWay } = asked;
  const call = new Call(asked);
  underWay.add(call);
  void call.over.promise.then(() => underWay.delete(call)).then(() => share.rest(url.origin));
  share.submit(call.exchange);
  const answer = await call.answer.promise;
  const { headers } = answer.response;
  for (const line of fieldLines(headers, 'set-cookie')) cookies.store(line, url, sameSite);
  return answer;
}

/** Matches header fields that describe the request body; a redirect that drops the body drops them, too. */
const ofBody = /^content-(?:encoding|language|location|type)$/;
/** Matches header fields that are not sent again if a redirect leads to another origin. */
const ofOrigin = /^(?:authorization|cookie|proxy-authorization)$/;

/**
 * Returns the request that follows a redirect (Fetch Standard, 4.4 "HTTP-redirect fetch"; RFC 9110 15.4), and discards
 * the answer; null: the answer is not a redirect that is followed. @throws LoaderError
 */
function redirected(request: Asked, answer: Answer): Asked | null {
  const { status, headers } = answer.response;
  const isFollowed = request.redirect !== 'manual' && isRedirectStatus(status);
  if (!isFollowed || fieldValue(headers, 'location') === '') return null;
  answer.discard();
  const limits = { ...request.options.limits, hops: request.hops + 1, answered: [] };
  const url = redirectTarget(locationOf(headers), { url: request.url.href, status }, limits);
  if (request.redirect === 'error')
    throw new LoaderError('invalid-redirect', `${status}, and redirect is 'error'`);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const becomesGet = status === 303 ? !isRead : status < 303 && request.method === 'POST';
  const isForeign = url.origin !== request.url.origin;
  const isKept = ([name]: [string, string]) =>
    !(becomesGet && ofBody.test(name)) && !(isForeign && ofOrigin.test(name));
  const next = { ...request, url, hops: limits.hops, headers: request.headers.filter(isKept) };
  if (isForeign) next.askedOrigin = '';
  // A cross-site redirect sends no Strict cookies and, unless the method is safe, no Lax ones.
  const isCrossSite = requestSite(request.url, url) === 'cross-site';
  if (isCrossSite) next.sameSite = isRead || becomesGet ? 'lax' : 'none';
  return becomesGet ? { ...next, method: 'GET', body: null } : next;
}

/** Makes the platform's Response of an answer. @throws LoaderError `malformed-response` if that is impossible. */
function responseOf(answer: Answer, { url, method, hops }: FetchRequest): Response {
  const { status, statusText, headers } = answer.response;
  // A Response with one of these statuses must not have a body (Fetch Standard, 2.2.3).
  const body = method === 'HEAD' || [204, 205, 304].includes(status) ? null : answer.body;
  try {
    const response = new Response(body, { status, statusText, headers });
    if (body === null) answer.discard();
    return labelled(response, { url: url.href, redirected: hops > 0, type: 'basic' });
  } catch (cause) {
    answer.discard();
    const message = `no Response can have status ${status} with these fields`;
    throw new LoaderError('malformed-response', message, { cause });
  }
}

/** Sets the properties of a Response that its constructor does not accept. */
function labelled(response: Response, labels: Partial<Response>): Response {
  const clone = () => labelled(Response.prototype.clone.call(response), labels);
  const own = Object.entries({ ...labels, clone }).map(([name, value]) => [name, { value }]);
  return Object.defineProperties(response, Object.fromEntries(own));
}
