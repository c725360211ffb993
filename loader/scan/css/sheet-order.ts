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

/** How another sheet imports a sheet. */
export interface SheetImport {
  importer: SheetPlace;
  /** Names of the layers into which the sheet is imported, from the outermost, as in SheetPlace. */
  layer: readonly string[];
}

/** Limit on the sheets whose places are remembered; the rules of later sheets come last. */
const most = 10_000;

export class SheetOrder {
  readonly #known = new Map<string, SheetPlace>();
  #last = 0;

  /** Returns a new place in the order of sheets, after those of all sheets of the document so far. */
  next(applies = true): SheetPlace {
    const before = this.#last++;
    return { at: this.#last, applies, before };
  }

  /** Records the place in the cascade of a sheet that is linked, or (`imported`) imported by another sheet. */
  mention(url: string, imported: SheetImport | null, applies: boolean): void {
    const known = this.#known.get(url);
    // A sheet that is linked or imported twice has the place of the last time that its media match, if they ever do.
    if (this.#known.size >= most || (known?.applies && !applies)) return;
    this.#known.set(url, imported === null ? this.next(applies) : this.#into(imported, applies));
  }

  of(url: string): SheetPlace {
    return this.#known.get(url) ?? this.next();
  }

  #into({ importer, layer }: SheetImport, applies: boolean): SheetPlace {
    const { before = importer.at - 1 } = importer;
    const at = (before + importer.at) / 2;
    importer.before = at;
    return { at, applies: applies && importer.applies, layer, before };
  }
}
