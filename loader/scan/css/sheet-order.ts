// The places of a page's sheets among one another: those of the document in its order, an imported one before the sheet
// that imports it (CSS Cascade 5, 6.4.4). They may arrive in any order. A place is a number, so that places compare.

export interface SheetPlace {
  readonly at: number;
  /** false: its media do not match; it is fetched, and means nothing. */
  readonly applies: boolean;
  /** That it was imported into, `outer.inner.`; absent: none. */
  readonly layer?: string;
}

/** How a sheet is imported. */
export interface SheetImport {
  importer: SheetPlace;
  /** As the place has it. */
  layer?: string | undefined;
}

/** Sheets that are remembered; later ones come last. */
const most = 10_000;

export class SheetOrder {
  readonly #known = new Map<string, SheetPlace>();
  /** Of the last import of a sheet. */
  readonly #before = new WeakMap<SheetPlace, number>();
  #last = 0;

  /** @returns The next place in the document */
  next(applies = true): SheetPlace {
    const place = { at: this.#last + 1, applies };
    this.#before.set(place, this.#last++);
    return place;
  }

  /** @param imported null: the document names it */
  mention(url: string, imported: SheetImport | null, applies: boolean): void {
    const known = this.#known.get(url);
    // Of two places the last one counts most.
    if (this.#known.size >= most || (known?.applies && !applies)) return;
    this.#known.set(url, imported === null ? this.next(applies) : this.#into(imported, applies));
  }

  of(url: string): SheetPlace {
    return this.#known.get(url) ?? this.next();
  }

  #into({ importer, layer }: SheetImport, applies: boolean): SheetPlace {
    const before = this.#before.get(importer) ?? importer.at - 1;
    const at = (before + importer.at) / 2;
    const place = {
      at,
      applies: applies && importer.applies,
      ...(layer !== undefined && { layer }),
    };
    this.#before.set(importer, at);
    this.#before.set(place, before);
    return place;
  }
}
