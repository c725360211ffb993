// Which tags and attributes a consumer wants. All others are passed over without a string being made of them.

import { type Named, NameTable, writtenName } from './name-table.ts';

/** Names of tags, each with names of attributes, in lower case. `*` among either means all that are not named. */
export type WantedTags = Readonly<Record<string, readonly string[]>>;

/** A name cut off here is nobody's. */
export const longestName = 1024;

/** A tag that is wanted, and which of its attributes. */
export class WantedTag implements Named {
  readonly name: string;
  readonly #attributes: NameTable<Named>;
  readonly #wantsAll: boolean;

  constructor(name: string, attributes: readonly string[]) {
    this.name = name;
    this.#attributes = new NameTable(attributes.map((attribute) => ({ name: attribute })));
    this.#wantsAll = attributes.includes('*');
  }

  /** The attribute's name as the standard writes it; null: it is not wanted. */
  attribute(text: string, start: number, end: number): string | null {
    const named = this.#attributes.find(text, start, end);
    if (named !== undefined) return named.name;
    return this.#wantsAll
      ? writtenName(text.slice(start, Math.min(end, start + longestName)))
      : null;
  }
}

export class Wanted {
  readonly #tags: NameTable<WantedTag>;
  /** Attributes of the tags that are not named; null: these are not wanted. */
  readonly #others: readonly string[] | null;

  constructor(tags: WantedTags) {
    const entries = Object.entries(tags);
    this.#tags = new NameTable(entries.map(([name, names]) => new WantedTag(name, names)));
    this.#others = Object.hasOwn(tags, '*') ? (tags['*'] ?? null) : null;
  }

  /** The tag with this name; null: it is not wanted. */
  tag(text: string, start: number, end: number): WantedTag | null {
    const found = this.#tags.find(text, start, end);
    if (found !== undefined) return found;
    if (this.#others === null) return null;
    const name = writtenName(text.slice(start, Math.min(end, start + longestName)));
    return new WantedTag(name, this.#others);
  }
}
