// Looks names up in place. Most names of a document are in no table, and telling so takes no string: lengths are
// compared first, then characters.

export interface Named {
  /** In lower case. */
  readonly name: string;
}

export class NameTable<T extends Named> {
  readonly #byLength: T[][] = [];

  /** @param entries Their names are in lower case. */
  constructor(entries: Iterable<T>) {
    for (const entry of entries) {
      const { length } = entry.name;
      while (this.#byLength.length <= length) this.#byLength.push([]);
      this.#byLength[length]?.push(entry);
    }
  }

  /** The entry of the name from `start` to `end`; undefined: none. */
  find(text: string, start: number, end: number): T | undefined {
    const length = end - start;
    if (length >= this.#byLength.length) return undefined;
    const entries = this.#byLength[length] as T[];
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index] as T;
      if (isName(text, start, entry.name)) return entry;
    }
    return undefined;
  }
}

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
