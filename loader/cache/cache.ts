// The HTTP cache: lookup, validation and storage, built from pure rules that access neither store nor clock. It reads
// the stored header sections anew for each request, because several caches may share a store.

import { cacheDirectives } from '../../http/cache-directives.ts';
import { fieldValue, hasField, withoutFields } from '../../http/header-pairs.ts';
import { wholeNumber } from '../../options/kinds.ts';
import { clockTable } from '../../options/logger.ts';
import { checked, type OptionsOf, objectOf, option, type ValuesOf } from '../../options/options.ts';
import { refusal } from '../../options/refusal.ts';
import { invalidOption } from '../errors.ts';
import type { CacheRequest, CacheResponse, NewEntry, StoredHead } from './entry.ts';
import { Freshener } from './freshener.ts';
import type {
  CachedResponse,
  CacheMode,
  HttpCache,
  Lookup,
  Storable,
  Validation,
} from './http-cache.ts';
import { merge, newEntry } from './policy/entry-merge.ts';
import { dateMs } from './policy/freshness.ts';
import { wantedRange } from './policy/ranges.ts';
import { isUsableOnError, reuse } from './policy/reuse.ts';
import {
  complete,
  type StoredResponse,
  storedResponseOf,
  withAge,
} from './policy/stored-response.ts';
import { hasContent, mayBeStored, outdatedUrls } from './policy/storing.ts';
import { conditionsFor, strongTag } from './policy/validators.ts';
import { isSelectedBy } from './policy/vary.ts';
import type { CacheStore } from './store.ts';

/** Minimum time between two background revalidations of the same stale response, ms. */
const refreshEveryMs = 10_000;
const mostRefreshes = 1000;

/** Fields of a conditional request (RFC 9110 13.1). */
const conditions = [
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
];

const ownTable = {
  /** Length of the largest body that is stored. */
  maxEntryBytes: option(wholeNumber({}), 32 * 1024 * 1024),
};

export const cacheTable = { ...ownTable, ...clockTable };

export type HttpCacheOptions = OptionsOf<typeof ownTable> & OptionsOf<typeof clockTable>;

/** Makes an HTTP cache that keeps its entries in a store. @throws LoaderError `invalid-option` */
export function createHttpCache(store: CacheStore, options: HttpCacheOptions = {}): HttpCache {
  if (typeof (store as CacheStore | undefined)?.find !== 'function') {
    invalidOption(
      ...refusal('store', 'what createMemoryStore or createSqliteStore returns', store),
    );
  }
  return new PolicyCache(store, checked(objectOf(cacheTable), options, invalidOption));
}

class PolicyCache implements HttpCache {
  readonly #store: CacheStore;
  readonly #now: () => number;
  readonly #maxEntryBytes: number;
  readonly #freshener: Freshener;
  /** Wall clock at the last background revalidation that was ordered, by entry id, ms since the epoch. */
  readonly #refreshes = new Map<number, number>();

  constructor(store: CacheStore, options: ValuesOf<typeof cacheTable>) {
    this.#store = store;
    this.#now = options.now;
    this.#maxEntryBytes = options.maxEntryBytes;
    this.#freshener = new Freshener(store);
  }

  lookup(request: CacheRequest, mode: CacheMode = 'default'): Lookup {
    const found = this.#lookup(request, mode);
    if (found !== null && found.kind === 'hit') return found;
    const onlyStored =
      mode === 'only-if-cached' || cacheDirectives(request.headers).has('only-if-cached');
    return onlyStored ? { kind: 'unavailable' } : (found ?? { kind: 'miss' });
  }

  validated(
    request: CacheRequest,
    validation: Validation,
    response: CacheResponse,
  ): CachedResponse | null {
    if (!isAnswerTo(validation, response)) return null;
    return this.#freshener.answer(request, validation.entry, response);
  }

  freshen(request: CacheRequest, validation: Validation, response: CacheResponse): void {
    if (!isAnswerTo(validation, response)) return;
    this.#freshener.freshen(request, validation.entry, response);
  }

