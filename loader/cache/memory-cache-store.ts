// A cache store in memory. One map holds the entries in order of use: the first entry is evicted next. Bodies are
// copied in and out, so that an entry neither keeps the larger buffer of its read alive (which the byte count would
// not include) nor changes with it.

import type { HeaderPair } from '../../http/header-pairs.ts';
import { wholeNumber } from '../../options/kinds.ts';
import { checked, joined, type OptionsOf, objectOf, option } from '../../options/options.ts';
import { invalidOption } from '../errors.ts';
import type { NewEntry, StoredHead } from './entry.ts';
import { bytesOf, type CacheStore, checkOpen, variantOf } from './store.ts';

export const memoryTable = {
  /** Capacity for bodies, URLs and fields together; the entry used longest ago is evicted. Larger ones are not stored. */
  maxBytes: option(wholeNumber({ least: 1 }), 64 * 1024 * 1024),
};

/** A constant that tests change (`withConstants`): entries without a body cost memory, too. */
const memoryConstants = { maxEntries: 10_000 };

export type MemoryStoreOptions = OptionsOf<typeof memoryTable>;

interface MemoryEntry {
  head: StoredHead;
  body: Buffer;
  variant: string;
  bytes: number;
}

/** Makes a cache store in the memory of this process. @throws LoaderError `invalid-option` */
export function createMemoryStore(options: MemoryStoreOptions = {}): CacheStore {
  const given = checked(objectOf(memoryTable), options, invalidOption);
  const { maxBytes, maxEntries } = joined(given, memoryConstants, options);
  return new MemoryCacheStore(maxBytes, maxEntries);
}

class MemoryCacheStore implements CacheStore {
  readonly maxBytes: number;
  readonly #maxEntries: number;
  /** Entries by id, least recently used first. */
  readonly #entries = new Map<number, MemoryEntry>();
  readonly #byUrl = new Map<string, MemoryEntry[]>();
  #bytes = 0;
  #lastId = 0;
  #isClosed = false;

  constructor(maxBytes: number, maxEntries: number) {
    this.maxBytes = maxBytes;
    this.#maxEntries = maxEntries;
  }

  find(url: string): StoredHead[] {
    checkOpen(this.#isClosed);
    const heads = (this.#byUrl.get(url) ?? []).map(({ head }) => copyOf(head));
    return heads.sort((one, other) => other.receivedAtMs - one.receivedAtMs || other.id - one.id);
  }

  recent(origin: string, most: number): StoredHead[] {
    checkOpen(this.#isClosed);
    const kept = [...this.#entries.values()].filter(({ head }) =>
      head.url.startsWith(`${origin}/`),
    );
    return kept
      .toReversed()
      .slice(0, most)
      .map(({ head }) => copyOf(head));
  }

  body(id: number): Buffer | null {
    checkOpen(this.#isClosed);
    const kept = this.#entries.get(id);
    if (kept === undefined) return null;
    this.#entries.delete(id);
    this.#entries.set(id, kept);
    return Buffer.from(kept.body);
  }

  put(entries: NewEntry[]): void {
    checkOpen(this.#isClosed);
    for (const entry of entries) this.#put(entry);
    this.#shrink();
  }

  freshen(id: number, head: Pick<StoredHead, 'headers' | 'requestedAtMs' | 'receivedAtMs'>): void {
    checkOpen(this.#isClosed);
    const kept = this.#entries.get(id);
    if (kept === undefined) return;
    const { headers, requestedAtMs, receivedAtMs } = head;
    Object.assign(kept.head, { headers: pairsOf(headers), requestedAtMs, receivedAtMs });
    const bytes = bytesOf(kept.head, kept.body.length);
    this.#bytes += bytes - kept.bytes;
    kept.bytes = bytes;
    this.#shrink();
  }

  remove(ids: number[]): void {
    checkOpen(this.#isClosed);
    for (const id of ids) {
      const kept = this.#entries.get(id);
      if (kept !== undefined) this.#drop(kept);
    }
  }

  removeUrl(url: string): void {
    checkOpen(this.#isClosed);
    for (const kept of [...(this.#byUrl.get(url) ?? [])]) this.#drop(kept);
  }

  size(): { entries: number; bytes: number } {
    checkOpen(this.#isClosed);
    return { entries: this.#entries.size, bytes: this.#bytes };
  }

  close(): void {
    this.#isClosed = true;
    this.#entries.clear();
    this.#byUrl.clear();
  }

  #put({ body, ...entry }: NewEntry): void {
    const { url } = entry;
    const variant = variantOf(entry);
    const rival = this.#byUrl.get(url)?.find((kept) => kept.variant === variant);
    if (rival !== undefined) this.#drop(rival);
    const bytes = bytesOf(entry, body.length);
    if (bytes > this.maxBytes) return;
    const head = copyOf({ ...entry, id: ++this.#lastId, bodyBytes: body.length });
    // A small Buffer may be a slice of a larger one, but this one owns its memory.
    const own = Buffer.allocUnsafeSlow(body.length);
    body.copy(own);
    const kept: MemoryEntry = { head, body: own, variant, bytes };
    this.#entries.set(head.id, kept);
    const others = this.#byUrl.get(url);
    if (others === undefined) this.#byUrl.set(url, [kept]);
    else others.push(kept);
    this.#bytes += bytes;
  }

  #shrink(): void {
    for (const oldest of this.#entries.values()) {
      if (this.#bytes <= this.maxBytes && this.#entries.size <= this.#maxEntries) return;
      this.#drop(oldest);
    }
  }

  #drop(kept: MemoryEntry): void {
    const { id, url } = kept.head;
    this.#entries.delete(id);
    this.#bytes -= kept.bytes;
    const others = (this.#byUrl.get(url) ?? []).filter((other) => other !== kept);
    if (others.length === 0) this.#byUrl.delete(url);
    else this.#byUrl.set(url, others);
  }
}

function copyOf({ vary, headers, range, ...head }: StoredHead): StoredHead {
  return { ...head, vary: pairsOf(vary), headers: pairsOf(headers), range: range && { ...range } };
}

const pairsOf = (pairs: HeaderPair[]): HeaderPair[] =>
  pairs.map(([name, value]): HeaderPair => [name, value]);
