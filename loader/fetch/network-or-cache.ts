// How one request is answered: by the cache, or by the network, whose response then updates the cache (Fetch Standard,
// 4.6 "HTTP-network-or-cache fetch"; RFC 9111). Nothing is stored before the response is complete and known to belong to
// its request. One object serves a `fetch` function: its connections, its cookies, and the calls in flight.

import { fieldLines } from '../../http/header-pairs.ts';
import { isSafe } from '../../http/methods.ts';
import type { CacheRequest } from '../cache/entry.ts';
import type { CachedResponse, HttpCache, Lookup, Validation } from '../cache/http-cache.ts';
import { LoaderError } from '../errors.ts';
import type { ResolvedOptions } from '../options.ts';
import { Cookies } from '../request/cookies.ts';
import { type PageTransport, Transport } from '../transport/transport.ts';
import { type Answer, Call, type Observer } from './call.ts';
import { type FetchRequest, requestFields } from './fetch-request.ts';

/** The answer if no stored response may be used and no request may be sent (RFC 9111 5.2.1.7). */
const gatewayTimeout = { status: 504, statusText: 'Gateway Timeout', headers: [] };

export class NetworkOrCache {
  readonly #options: ResolvedOptions;
  readonly #transport: Transport;
  readonly #share: PageTransport;
  readonly #cookies: Cookies;
  readonly #underWay = new Set<Call>();

  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.#transport = new Transport(options);
    this.#share = this.#transport.beginPage();
    this.#cookies = new Cookies(options.cookies);
  }

  /** @throws LoaderError if neither the network nor the store has an answer; the signal's reason. */
  async answer(request: FetchRequest): Promise<Answer> {
    const { method, url, credentials, sameSite, cache: mode } = request;
    const cookie = credentials ? this.#cookies.header(url, sameSite) : '';
    const headers = requestFields(request, cookie, this.#options);
    // The cache's view of the request, without the conditions that it adds itself.
    const key = { method, url: url.href, headers };
    const without: Lookup = { kind: mode === 'only-if-cached' ? 'unavailable' : 'miss' };
    const found = this.#options.cache?.lookup(key, mode) ?? without;
    if (found.kind === 'miss') return await this.#send(request, key, null);
    if (found.kind === 'validate') return await this.#validate(request, key, found.validation);
    if (found.kind === 'unavailable')
      return await this.#stored({ ...gatewayTimeout, body: Buffer.alloc(0) }, request);
    if (found.refresh !== null) {
      // This runs in the background (RFC 5861 3): the caller's signal does not cancel it, and errors are ignored.
      this.#send({ ...request, signal: null }, key, found.refresh).then(
        (answer) => answer.discard(),
        () => {},
      );
    }
    const answer = await this.#stored(found.response, request);
    // `hit`: the cache answered, and no request was sent (RFC 9211 2.1). Other caches' members are kept before it.
    return { ...answer, headers: [...answer.headers, ['cache-status', 'loadahead; hit']] };
  }

  /** Cancels bodies that nobody reads; resolves when no other body is in flight. */
  async idle(): Promise<void> {
    const error = new LoaderError('loader-closed', 'fetch was closed before its body was read');
    for (const call of this.#underWay) if (!call.isWanted) call.cancel(error);
    await Promise.all([...this.#underWay].map(({ over }) => over.promise));
  }

  close(): void {
    this.#transport.close();
  }

  async #validate(
    request: FetchRequest,
    key: CacheRequest,
    validation: Validation,
  ): Promise<Answer> {
    const { staleIfError } = validation;
    const answer = await this.#send(request, key, validation).catch((error: unknown) => {
      if (staleIfError === null || request.signal?.aborted) throw error;
      return null;
    });
    if (answer !== null && answer.status !== 304) {
      if (answer.status < 500 || staleIfError === null) return answer;
    }
    answer?.discard();
    const { cache } = this.#options;
    const isValid = answer?.status === 304;
    const stored = isValid ? cache?.validated(key, validation, answer) : staleIfError;
    return await (stored ? this.#stored(stored, request) : this.#send(request, key, null));
  }

  async #stored(stored: CachedResponse, request: FetchRequest): Promise<Answer> {
    const call = new Call(request, [], this.#options.limits, this.#share, null);
    void call.replay(stored);
    return await call.answer.promise;
  }

  /** @returns The answer, once its header section has arrived. */
  async #send(
    request: FetchRequest,
    key: CacheRequest,
    validation: Validation | null,
  ): Promise<Answer> {
    const { url, credentials, sameSite } = request;
    const { cache, limits } = this.#options;
    const fields = [...key.headers, ...(validation?.conditions ?? [])];
    const observer = cache && observerOf(cache, request, key, validation);
    const call = new Call(request, fields, limits, this.#share, observer);
    this.#underWay.add(call);
    call.over.promise.then(() => {
      this.#underWay.delete(call);
      void this.#share.rest(url.origin);
    });
    this.#share.submit(call.exchange);
    const answer = await call.answer.promise;
    const cookies = credentials ? fieldLines(answer.headers, 'set-cookie') : [];
    for (const cookie of cookies) this.#cookies.store(cookie, url, sameSite);
    return answer;
  }
}

function observerOf(
  cache: HttpCache,
  { cache: mode }: FetchRequest,
  key: CacheRequest,
  validation: Validation | null,
): Observer {
  return {
    gathers(response) {
      // Invalidation is harmless even if the response belongs to another request, and must not wait for the body.
      if (!isSafe(key.method)) attempt(() => cache.observe(key, response));
      // A 304 is applied once it is known to belong to this request.
      return response.status !== 304 && cache.mayStore(key, response, mode);
    },
    onProven: (response, body) =>
      attempt(() => {
        if (response.status === 304 && validation !== null) {
          cache.freshen(key, validation, response);
          return;
        }
        if (isSafe(key.method)) cache.observe(key, response);
        if (body !== null) cache.store([{ request: key, response, body, mode }]);
      }),
    onDoubt: () => attempt(() => cache.remove(cache.stored(key.url).map(({ id }) => id))),
  };
}

/** Ignores errors: a response must not fail because the cache is closed or cannot write. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {}
}
