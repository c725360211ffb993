// The cache between `fetch` and the network: consulted before a request is sent, updated by its response (Fetch
// Standard, 4.6 "HTTP-network-or-cache fetch"; RFC 9111). Nothing is stored before the response is complete and
// known to belong to its request.

import { fieldValue, hasField, withoutFields } from '../../http/header-pairs.ts';
import { isSafe } from '../../http/methods.ts';
import type { CacheRequest, CacheResponse } from '../cache/entry.ts';
import type {
  CachedResponse,
  CacheMode,
  HttpCache,
  Lookup,
  Validation,
} from '../cache/http-cache.ts';
import { LoaderError } from '../errors.ts';
import type { LimitOptions, ResolvedOptions } from '../options.ts';
import { awaitShared, endShared } from '../prefetch/jobs-in-flight.ts';
import { countUse } from '../prefetch/ledger.ts';
import { BodyStream } from './body-stream.ts';
import { type Forwarded, whyForwarded, withCacheStatus } from './cache-status.ts';
import { Collapsing, isDoneWithin, type Underway } from './collapsing.ts';
import type { FetchAnswer } from './fetch-answer.ts';
import type { FetchRequest } from './fetch-request.ts';
import type { NetworkAnswer } from './network-fetch.ts';
import { cacheModeOf, requestFields } from './request-fields.ts';
import { explain, type Observer, type Sender } from './sender.ts';

/** Maximum number of concurrent background refreshes. */
const mostRefreshes = 16;

/** A request, the fields to send, and its cache mode. */
interface Asked {
  request: FetchRequest;
  mode: CacheMode;
  /** The cache's view of the request; its headers are those sent, without added conditions. */
  key: CacheRequest;
}

export class Caching {
  readonly #cache: HttpCache | null;
  readonly #sender: Sender;
  readonly #options: ResolvedOptions;
  readonly #refreshing = new Set<string>();
  readonly #closed = new AbortController();
  /** null: there is no cache. */
  readonly #collapsing: Collapsing | null;

  constructor(options: ResolvedOptions, sender: Sender) {
    this.#cache = options.cache;
    this.#options = options;
    this.#sender = sender;
    const { cache, timeouts } = options;
    this.#collapsing = cache === null ? null : new Collapsing(cache, timeouts.responseMs);
  }

