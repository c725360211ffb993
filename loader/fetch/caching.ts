// Stands between `fetch` and the network: the cache is consulted before a request is sent, and updated by its response
// (Fetch Standard, 4.6 "HTTP-network-or-cache fetch"; RFC 9111). Nothing is stored before the response is complete and
// known to belong to its request.

import { isSafe } from '../../http/methods.ts';
import type { CacheRequest } from '../cache/entry.ts';
import type { CachedResponse, HttpCache, Validation } from '../cache/http-cache.ts';
import { LoaderError } from '../errors.ts';
import type { ResolvedOptions } from '../options.ts';
import { BodyStream } from './body-stream.ts';
import type { FetchAnswer, NetworkAnswer } from './call.ts';
import { type FetchRequest, requestFields } from './fetch-request.ts';
import type { Network, Observer } from './network.ts';

/** A request, and the cache's view of it with the header fields to be sent, except conditions that the cache adds. */
interface Asked {
  request: FetchRequest;
  key: CacheRequest;
}

export class Caching {
  readonly #options: ResolvedOptions;
  readonly #network: Network;

  constructor(options: ResolvedOptions, network: Network) {
    this.#options = options;
    this.#network = network;
  }

  /** @throws LoaderError if neither the network nor the store has an answer. */
  async answer(request: FetchRequest): Promise<FetchAnswer> {
    const { cache } = this.#options;
    const { method, url } = request;
    const headers = requestFields(request, this.#network.cookie(request), this.#options);
    const asked = { request, key: { method, url: url.href, headers } };
    if (cache === null) {
      if (request.cache === 'only-if-cached') return unavailable();
      return await this.#network.send(request, headers, null);
    }
    const found = cache.lookup(asked.key, request.cache);
    switch (found.kind) {
      case 'unavailable':
        return unavailable();
      case 'hit': {
        if (found.refresh !== null) this.#refresh(cache, asked, found.refresh);
        const answer = this.#stored(found.response, request);
        // `hit`: the cache answered, and no request was sent (RFC 9211 2.1). Other caches' members are kept before it.
        return { ...answer, headers: [...answer.headers, ['cache-status', 'loadahead; hit']] };
      }
      case 'validate':
        return await this.#validate(cache, asked, found.validation);
      case 'miss':
        return await this.#send(cache, asked, null);
    }
  }

  async #validate(cache: HttpCache, asked: Asked, validation: Validation): Promise<FetchAnswer> {
    const { request, key } = asked;
    const { staleIfError } = validation;
    let answer: NetworkAnswer;
    try {
      answer = await this.#send(cache, asked, validation);
    } catch (error) {
      if (staleIfError === null || request.signal?.aborted) throw error;
      return this.#stored(staleIfError, request);
    }
    if (answer.status === 304) {
      answer.discard();
      const { response } = answer;
      const whole = cache.validated(key, validation, response);
      if (whole === null) return await this.#send(cache, asked, null);
      return this.#stored(whole, request);
    }
    if (answer.status < 500 || staleIfError === null) return answer;
    answer.discard();
    return this.#stored(staleIfError, request);
  }

  /** Answers with a stored response, whose body is decoded as it is read. */
  #stored(stored: CachedResponse, { signal }: FetchRequest): FetchAnswer {
    const { status, statusText, headers, body } = stored;
    const stream = new BodyStream(headers, this.#options.limits, signal);
    feed(stream, body, signal);
    const discard = (): void => stream.discard();
    return { status, statusText, headers, body: stream.readable, discard };
  }

  /** Revalidates in the background: the caller already has the stale response (RFC 5861 3). Errors are ignored. */
  #refresh(cache: HttpCache, { request, key }: Asked, validation: Validation): void {
    // The caller's signal cancels only the caller's response.
    this.#send(cache, { request: { ...request, signal: null }, key }, validation)
      .then((answer) => answer.discard())
      .catch(() => {});
  }

  async #send(
    cache: HttpCache,
    { request, key }: Asked,
    validation: Validation | null,
  ): Promise<NetworkAnswer> {
    const fields = [...key.headers, ...(validation?.conditions ?? [])];
    const observer: Observer = {
      gathers(response) {
        // Invalidation is harmless even if the response belongs to another request, and must not wait for the body.
        if (!isSafe(key.method)) attempt(() => cache.observe(key, response));
        // A 304 is applied once it is known to belong to this request.
        return response.status !== 304 && cache.mayStore(key, response, request.cache);
      },
      onProven: (response, body) =>
        attempt(() => {
          if (response.status === 304 && validation !== null) {
            cache.freshen(key, validation, response);
            return;
          }
          if (isSafe(key.method)) cache.observe(key, response);
          if (body !== null) cache.store([{ request: key, response, body, mode: request.cache }]);
        }),
      onDoubt: () => attempt(() => cache.remove(cache.stored(key.url).map(({ id }) => id))),
    };
    return await this.#network.send(request, fields, observer);
  }
}

/** Ignores errors: a response must not fail because the cache is closed or cannot write. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {}
}

/** The answer if no stored response may be used and no request may be sent (RFC 9111 5.2.1.7). */
function unavailable(): FetchAnswer {
  return { status: 504, statusText: 'Gateway Timeout', headers: [], body: null, discard() {} };
}

/** Bytes passed to the decoder at a time. */
const pieceBytes = 16 * 1024;

async function feed(stream: BodyStream, body: Buffer, signal: AbortSignal | null): Promise<void> {
  const onAbort = (): void => stream.fail(new LoaderError('aborted', 'aborted by its signal'));
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    for (let at = 0; at < body.length && !stream.over; at += pieceBytes) {
      await stream.write(body.subarray(at, at + pieceBytes));
    }
    if (signal?.aborted) onAbort();
    await stream.end();
    stream.close();
  } catch (error) {
    stream.fail(error as LoaderError);
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
