// What a loader remembers of the pages it has loaded: which origins support Get-All, and what each document named
// (Padmanabhan 1995, 5.2: "a cache, listing for each known image URL the URL of the document that contained it").

import type { ResourceReference } from '../scan/reference.ts';

const mostOrigins = 1_000;
const mostDocuments = 64;
const mostReferences = 256;

/** `knows`: the origin said that it supports Get-All. `refuses`: requests fail with the field, but not without. */
export type OriginGetAll = 'knows' | 'refuses';

export class KnownPages {
  readonly #origins = new Map<string, OriginGetAll>();
  readonly #documents = new Map<string, readonly ResourceReference[]>();

  /** undefined: nothing is known about the origin. */
  getAllOf(origin: string): OriginGetAll | undefined {
    return this.#origins.get(origin);
  }

  /** Records what an origin does; a refusal is remembered for the life of the loader. */
  learnGetAll(origin: string, what: OriginGetAll): void {
    if (this.#origins.get(origin) !== 'refuses') keep(this.#origins, origin, what, mostOrigins);
  }

  /** The references of the document when it was last loaded; [] if they are not known. */
  referencesOf(url: string): readonly ResourceReference[] {
    return this.#documents.get(url) ?? [];
  }

  learnReferences(url: string, references: readonly ResourceReference[]): void {
    keep(this.#documents, url, references.slice(0, mostReferences), mostDocuments);
  }
}

/** Sets an entry and evicts those that were set longest ago. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= most) return;
    map.delete(oldest);
  }
}
