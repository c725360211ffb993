// The order of a page's sheets in the cascade: document order, with an imported sheet before the one that imports it
// (CSS Cascade 5, 6.4.4), whatever order they arrive in. A place is a number, so that places can be compared.

export interface SheetPlace {
  readonly at: number;
  /** false if the media of the sheet do not match: a browser fetches the sheet, but its rules have no effect. */
  readonly applies: boolean;
  /** Names of the layers into which the sheet is imported, from the outermost. */
  readonly layer?: readonly string[];
  /** Number (`at`) of the sheet that this one imported last or, before its first import, of the sheet before it. The
   *  next import gets a number between that and this sheet's own. */
  before?: number;
}

export class SheetOrder {
  readonly #known = new Map<string, SheetPlace>();
  #last = 0;

  /** Returns a new place in the order of sheets, after those of all sheets of the document so far. */
  next(applies = true): SheetPlace {
    const before = this.#last++;
    return { at: this.#last, applies, before };
  }

  /** Records the place of a sheet. One that is named twice has that of the last time that its media match, if ever. */
  mention(url: string, place: SheetPlace): void {
    if (place.applies || !this.#known.get(url)?.applies) this.#known.set(url, place);
  }

  of(url: string): SheetPlace {
    return this.#known.get(url) ?? this.next();
  }
}

/** Returns the place of the next sheet that a sheet imports. */
export function placeOfImport(
  importer: SheetPlace,
  layer: readonly string[],
  applies: boolean,
): SheetPlace {
  const { before = importer.at - 1 } = importer;
  const at = (before + importer.at) / 2;
  importer.before = at;
  return { at, applies, layer, before };
}
