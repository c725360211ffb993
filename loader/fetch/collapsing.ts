// Concurrent calls for one URL (RFC 9111 4, "collapse requests"). The first goes to the network; the others wait for
// its response if it may be stored and may answer them. Waiting carries no risk: if the first call fails, is
// cancelled, takes too long or brings an unusable response, each of the others sends its own request.

import { fieldValue, hasField } from '../../http/header-pairs.ts';
import type { CacheRequest, CacheResponse } from '../cache/entry.ts';
import type { CacheMode, HttpCache } from '../cache/http-cache.ts';

/** The other calls stop waiting once the first caller has not read its body for this long. */
const longestStandstillMs = 100;

/** A request in flight that other calls may wait for. */
export class Underway {
  readonly request: CacheRequest;
  /** Its header section if the response will be stored; null: not received yet, or a 304. */
  response: CacheResponse | null = null;
  /** Resolves when the response is known or the request is over. */
  readonly told: Promise<void>;
  /** Resolves when the response is stored or known not to be. */
  readonly over: Promise<void>;
  readonly #onOver: () => void;
  #tell!: () => void;
  #end!: () => void;
  #standstill: NodeJS.Timeout | undefined;

  constructor(request: CacheRequest, onOver: () => void) {
    this.request = request;
    this.#onOver = onOver;
    this.told = new Promise((resolve) => {
      this.#tell = resolve;
    });
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** The header section arrived and the response will be stored. */
  began(response: CacheResponse): void {
    this.response = response;
    this.#tell();
  }

  /** @param isBehind true: the reader has enough for now; false: it reads again. */
  paced(isBehind: boolean): void {
    clearTimeout(this.#standstill);
    if (isBehind) this.#standstill = setTimeout(() => this.end(), longestStandstillMs);
  }

  /** The other calls stop waiting. */
  end(): void {
    clearTimeout(this.#standstill);
    this.#onOver();
    this.#tell();
    this.#end();
  }
}

export class Collapsing {
  readonly #cache: HttpCache;
  readonly #longestMs: number;
  readonly #underway = new Map<string, Underway>();

  /** @param longestMs Longest wait of a call. */
  constructor(cache: HttpCache, longestMs: number) {
    this.#cache = cache;
    this.#longestMs = longestMs;
  }

  /**
   * The request in flight that this one may wait for, or null. On null, the caller calls `leads` in the same turn.
   */
  find(request: CacheRequest, mode: CacheMode): Underway | null {
    const other = isPlain(request, mode) ? this.#underway.get(request.url) : undefined;
    return other !== undefined && isSameUser(request, other.request) ? other : null;
  }

  /**
   * Waits for the response to another such request.
   * @param signals Abort the wait.
   * @returns Whether the store may now have the response.
   * @throws The reason of the aborted signal.
   */
  async wait(
    request: CacheRequest,
    other: Underway,
    signals: readonly (AbortSignal | null)[],
  ): Promise<boolean> {
    const endsAt = performance.now() + this.#longestMs;
    const within = (work: Promise<void>) =>
      isDoneWithin(Math.max(0, endsAt - performance.now()), work, signals);
    if (!(await within(other.told))) return false;
    const { response } = other;
    if (response !== null) {
      const isAnswer = this.#cache.mayAnswer(request, { request: other.request, response });
      if (!isAnswer) return false;
    }
    return await within(other.over);
  }

  /** Registers a request that goes to the network. @returns null: no other call may wait for it. */
  leads(request: CacheRequest, mode: CacheMode): Underway | null {
    const { url } = request;
    if (!isPlain(request, mode) || this.#underway.has(url)) return null;
    const underway = new Underway(request, () => {
      if (this.#underway.get(url) === underway) this.#underway.delete(url);
    });
    this.#underway.set(url, underway);
    return underway;
  }
}

/** A request for the whole resource without special cache directives. */
function isPlain({ method, headers }: CacheRequest, mode: CacheMode): boolean {
  if (method !== 'GET' || (mode !== 'default' && mode !== 'force-cache')) return false;
  return !['range', 'cache-control', 'pragma'].some((name) => hasField(headers, name));
}

/** The response to credentials is usually for their owner only. */
function isSameUser(one: CacheRequest, other: CacheRequest): boolean {
  const of = ({ headers }: CacheRequest) => fieldValue(headers, 'authorization');
  return of(one) === of(other);
}

/**
 * Waits for work, bounded by a timeout and abort signals.
 * @param signals Abort the wait; null entries are ignored.
 * @returns Whether the work is done; false: it takes longer.
 * @throws The reason of the aborted signal.
 */
export async function isDoneWithin(
  waitMs: number,
  work: Promise<void>,
  signals: readonly (AbortSignal | null)[],
): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const onAbort = ({ target }: Event): void => reject((target as AbortSignal).reason);
  for (const signal of signals) {
    signal?.throwIfAborted();
    signal?.addEventListener('abort', onAbort, { once: true });
  }
  const timer = setTimeout(() => resolve(false), waitMs);
  work.then(() => resolve(true), reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal?.removeEventListener('abort', onAbort);
  }
}
