// Which tags and attributes a consumer wants. All others are passed over without a string being made of them.

import { type Named, NameTable, writtenName } from './name-table.ts';
import { unwanted } from './unwanted.ts';

/** Names of tags, each with names of attributes, in lower case. `*` among either means all that are not named. */
export type WantedTags = Readonly<Record<string, readonly string[]>>;

/** Longer slices would keep their whole chunk in memory. */
const longestKnown = 12;

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
  /** Its start tag is wanted only if it has a wanted attribute, its end tag never. */
  readonly needsAttribute: boolean;
}

/** To be made once: it is the same for all documents. */
export class Wanted {
  readonly #tags: NameTable<WantedTag>;
  /** Of the tags that are not named; null: these are not wanted. */
  readonly #others: Omit<WantedTag, 'name'> | null;
  readonly #names: readonly string[];
  readonly #attributesNeeded: readonly string[];
  readonly #unwanted: (RegExp | undefined)[] = [];

  /**
   * @param onlyWithAttributes Tags, or all others (`*`), that are wanted only where they have one of their attributes.
   */
  constructor(tags: WantedTags, onlyWithAttributes: WantedTags = {}) {
    const entriesOf = (some: WantedTags, needsAttribute: boolean): WantedTag[] =>
      Object.entries(some).map(([name, names]) => ({
        name,
        attributes: new WantedAttributes(names),
        needsAttribute,
      }));
    const entries = [...entriesOf(tags, false), ...entriesOf(onlyWithAttributes, true)];
    this.#tags = new NameTable(entries);
    this.#names = Object.keys(tags);
    this.#attributesNeeded = [...new Set(Object.values(onlyWithAttributes).flat())];
    this.#others = entries.find(({ name }) => name === '*') ?? null;
  }

  /** Matches what can be passed over; null: nothing can. */
  unwanted(wantsEndTags: boolean): RegExp | null {
    if (this.#others?.needsAttribute === false) return null;
    const index = Number(wantsEndTags);
    this.#unwanted[index] ??= unwanted(this.#names, wantsEndTags, this.#attributesNeeded);
    return this.#unwanted[index];
  }

  /** null: not wanted. */
  find(text: string, start: number, end: number): WantedTag | null {
    const found = this.#tags.find(text, start, end);
    if (found !== undefined) return found;
    if (this.#others === null) return null;
    const { attributes, needsAttribute } = this.#others;
    const tag = { name: cutName(text, start, end), attributes, needsAttribute };
    // A page has few names, and many tags.
    if (tag.name.length <= longestKnown) this.#tags.addIfFew(tag);
    return tag;
  }
}

function cutName(text: string, start: number, end: number): string {
  return writtenName(text.slice(start, Math.min(end, start + longestName)));
}
