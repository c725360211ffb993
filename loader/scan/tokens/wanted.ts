// Which tags and attributes a consumer wants. All others are passed over without a string being made of them.

import { type Named, NameTable, writtenName } from './name-table.ts';
import { unwanted } from './unwanted.ts';

/** Names of tags, each with names of attributes, in lower case. `*` among either means all that are not named. */
export type WantedTags = Readonly<Record<string, readonly string[]>>;

/** A name cut off here is nobody's. */
export const longestName = 1024;

export class WantedAttributes {
  readonly #named: NameTable<Named>;
  readonly #wantsAll: boolean;

  constructor(names: readonly string[]) {
    this.#named = new NameTable(names.map((name) => ({ name })));
    this.#wantsAll = names.includes('*');
  }

  /** The name as the standard writes it; null: not wanted. */
  find(text: string, start: number, end: number): string | null {
    const named = this.#named.find(text, start, end);
    if (named !== undefined) return named.name;
    return this.#wantsAll ? cutName(text, start, end) : null;
  }
}

export interface WantedTag extends Named {
  readonly attributes: WantedAttributes;
}

/** To be made once: it is the same for all documents. */
export class Wanted {
  readonly #tags: NameTable<WantedTag>;
  /** Of the tags that are not named; null: these are not wanted. */
  readonly #others: WantedAttributes | null;
  readonly #names: readonly string[];
  readonly #unwanted: (RegExp | undefined)[] = [];

  constructor(tags: WantedTags) {
    const entries = Object.entries(tags).map(([name, names]) => ({
      name,
      attributes: new WantedAttributes(names),
    }));
    this.#tags = new NameTable(entries);
    this.#names = Object.keys(tags);
    this.#others = entries.find(({ name }) => name === '*')?.attributes ?? null;
  }

  /** Matches what can be passed over; null: nothing can. */
  unwanted(wantsEndTags: boolean): RegExp | null {
    if (this.#others !== null) return null;
    const index = Number(wantsEndTags);
    this.#unwanted[index] ??= unwanted(this.#names, wantsEndTags);
    return this.#unwanted[index];
  }

  /** null: not wanted. */
  find(text: string, start: number, end: number): WantedTag | null {
    const found = this.#tags.find(text, start, end);
    if (found !== undefined) return found;
    if (this.#others === null) return null;
    return { name: cutName(text, start, end), attributes: this.#others };
  }
}

function cutName(text: string, start: number, end: number): string {
  return writtenName(text.slice(start, Math.min(end, start + longestName)));
}
