// Updates stored responses from a 304 or the response to a HEAD (RFC 9111 4.3.3 to 4.3.5).

import { cacheDirectives } from '../../http/cache-directives.ts';
import type { CacheRequest, CacheResponse, StoredHead } from './entry.ts';
import type { CachedResponse } from './http-cache.ts';
import { fieldsToStore, isSameVariant } from './policy/entry-merge.ts';
import { freshenedFields, isConfirmedBy, isDescribedBy } from './policy/freshen.ts';
import { complete, storedResponseOf } from './policy/stored-response.ts';
import { strongTag } from './policy/validators.ts';
import { isSelectedBy, selectingFields, variesByEverything } from './policy/vary.ts';
import type { CacheStore } from './store.ts';

export class Freshener {
  readonly #store: CacheStore;

  constructor(store: CacheStore) {
    this.#store = store;
  }

  /** Returns the stored response that a 304 to the validation of `asked` confirms; null: none. Nothing is written. */
  answer(request: CacheRequest, asked: StoredHead, response: CacheResponse): CachedResponse | null {
    const confirmed = this.#confirmed(request, asked, response)[0];
    if (confirmed !== undefined) return this.#answer(this.#freshened(confirmed, response), request);
    // The 304 has a different ETag, as from proxies that rewrite bodies: the stored response may be used but is not
    // freshened (RFC 9111 4.3.4).
    const stored = this.#selected(request).find(({ id }) => id === asked.id);
    return stored === undefined ? null : this.#answer(stored, request);
  }

  /** Freshens the stored responses that the 304 confirms. */
  freshen(request: CacheRequest, asked: StoredHead, response: CacheResponse): void {
    for (const entry of this.#confirmed(request, asked, response)) {
      this.#freshen(entry, request, response);
    }
  }

  /**
   * Applies the effects of a response on stored ones. A HEAD updates the stored response to GET; a newer response that
   * must not be stored (`mayStay` is false) invalidates the entries that it would have replaced.
   */
  observe(request: CacheRequest, response: CacheResponse, mayStay: boolean): void {
    const isHead = request.method === 'HEAD' && response.status === 200;
    const isOutdating = request.method === 'GET' && !mayStay && tellsOfResource(response);
    if (!isHead && !isOutdating) return;
    for (const entry of this.#store.find(request.url)) {
      if (!isSelectedBy(entry, request)) continue;
      if (isHead && isDescribedBy(entry, response)) this.#freshen(entry, request, response);
      else this.#store.remove([entry.id]);
    }
  }

  /** Returns the entries that a 304 freshens, starting with the one that answers the request; [] if there is none. */
  #confirmed(request: CacheRequest, asked: StoredHead, response: CacheResponse): StoredHead[] {
    const strong = strongTag(response.headers);
    const selected = this.#selected(request);
    const named = selected.filter(
      ({ headers }) => strong !== null && strongTag(headers) === strong,
    );
    const stored = selected.find(({ id }) => id === asked.id);
    const chosen =
      stored !== undefined && isConfirmedBy(stored, response)
        ? stored
        : named.find((entry) => storedResponseOf(entry, request) !== null);
    if (chosen === undefined) return [];
    // Other stored ranges of the same representation become fresh, too.
    return [chosen, ...named.filter((entry) => entry !== chosen)];
  }

  #selected(request: CacheRequest): StoredHead[] {
    const entries = this.#store.find(request.url);
    return entries.filter((entry) => isSelectedBy(entry, request));
  }

  #freshen(entry: StoredHead, request: CacheRequest, response: CacheResponse): void {
    const head = this.#freshened(entry, response);
    if (cacheDirectives(head.headers).has('no-store') || variesByEverything(head.headers)) {
      this.#store.remove([entry.id]);
      return;
    }
    const vary = selectingFields(request, head);
    if (isSameVariant(entry, { vary })) {
      this.#store.freshen(entry.id, head);
      return;
    }
    // The stored body answers this other variant as well, or Vary has changed: it is stored under the new `vary`.
    const body = this.#store.body(entry.id);
    const wasSelected = isSelectedBy(entry, request);
    if (body !== null) this.#store.put([{ ...head, vary, body }]);
    if (wasSelected) this.#store.remove([entry.id]);
  }

  #freshened(entry: StoredHead, response: CacheResponse): StoredHead {
    const news = fieldsToStore(response.headers);
    const { requestedAtMs, receivedAtMs } = response;
    return { ...entry, headers: freshenedFields(entry.headers, news), requestedAtMs, receivedAtMs };
  }

  #answer(entry: StoredHead, request: CacheRequest): CachedResponse | null {
    const answer = storedResponseOf(entry, request);
    return answer === null ? null : complete(answer, () => this.#store.body(entry.id));
  }
}

/** Whether the response describes the current state of the resource rather than a failure. */
function tellsOfResource({ status, headers }: CacheResponse): boolean {
  // A 206 that cannot be stored does not contradict the whole response that is stored, unless it says no-store.
  if (status === 206) return cacheDirectives(headers).has('no-store');
  return (status >= 200 && status < 400 && status !== 304) || status === 404 || status === 410;
}
