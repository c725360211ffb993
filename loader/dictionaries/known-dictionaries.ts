// Chooses among the stored responses with Use-As-Dictionary (RFC 9842 2.1) one to offer with a request. Their bytes are
// not kept here: a dictionary is read from the cache when it is offered, so one that was evicted, replaced or became
// stale is not offered. Responses stored by an earlier process are found at the first request to their origin.

import { cacheDirectives } from '../../http/cache-directives.ts';
import {
  dcz,
  hashOf,
  isRawDictionary,
  readDictionaryUse,
  writeAvailableDictionary,
} from '../../http/compression-dictionary.ts';
import { quoted } from '../../http/field-syntax.ts';
import { fieldValue, type HeaderPair, hasField, withField } from '../../http/header-pairs.ts';
import { LatestMap } from '../../process/latest-map.ts';
import type { CacheRequest, StoredHead } from '../cache/entry.ts';
import type { HttpCache } from '../cache/http-cache.ts';
import type { AnsweredRequest } from '../page/page-layer.ts';
import { isTrustworthy } from '../request/referrer.ts';
import { decodeWhole } from '../response/content-coding.ts';

/** A dictionary that a request offers. */
export interface Offer {
  /** URL of the stored response. */
  url: string;
  /** SHA-256 of the dictionary, in base64. */
  hash: string;
  bytes: Buffer;
  /** The fields of the request, with those that offer the dictionary: Available-Dictionary, Dictionary-ID. */
  headers: HeaderPair[];
  /** Called if the dictionary turned out to be unusable, so that it is not offered again. */
  withdraw(): void;
}

interface Known {
  request: CacheRequest;
  /** If true, the dictionary was found in the cache, so of its request only the fields named by Vary are known. */
  isRecalled: boolean;
  match: Match;
  /** Length of the pattern as written, characters; a longer one is more specific. */
  length: number;
  destinations: readonly string[];
  id: string;
  /** Number that increases with each dictionary found: of equally good ones, the latest is offered. */
  turn: number;
}

/** Largest dictionary, bytes: the decoder's window, 8 MB, is then over 1.25 times as large (RFC 9842 5). */
const mostBytes = 4 * 1024 * 1024;
const mostOrigins = 64;
const mostOfOrigin = 64;
/** Limit on the entries of an origin that are searched for dictionaries. */
const mostLookedAt = 256;

/** Limit on the dictionaries that are looked up in the cache for one request. */
const mostTried = 4;

export class KnownDictionaries {
  readonly #cache: HttpCache;
  /** Dictionaries by origin, then by URL. */
  readonly #known = new LatestMap<string, LatestMap<string, Known>>(mostOrigins);
  /** Origins whose stored responses have been searched for dictionaries. */
  readonly #recalled = new LatestMap<string, true>(mostOrigins);
  #turns = 0;

  constructor(cache: HttpCache) {
    this.#cache = cache;
  }

  /** Notes the dictionaries among responses that may be stored. */
  learn(answers: readonly AnsweredRequest[]): void {
    for (const { request, status, headers } of answers) {
      if (status === 200) this.#add(request, headers, false);
    }
  }

  #recall(origin: string): void {
    if (this.#recalled.peek(origin)) return;
    this.#recalled.set(origin, true);
    const entries = this.#recent(origin);
    for (const { url, vary, headers, status, range } of entries.reverse()) {
      const isKnown = this.#known.peek(origin)?.peek(url) !== undefined;
      if (isKnown || status !== 200 || range !== null) continue;
      this.#add({ method: 'GET', url, headers: vary }, headers, true);
    }
  }

