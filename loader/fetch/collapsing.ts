// Calls for one URL at one time (RFC 9111 4, "collapse requests"): the first goes to the network, the others wait for
// what it brings, where that may be stored and may answer them. Who waits is bound to nothing: when the first turns
// out to be of no use, takes too long, fails or is given up, each of the others asks for itself.

import { fieldValue, hasField } from '../../http/header-pairs.ts';
import type { CacheRequest, CacheResponse } from '../cache/entry.ts';
import type { CacheMode, HttpCache } from '../cache/http-cache.ts';
import { isDoneWithin } from './wait-with-timeout.ts';

/** A body whose reader lets it stand for longer holds up nobody else. */
const longestStandstillMs = 100;

/** Of a request under way, what the others wait for. */
export class Underway {
  readonly request: CacheRequest;
  /** Its header section, where the response is to be stored; null: not there, or a 304. */
  response: CacheResponse | null = null;
  /** It is known what it is, or it is over. */
  readonly told: Promise<void>;
  /** It is in the store, or never will be. */
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

  /** Its header section came, and it is to be stored. */
  began(response: CacheResponse): void {
    this.response = response;
    this.#tell();
  }

  /** @param isBehind the reader has enough for now; false: it reads again. */
  paced(isBehind: boolean): void {
    clearTimeout(this.#standstill);
    if (isBehind) this.#standstill = setTimeout(() => this.end(), longestStandstillMs);
  }

  /** Nothing more is to be waited for. */
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

  /** @param longestMs nobody waits longer. */
  constructor(cache: HttpCache, longestMs: number) {
    this.#cache = cache;
    this.#longestMs = longestMs;
  }

  /** What this request may wait for; null: nothing. Who finds nothing and asks the network `leads` in the same turn. */
  find(request: CacheRequest, mode: CacheMode): Underway | null {
    const other = isPlain(request, mode) ? this.#underway.get(request.url) : undefined;
    return other !== undefined && isSameUser(request, other.request) ? other : null;
  }

  /**
   * Wait for the response to another such request.
   * @param signals what ends the waiting.
   * @returns whether the store may have it now.
   * @throws the reason of the signal that was aborted.
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

  /** This request goes to the network. @returns null: nobody is to wait for it. */
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

/** It asks for all of what is there, and wants nothing particular of caches. */
function isPlain({ method, headers }: CacheRequest, mode: CacheMode): boolean {
  if (method !== 'GET' || (mode !== 'default' && mode !== 'force-cache')) return false;
  return !['range', 'cache-control', 'pragma'].some((name) => hasField(headers, name));
}

/** What credentials bring is, more often than not, for them alone. */
function isSameUser(one: CacheRequest, other: CacheRequest): boolean {
  const of = ({ headers }: CacheRequest) => fieldValue(headers, 'authorization');
  return of(one) === of(other);
}
