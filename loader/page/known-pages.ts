// What a loader knows of pages it has loaded, from page to page: which origins know Get-All, and what each document
// named (Padmanabhan 1995, 5.2: "a cache, listing for each known image URL the URL of the document that contained it").

import type { ResourceReference } from '../scan/reference.ts';

const mostOrigins = 1_000;
const mostDocuments = 64;
const mostReferences = 256;

/** `knows`: it said so. `refuses`: it failed with the field and not without. */
export type OriginGetAll = 'knows' | 'refuses';

export class KnownPages {
  readonly #origins = new Map<string, OriginGetAll>();
  readonly #documents = new Map<string, readonly ResourceReference[]>();

  /** undefined: not known. */
  getAllOf(origin: string): OriginGetAll | undefined {
    return this.#origins.get(origin);
  }

  /** A refusal is for the life of the loader. */
  learnGetAll(origin: string, what: OriginGetAll): void {
    if (this.#origins.get(origin) !== 'refuses') keep(this.#origins, origin, what, mostOrigins);
  }

  /** What the document named when it was loaded last; [] if that is not known. */
  referencesOf(url: string): readonly ResourceReference[] {
    return this.#documents.get(url) ?? [];
  }

  learnReferences(url: string, references: readonly ResourceReference[]): void {
    keep(this.#documents, url, references.slice(0, mostReferences), mostDocuments);
  }
}

/** Forgets what was set longest ago. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= most) return;
    map.delete(oldest);
  }
}