  /** @throws LoaderError if neither the network nor the store has an answer. */
  async answer(request: FetchRequest): Promise<FetchAnswer> {
    const mode = cacheModeOf(request);
    const headers = requestFields(request, mode, this.#sender.cookie(request), this.#options);
    const asked = {
      request,
      mode,
      key: { method: request.method, url: request.url.href, headers },
    };
    if (this.#cache === null && mode === 'only-if-cached') return unavailable();
    let found: Lookup = this.#cache?.lookup(asked.key, mode) ?? { kind: 'miss' };
    if (this.#cache !== null && (found.kind === 'miss' || found.kind === 'validate')) {
      const why = whyForwarded(request, mode, found.kind);
      if (await this.#isFilled(this.#cache, asked)) found = this.#cache.lookup(asked.key, mode);
      const other = found.kind === 'hit' ? null : this.#collapsing?.find(asked.key, mode);
      if (other && (await this.#isBrought(asked, other))) {
        found = this.#cache.lookup(asked.key, mode);
      }
      if (found.kind === 'hit') {
        return this.#stored(found.response, request, `fwd=${why}; collapsed`);
      }
    }
    switch (found.kind) {
      case 'unavailable':
        return unavailable();
      case 'hit':
        if (found.refresh !== null) this.#refresh(asked, found.refresh);
        return this.#stored(found.response, request, 'hit');
      case 'validate':
        return await this.#validate(asked, found.validation);
      case 'miss':
        return this.#forwarded(await this.#send(asked, null), whyForwarded(request, mode, 'miss'));
    }
  }

  close(): void {
    this.#closed.abort(new LoaderError('loader-closed', 'fetch was closed'));
  }

  /**
   * Waits for a loader with the same cache that is prefetching this URL, up to the response timeout (RFC 9211 2.6).
   * The prefetch is cancelled if it takes longer, or if the request fills the cache itself.
   * @returns Whether the prefetch is over; its response is then in the cache.
   */
  async #isFilled(cache: HttpCache, { request, mode, key }: Asked): Promise<boolean> {
    const isPart = hasField(key.headers, 'range');
    if (mode === 'no-store' || key.method !== 'GET' || isPart) return false;
    if (mode !== 'reload' && mode !== 'no-cache') {
      const filling = awaitShared(cache, key.url);
      const { responseMs } = this.#options.timeouts;
      const signals = [request.signal, this.#closed.signal];
      if (filling === null) return false;
      if (await isDoneWithin(responseMs, filling, signals)) return true;
    }
    endShared(cache, key.url);
    return false;
  }

  /** @returns Whether another call just fetched this response; it is then in the cache. */
  async #isBrought({ request, key }: Asked, other: Underway): Promise<boolean> {
    const signals = [request.signal, this.#closed.signal];
    return (await this.#collapsing?.wait(key, other, signals)) ?? false;
  }

  async #validate(asked: Asked, validation: Validation): Promise<FetchAnswer> {
    const { request, mode, key } = asked;
    const { staleIfError } = validation;
    const why = whyForwarded(request, mode, 'validate');
    let answer: NetworkAnswer;
    try {
      answer = await this.#send(asked, validation);
    } catch (error) {
      if (staleIfError === null || request.signal?.aborted) throw error;
      const code = error instanceof LoaderError ? `; detail=${error.code}` : '';
      return this.#stored(staleIfError, request, `fwd=${why}${code}`);
    }
    if (answer.status === 304) {
      answer.discard();
      const { isTolerant, response } = answer;
      const whole = isTolerant ? null : (this.#cache?.validated(key, validation, response) ?? null);
      if (whole === null) return this.#forwarded(await this.#send(asked, null), why);
      return this.#stored(whole, request, `fwd=${why}; fwd-status=304`);
    }
    if (answer.status < 500 || staleIfError === null) return this.#forwarded(answer, why);
    answer.discard();
    return this.#stored(staleIfError, request, `fwd=${why}; fwd-status=${answer.status}`);
  }

  #stored(response: CachedResponse, request: FetchRequest, status: string): FetchAnswer {
    attempt(() => this.#cache !== null && countUse(this.#cache, [response]));
    return withCacheStatus(storedAnswer(response, request, this.#options.limits), status);
  }

  /** Without a cache, the response is passed on unchanged. */
  #forwarded(answer: NetworkAnswer, why: Forwarded): FetchAnswer {
    return this.#cache === null ? answer : withCacheStatus(answer, `fwd=${why}`);
  }

  /**
   * Revalidates in the background: the caller already has the stale response (RFC 5861 3), and errors are ignored.
   */
  #refresh(asked: Asked, validation: Validation): void {
    const { url } = asked.key;
    if (this.#refreshing.size >= mostRefreshes || this.#refreshing.has(url)) return;
    this.#refreshing.add(url);
    // The caller's signal cancels only the caller's response.
    const request: FetchRequest = { ...asked.request, signal: null };
    this.#send({ ...asked, request }, validation)
      .then((answer) => answer.discard())
      .catch(() => {})
      .finally(() => this.#refreshing.delete(url));
  }

  async #send(
    { request, mode, key }: Asked,
    validation: Validation | null,
  ): Promise<NetworkAnswer> {
    const conditions = validation?.conditions ?? [];
    const names = new Set(conditions.map(([name]) => name.toLowerCase()));
    const fields = [...withoutFields(key.headers, names), ...conditions];
    if (this.#cache === null) return await this.#sender.send(request, fields.flat(), unobserved);
    const underway = this.#collapsing?.leads(key, mode) ?? null;
    const observer = observe(this.#cache, key, mode, validation, underway);
    try {
      return await this.#sender.send(request, fields.flat(), observer);
    } catch (error) {
      underway?.end();
      throw error;
    }
  }
}

/**
 * Passes one response to the cache, and invalidates it if it turns out to belong to another request.
 * @param underway Signals other calls that wait for the response; null: none wait.
 */
function observe(
  cache: HttpCache,
  key: CacheRequest,
  mode: CacheMode,
  validation: Validation | null,
  underway: Underway | null,
): Observer {
  // Invalidation is harmless even if the response belongs to another request, and must not wait for the body.
  return {
    gathers: (response) => {
      if (!isSafe(key.method)) attempt(() => cache.observe(key, response));
      // A 304 is reported once the cache has applied it.
      if (response.status === 304) return false;
      const isStored = cache.mayStore(key, response, mode);
      if (isStored) underway?.began(response);
      else underway?.end();
      return isStored;
    },
    onProven: (response, body) => {
      attempt(() => {
        if (response.status === 304 && validation !== null) {
          cache.freshen(key, validation, response);
          return;
        }
        if (isSafe(key.method)) cache.observe(key, response);
        if (body !== null) cache.store([{ request: key, response, body, mode }]);
      });
      underway?.end();
    },
    onPace: (isBehind) => underway?.paced(isBehind),
    onLost: () => underway?.end(),
    onDoubt: () => {
      attempt(() => invalidate(cache, key.url));
      underway?.end();
    },
  };
}

/** A response must not fail because the cache is closed or cannot write. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {}
}

/** Removes what is stored for this URL, as after an unsafe method (RFC 9111 4.4). */
function invalidate(cache: HttpCache, url: string): void {
  const now = Date.now();
  const response: CacheResponse = {
    status: 200,
    statusText: '',
    headers: [],
    requestedAtMs: now,
    receivedAtMs: now,
  };
  cache.observe({ method: 'POST', url, headers: [] }, response);
}

const unobserved: Observer = {
  gathers: () => false,
  onProven() {},
  onPace() {},
  onLost() {},
  onDoubt() {},
};

/** Nothing stored may be used and no request may be sent (RFC 9111 5.2.1.7). */
function unavailable(): FetchAnswer {
  return { status: 504, statusText: 'Gateway Timeout', headers: [], body: null, discard() {} };
}

/** Bytes passed to the decoder at a time. */
const pieceBytes = 16 * 1024;

/** A stored response, decoded as it is read. */
function storedAnswer(
  { status, statusText, headers, body }: CachedResponse,
  { signal }: FetchRequest,
  limits: LimitOptions,
): FetchAnswer {
  const stream = new BodyStream({
    contentEncoding: fieldValue(headers, 'content-encoding'),
    limits,
    explain: (error) => explain(error, 'terminated', signal),
    onCancel() {},
  });
  feed(stream, body, signal);
  const discard = (): void => stream.discard();
  return { status, statusText, headers, body: stream.readable, discard };
}

async function feed(stream: BodyStream, body: Buffer, signal: AbortSignal | null): Promise<void> {
  const onAbort = (): void => stream.fail(new LoaderError('aborted', 'aborted by its signal'));
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    for (let at = 0; at < body.length && !stream.over; at += pieceBytes) {
      await stream.write(body.subarray(at, at + pieceBytes));
    }
    if (signal?.aborted) onAbort();
    await stream.end();
  } catch (error) {
    stream.fail(error as LoaderError);
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
