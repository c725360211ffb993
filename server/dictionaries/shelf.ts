// Keeps responses that were sent, for later use as dictionaries, by host and hash. The least recently used is dropped
// first. All hosts share the limits, but a response of one host is never used for another.

import { hashOf, isRawDictionary } from '../../http/compression-dictionary.ts';
import { LatestMap } from '../../process/latest-map.ts';

export interface Dictionary {
  /** SHA-256 of the dictionary, in base64. */
  readonly hash: string;
  readonly bytes: Buffer;
}

export class Shelf {
  readonly #dictionaries: LatestMap<string, Dictionary>;
  /** Hash of a response by its version (URL and ETag), so that each version is decoded and hashed only once. */
  readonly #versions: LatestMap<string, string>;

  constructor({ maxBytes, maxDictionaries }: { maxBytes: number; maxDictionaries: number }) {
    this.#dictionaries = new LatestMap(maxBytes, {
      sizeOf: ({ bytes }) => Math.max(bytes.length, maxBytes / maxDictionaries),
    });
    this.#versions = new LatestMap(maxDictionaries);
  }

  get size(): number {
    return this.#dictionaries.size;
  }

  get bytes(): number {
    return [...this.#dictionaries.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  find(host: string, hash: string): Dictionary | undefined {
    return this.#dictionaries.get(keyOf(host, hash));
  }

  /**
   * Returns whether this version of a response is kept as a dictionary.
   * @param version URL and strong ETag, which identify the bytes; '' without a strong ETag
   */
  hasVersion(host: string, version: string): boolean {
    const hash = version === '' ? undefined : this.#versions.get(keyOf(host, version));
    return hash !== undefined && this.find(host, hash) !== undefined;
  }

  keep(host: string, version: string, bytes: Buffer): void {
    if (!isRawDictionary(bytes)) return;
    const hash = hashOf(bytes);
    if (version !== '') this.#versions.set(keyOf(host, version), hash);
    if (this.find(host, hash) !== undefined) return;
    // The bytes are copied, because a chunk may be a slice that keeps a larger buffer in memory.
    this.#dictionaries.set(keyOf(host, hash), { hash, bytes: Buffer.from(bytes) });
  }
}

const keyOf = (host: string, name: string): string => `${host}\n${name}`;
