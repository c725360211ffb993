// The places of a page's sheets among one another: those of the document in its order, an imported one before the sheet
// that imports it (CSS Cascade 5, 6.4.4). They may arrive in any order. A place is a number, so that places compare.

export interface SheetPlace {
  readonly at: number;
  /** false: its media do not match; it is fetched, and means nothing. */
  readonly applies: boolean;
}

interface Known extends SheetPlace {
  /** Of the last import before it. */
  before: number;
}

/** Sheets that are remembered; later ones come last. */
const most = 10_000;

export class SheetOrder {
  readonly #known = new Map<string, Known>();
  #last = 0;

  /** @returns The next place in the document */
  next(): SheetPlace {
    return { at: ++this.#last, applies: true };
  }

  /** @param importer null: the document */
  mention(url: string, importer: string | null, applies: boolean): void {
    const known = this.#known.get(url);
    // Of two places the last one counts most.
    if (this.#known.size >= most || (known?.applies && !applies)) return;
    const around = importer === null ? undefined : this.#known.get(importer);
    let at = this.#last + 1;
    let before = this.#last;
    if (around === undefined) {
      this.#last++;
    } else {
      ({ before } = around);
      at = (around.before + around.at) / 2;
      around.before = at;
    }
    this.#known.set(url, { at, applies: applies && around?.applies !== false, before });
  }

  /** @param target Where its redirects led: what it imports is named there */
  of(url: string, target = url): SheetPlace {
    const known = this.#known.get(url);
    if (known !== undefined && target !== url) this.#known.set(target, known);
    return known ?? this.next();
  }
}
