// How one request is answered: by the cache, or by the network, whose response then updates the cache (Fetch Standard,
// 4.6 "HTTP-network-or-cache fetch"; RFC 9111). Nothing is stored before the response is complete and known to belong to
// its request. One object serves a `fetch` function: its connections, its cookies, and the calls in flight.

import { fieldLines } from '../../http/header-pairs.ts';
import type { CachedResponse, Lookup, Validation } from '../cache/http-cache.ts';
import { LoaderError } from '../errors.ts';
import type { ResolvedOptions } from '../options.ts';
import { cacheWhileOpen } from '../page/page-cache.ts';
import { Cookies } from '../request/cookies.ts';
import { nothingStored, plainPlan } from '../request/request-plan.ts';
import { inPlaceOf, verdictOn } from '../response/verdict.ts';
import { type PageTransport, Transport } from '../transport/transport.ts';
import { type Answer, type Asked, Call } from './call.ts';
import { type FetchRequest, requestFields } from './fetch-request.ts';

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
    // The cache's view of the request, without the conditions that it adds itself.
    const key = { method, url: url.href, headers: requestFields(request, cookie, this.#options) };
    const without: Lookup = { kind: mode === 'only-if-cached' ? 'unavailable' : 'miss' };
    const store = this.#options.cache && cacheWhileOpen(this.#options.cache);
    const found = store?.lookup(key, mode) ?? without;
    const asked = { ...request, key, store };
    if (found.kind === 'unavailable') return await this.#stored(nothingStored, asked);
    if (found.kind === 'miss') return await this.#send(asked, null);
    if (found.kind === 'validate') return await this.#validate(asked, found.validation);
    if (found.refresh !== null) {
      // This runs in the background (RFC 5861 3): the caller's signal does not cancel it, and errors are ignored.
      const refreshed = this.#send({ ...asked, signal: null }, found.refresh);
      refreshed.then((answer) => answer.discard()).catch(() => {});
    }
    const answer = await this.#stored(found.response, asked);
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

  async #validate(asked: Asked, validation: Validation): Promise<Answer> {
    const plan = { ...plainPlan, validation };
    let stored: CachedResponse | null | undefined;
    try {
      const answer = await this.#send(asked, validation);
      const { kind } = verdictOn(plan, answer);
      if (kind === 'as-is') return answer;
      answer.discard();
      const isValid = kind === 'not-modified';
      stored = isValid
        ? asked.store?.validated(asked.key, validation, answer)
        : validation.staleIfError;
    } catch (error) {
      stored = inPlaceOf(error as LoaderError, plan);
      if (!stored || asked.signal?.aborted) throw error;
    }
    return await (stored ? this.#stored(stored, asked) : this.#send(asked, null));
  }

  async #stored(stored: CachedResponse, asked: Asked): Promise<Answer> {
    const call = new Call({ ...asked, store: null }, null, this.#options.limits, this.#share);
    void call.replay(stored);
    return await call.answer.promise;
  }

  /** @returns The answer, once its header section has arrived. */
  async #send(asked: Asked, validation: Validation | null): Promise<Answer> {
    const { url, credentials, sameSite } = asked;
    const call = new Call(asked, validation, this.#options.limits, this.#share);
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