  mayStore(request: CacheRequest, response: CacheResponse, mode: CacheMode = 'default'): boolean {
    if (mode === 'no-store' || !mayBeStored(request, response)) return false;
    const length = Number(fieldValue(response.headers, 'content-length'));
    return !(length > this.#maxEntryBytes);
  }

  store(entries: Storable[]): void {
    const kept: NewEntry[] = [];
    const outdated: number[] = [];
    for (const { request, response, body, mode } of entries) {
      if (!this.mayStore(request, response, mode)) continue;
      const entry = newEntry(request, response, body);
      if (entry === null || body.length > this.#maxEntryBytes) continue;
      const stored = this.#store.find(request.url);
      const bodyOf = (id: number) => this.#store.body(id);
      const merged = merge(entry, stored, bodyOf, this.#maxEntryBytes);
      kept.push(merged.entry);
      outdated.push(...merged.outdated);
    }
    if (kept.length > 0) this.#store.put(kept);
    if (outdated.length > 0) this.#store.remove(outdated);
  }

  observe(request: CacheRequest, response: CacheResponse): void {
    for (const url of outdatedUrls(request, response)) this.#store.removeUrl(url);
    // Cache-Control of the request does not decide whether older stored responses have to go.
    const headers = withoutFields(request.headers, new Set(['cache-control']));
    const mayStay = this.mayStore({ ...request, headers }, response);
    this.#freshener.observe(request, response, mayStay);
  }

  partial(request: CacheRequest): { entry: StoredHead; body: Buffer; ifRange: string } | null {
    if (request.method !== 'GET' || !mayBeAnswered(request)) return null;
    if (wantedRange(request).kind !== 'whole') return null;
    const [entry] = this.#selected(request, this.#store.find(request.url));
    const ifRange = entry?.range?.first === 0 ? strongTag(entry.headers) : null;
    if (entry === undefined || ifRange === null) return null;
    const body = this.#store.body(entry.id);
    return body === null ? null : { entry, body, ifRange };
  }

  stored(url: string): StoredHead[] {
    return this.#store.find(url);
  }

  recent(origin: string, most: number): StoredHead[] {
    return this.#store.recent(origin, most);
  }

  isUsable(entry: StoredHead): boolean {
    const request = { method: 'GET', url: entry.url, headers: [] };
    return (
      reuse(entry, request, 'default', this.#now()) !== 'validate' ||
      conditionsFor(entry).length > 0
    );
  }

  remove(ids: number[]): void {
    this.#store.remove(ids);
  }

  get maxBytes(): number {
    return this.#store.maxBytes;
  }

  close(): void {
    this.#store.close();
  }

  #lookup(request: CacheRequest, mode: CacheMode): Lookup | null {
    if (mode === 'no-store' || mode === 'reload' || !mayBeAnswered(request)) return null;
    const entries = this.#store.find(request.url);
    if (entries.length === 0) return null;
    const nowMs = this.#now();
    for (const entry of this.#selected(request, entries)) {
      const answer = storedResponseOf(entry, request);
      if (answer === null) continue;
      const verdict = reuse(entry, request, mode, nowMs);
      if (verdict === 'validate') return this.#validationOf(entry, answer, request, nowMs);
      const response = this.#response(entry, answer, nowMs);
      if (response === null) continue;
      const refresh = verdict === 'refresh' ? this.#refresh(entry, nowMs) : null;
      return { kind: 'hit', response, refresh };
    }
    return null;
  }

  /** Returns the entries that the request selects, newest Date first, then the last received first (RFC 9111 4.1). */
  #selected(request: CacheRequest, entries: StoredHead[]): StoredHead[] {
    const selected = entries.filter((entry) => isSelectedBy(entry, request));
    return selected.sort((a, b) => dateMs(b) - dateMs(a));
  }

  #response(entry: StoredHead, answer: StoredResponse, nowMs: number): CachedResponse | null {
    const dated = withAge(answer, entry, nowMs);
    return complete(dated, () => this.#store.body(entry.id));
  }

  #validationOf(
    entry: StoredHead,
    answer: StoredResponse,
    request: CacheRequest,
    nowMs: number,
  ): Lookup | null {
    const staleIfError = isUsableOnError(entry, request, nowMs)
      ? this.#response(entry, answer, nowMs)
      : null;
    const conditions = conditionsFor(entry);
    if (conditions.length === 0 && staleIfError === null) return null;
    return { kind: 'validate', validation: { entry, conditions, staleIfError } };
  }

  #refresh(entry: StoredHead, nowMs: number): Validation | null {
    const askedAt = this.#refreshes.get(entry.id);
    if (askedAt !== undefined && Math.abs(nowMs - askedAt) < refreshEveryMs) return null;
    if (this.#refreshes.size >= mostRefreshes) this.#refreshes.clear();
    this.#refreshes.set(entry.id, nowMs);
    return { entry, conditions: conditionsFor(entry), staleIfError: null };
  }
}

/** Whether the response is a 304 to a conditional request; a 304 to an unconditional one is invalid. */
function isAnswerTo({ conditions }: Validation, { status }: CacheResponse): boolean {
  return status === 304 && conditions.length > 0;
}

function mayBeAnswered(request: CacheRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  if (hasContent(request) || isConditional(request)) return false;
  return !cacheDirectives(request.headers).has('no-store');
}

/** Whether the caller set conditions of its own, which only the server judges. */
export function isConditional({ headers }: Pick<CacheRequest, 'headers'>): boolean {
  return conditions.some((name) => hasField(headers, name));
}