  #recent(origin: string): StoredHead[] {
    try {
      return this.#cache.recent(origin, mostLookedAt);
    } catch {
      return []; // a cache that its owner closed has no dictionaries
    }
  }

  #add(request: CacheRequest, headers: readonly HeaderPair[], isRecalled: boolean): void {
    const field = fieldValue(headers, 'use-as-dictionary');
    if (field === '' || request.method !== 'GET') return;
    const url = new URL(request.url);
    const use = readDictionaryUse(field);
    const match = use === null || !isTrustworthy(url) ? null : compileMatch(use.match, url);
    if (use === null || match === null) return;
    const { destinations, id } = use;
    const turn = ++this.#turns;
    const known = this.#known.get(url.origin) ?? new LatestMap(mostOfOrigin);
    this.#known.set(url.origin, known);
    const { length } = use.match;
    const found: Known = { request, isRecalled, match, length, destinations, id, turn };
    known.set(url.href, found);
  }

  /**
   * Returns the best dictionary for a request (RFC 9842 2.2.2), read from the cache.
   * @param destination Fetch destination of the request.
   * @returns null: no dictionary is suitable.
   */
  offer(request: CacheRequest, destination: string): Offer | null {
    const url = new URL(request.url);
    this.#recall(url.origin);
    const known = this.#known.get(url.origin);
    const codings = fieldValue(request.headers, 'accept-encoding');
    // No dictionary is offered if the request accepts no content coding, asks for a range, or offers one itself.
    if (known === undefined || codings === '' || hasField(request.headers, 'range')) return null;
    if (hasField(request.headers, 'available-dictionary')) return null;
    const fits = [...known.values()].filter(
      ({ match, destinations }) =>
        (destinations.length === 0 || destinations.includes(destination)) && match.test(url),
    );
    const best = fits.sort(
      (a, b) =>
        Number(b.destinations.length > 0) - Number(a.destinations.length > 0) ||
        b.length - a.length ||
        b.turn - a.turn,
    );
    for (const one of best.slice(0, mostTried)) {
      const bytes = this.#read(one, request);
      if (bytes === null) continue;
      const hash = hashOf(bytes);
      const fields: HeaderPair[] = [['available-dictionary', writeAvailableDictionary(hash)]];
      if (one.id !== '') fields.push(['dictionary-id', quoted(one.id)]);
      const coded = withField(request.headers, 'accept-encoding', `${codings}, ${dcz}`);
      const withdraw = () => void known.delete(one.request.url);
      return { url: one.request.url, hash, bytes, headers: [...coded, ...fields], withdraw };
    }
    return null;
  }

  /** Reads a dictionary; null: it is not in the cache, is not fresh, or must not be used for this request. */
  #read(known: Known, asker: CacheRequest): Buffer | null {
    const request = known.isRecalled ? withCredentialsOf(asker, known.request) : known.request;
    if (!isSame('authorization', request, asker)) return null;
    try {
      const found = this.#cache.lookup(request);
      if (found.kind !== 'hit' || found.response.status !== 200) return null;
      const { headers, body } = found.response;
      // A response for one visitor must not be offered for another.
      const isPrivate = cacheDirectives(headers).has('private');
      if (isPrivate && (known.isRecalled || !isSame('cookie', request, asker))) return null;
      const coding = fieldValue(headers, 'content-encoding');
      const bytes = decodeWhole(coding, body, { maxCodings: 2, maxResourceBytes: mostBytes });
      if (bytes === null || bytes.length > mostBytes || !isRawDictionary(bytes)) return null;
      return bytes;
    } catch {
      return null; // a cache that its owner closed has no dictionary
    }
  }
}

const isSame = (name: string, one: CacheRequest, other: CacheRequest): boolean =>
  fieldValue(one.headers, name) === fieldValue(other.headers, name);

/** Puts the credentials of the new request (`asker`) into a stored request, of which only digests of them are kept, so
 *  that the cache finds only responses for the same user. */
function withCredentialsOf(asker: CacheRequest, { headers, ...stored }: CacheRequest) {
  const isCredential = ([name]: HeaderPair) => name === 'authorization' || name === 'cookie';
  const others = headers.filter((pair) => !isCredential(pair));
  return { ...stored, headers: [...others, ...asker.headers.filter(isCredential)] };
}

const ofCaches = new WeakMap<HttpCache, KnownDictionaries>();

/** Returns the dictionaries of a cache, which all loaders that use it share. */
export function dictionariesOf(cache: HttpCache): KnownDictionaries {
  const known = ofCaches.get(cache) ?? new KnownDictionaries(cache);
  ofCaches.set(cache, known);
  return known;
}

/** A compiled pattern for URLs of the dictionary's origin. */
interface Match {
  test(url: URL): boolean;
}

/** Node has URLPattern from 23.8 on; without it no dictionary is offered. */
const hasPatterns = typeof (globalThis as { URLPattern?: unknown }).URLPattern === 'function';

const mostCharacters = 1024;
/** Limit on wildcards: each may match anywhere, so the time of a match grows with the URL's length to this power. */
const mostWildcards = 2;

/**
 * Compiles the URL pattern of Use-As-Dictionary, which says for which requests a dictionary may be used (RFC 9842
 * 2.1.1). Its origin has to be the dictionary's own. Patterns become regular expressions, so those that a hostile
 * server could make slow are refused.
 * @returns null: the pattern is invalid, for another origin, or too slow, or this Node has no URLPattern.
 */
export function compileMatch(match: string, dictionary: URL): Match | null {
  // A group in braces may have a modifier such as `+`, and a repeated repetition is slow to match.
  if (!hasPatterns || match.length > mostCharacters || match.includes('{')) return null;
  if ((match.match(/[*:+]/g) ?? []).length > mostWildcards + (/^https?:/.test(match) ? 2 : 0)) {
    return null;
  }
  try {
    const pattern = new URLPattern(match, dictionary.href);
    const isOwn =
      pattern.protocol === dictionary.protocol.slice(0, -1) &&
      pattern.hostname === dictionary.hostname &&
      pattern.port === dictionary.port;
    if (!isOwn || pattern.hasRegExpGroups) return null;
    return { test: (url) => url.href.length <= mostCharacters && pattern.test(url.href) };
  } catch {
    return null;
  }
}
