// Looks names up in place. Most names of a document are in no table, and telling so takes no string: lengths
// and first letters are compared first, then characters.

/** Of one length and first letter: HTML has h1 to h6 and hr. */
const few = 12;

export interface Named {
  /** In lower case. */
  readonly name: string;
}

export class NameTable<T extends Named> {
  /** By length and first letter. */
  readonly #entries: (T[] | undefined)[] = [];

  /** @param entries Their names are in lower case. */
  constructor(entries: Iterable<T>) {
    for (const entry of entries) this.#add(entry);
  }

  /** Unless there are many like it, since a look-up compares with each. */
  addIfFew(entry: T): void {
    const place = placeOf(entry.name, 0, entry.name.length);
    if ((this.#entries[place]?.length ?? 0) < few) this.#add(entry);
  }

  #add(entry: T): void {
    const { name } = entry;
    const place = placeOf(name, 0, name.length);
    while (this.#entries.length <= place) this.#entries.push(undefined);
    const entries = this.#entries[place] ?? [];
    entries.push(entry);
    this.#entries[place] = entries;
  }

  /** The entry of the name from `start` to `end`; undefined: none. */
  find(text: string, start: number, end: number): T | undefined {
    const place = placeOf(text, start, end);
    const entries = place < this.#entries.length ? this.#entries[place] : undefined;
    if (entries === undefined) return undefined;
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index] as T;
      if (isName(text, start, entry.name)) return entry;
    }
    return undefined;
  }
}

/** The same in either case of the first letter. */
const placeOf = (text: string, start: number, end: number): number =>
  (end - start) * 32 + (text.charCodeAt(start) & 31);

/** Only ASCII letters have another case (HTML 13.2.5.8): U+212A is not k. */
function isName(text: string, start: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    const wanted = name.charCodeAt(index);
    const code = text.charCodeAt(start + index);
    if (code !== wanted && (code < 0x41 || code > 0x5a || code + 0x20 !== wanted)) return false;
  }
  return true;
}

/** As the standard writes names: ASCII letters in lower case, U+FFFD for NUL (HTML 13.2.5.8 and 13.2.5.33). */
export function writtenName(name: string): string {
  if (!/[A-Z\0]/.test(name)) return name;
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replaceAll('\0', '\ufffd');
}
