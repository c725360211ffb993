// Which declaration of a property counts for an element of the page (CSS Cascade 5, 6), as far as its sheets are known:
// by importance, layer, style attribute, specificity, and order. Rules that perhaps apply (`:hover`, @container)
// override nothing here. Selectors are read when somebody asks about a property: of most pages nobody asks about most.

import { type SelectorUse, specificityOf } from './selector-use.ts';
import type { ShownElement, ShownElements } from './shown-elements.ts';

/** Of one property in one rule. */
export interface Declaration {
  /** `font` among those of `font-weight`. */
  readonly property: string;
  readonly value: string;
  readonly isImportant: boolean;
  /** '': none. */
  readonly layer: string;
  /** Place of its sheet among those of the page. */
  readonly sheet: number;
  /** In its sheet. */
  readonly offset: number;
}

/** What a rule selects, or the element of a style attribute. */
export type Selected = (() => readonly SelectorUse[]) | ShownElement;

interface Entry {
  declaration: Declaration;
  /** null: of a style attribute. */
  use: SelectorUse | null;
  specificity: number;
}

interface Table {
  /** Those that win first. */
  byName: Map<string, Entry[]>;
  isSorted: boolean;
  ofElements: Map<ShownElement, Entry[]>;
  winners: Map<ShownElement, Entry | null>;
}

interface Property {
  unread: Array<{ declaration: Declaration; selected: Selected }>;
  /** By pseudo-element; '': the element itself. */
  tables: Map<string, Table>;
  count: number;
}

/** Declarations of one property. */
const most = 20_000;
/** More are not told apart. */
const mostLayers = 1_000;

export class PageCascade {
  readonly #shown: ShownElements;
  readonly #properties = new Map<string, Property>();
  /** Grows whenever elements may have other values than before. */
  version = 0;
  /** Names with those around them, each followed by a dot, in the order in which they first occur. */
  readonly #layers = new Map<string, number>();

  constructor(shown: ShownElements) {
    this.#shown = shown;
  }

  /** @param property that the declaration sets: a shorthand is declared for each that it sets. */
  declare(property: string, declaration: Declaration, selected: Selected): void {
    let one = this.#properties.get(property);
    if (one === undefined) {
      one = { unread: [], tables: new Map(), count: 0 };
      this.#properties.set(property, one);
    }
    if (one.count++ >= most) return;
    one.unread.push({ declaration, selected });
    if (typeof selected === 'function') this.version++;
  }

  /** A layer occurs (CSS Cascade 5, 6.4.3). @param path `outer.inner.` */
  layer(path: string): void {
    for (let end = path.indexOf('.'); end !== -1; end = path.indexOf('.', end + 1)) {
      const name = path.slice(0, end + 1);
      if (this.#layers.size >= mostLayers) return;
      if (!this.#layers.has(name)) this.#layers.set(name, this.#layers.size);
    }
  }

  has(property: string): boolean {
    return this.#properties.has(property);
  }

  /** null: no declaration is known to match. */
  winner(element: ShownElement, property: string, pseudo: string | null): Declaration | null {
    return this.#winner(element, property, pseudo)?.declaration ?? null;
  }

  /** @param use by which the declaration matches the element; null: it is in its style attribute */
  isOverridden(
    declaration: Declaration,
    element: ShownElement,
    property: string,
    use: SelectorUse | null,
  ): boolean {
    const winner = this.#winner(element, property, use?.pseudoElement ?? null);
    if (winner === null) return false;
    const specificity = use === null ? 0 : specificityOf(use);
    return this.#compare(winner, { declaration, use, specificity }) > 0;
  }

  #winner(element: ShownElement, property: string, pseudo: string | null): Entry | null {
    if (!this.#properties.has(property)) return null;
    const table = this.#read(property).tables.get(pseudo ?? '');
    if (table === undefined) return null;
    let winner = table.winners.get(element);
    if (winner === undefined) {
      winner = this.#winnerIn(table, element);
      table.winners.set(element, winner);
    }
    return winner;
  }

  #winnerIn(table: Table, element: ShownElement): Entry | null {
    this.#sort(table);
    const { byName, ofElements } = table;
    let best = ofElements.get(element)?.toSorted((a, b) => this.#compare(b, a))[0] ?? null;
    for (const name of element.look.names) {
      for (const entry of byName.get(name) ?? []) {
        if (this.#shown.isExhausted) return best;
        if (best !== null && this.#compare(entry, best) < 0) break;
        if (!this.#shown.matches(element, entry.use as SelectorUse)) continue;
        best = entry;
        break;
      }
    }
    return best;
  }

  #sort(table: Table): void {
    if (table.isSorted) return;
    table.isSorted = true;
    for (const entries of table.byName.values()) entries.sort((a, b) => this.#compare(b, a));
  }

  #read(name: string): Property {
    const property = this.#properties.get(name);
    if (property === undefined) return { unread: [], tables: new Map(), count: 0 };
    if (property.unread.length === 0) return property;
    const unread = property.unread.splice(0);
    // An element that was just shown changes nothing of others.
    if (unread.some(({ selected }) => typeof selected === 'function')) {
      for (const { winners } of property.tables.values()) winners.clear();
    }
    for (const { declaration, selected } of unread) {
      if (typeof selected !== 'function') {
        const { ofElements } = tableOf(property, null);
        const entry = { declaration, use: null, specificity: 0 };
        ofElements.set(selected, [...(ofElements.get(selected) ?? []), entry]);
        continue;
      }
      for (const use of selected()) {
        if (!use.isPlain || use.isSome) continue;
        const key = this.#shown.prepare(use);
        const table = tableOf(property, use.pseudoElement);
        table.isSorted = false;
        const entry = { declaration, use, specificity: specificityOf(use) };
        const others = table.byName.get(key);
        if (others === undefined) table.byName.set(key, [entry]);
        else others.push(entry);
      }
    }
    return property;
  }

  /** Positive: the first one wins. */
  #compare(one: Entry, other: Entry): number {
    const a = one.declaration;
    const b = other.declaration;
    if (a.isImportant !== b.isImportant) return a.isImportant ? 1 : -1;
    if (a.layer !== b.layer) {
      const later = this.#compareLayers(a.layer, b.layer);
      return a.isImportant ? -later : later;
    }
    const isOwn = Number(one.use === null) - Number(other.use === null);
    return isOwn || one.specificity - other.specificity || a.sheet - b.sheet || a.offset - b.offset;
  }

  /** Positive: the first one is later. What is in no layer, or in no further one, comes last. */
  #compareLayers(one: string, other: string): number {
    for (let start = 0; ; ) {
      const end = one.indexOf('.', start);
      const otherEnd = other.indexOf('.', start);
      if (end === -1 || otherEnd === -1) return otherEnd - end;
      const [name, otherName] = [one.slice(0, end + 1), other.slice(0, otherEnd + 1)];
      if (name !== otherName) {
        return (this.#layers.get(name) ?? 0) - (this.#layers.get(otherName) ?? 0);
      }
      start = end + 1;
    }
  }
}

function tableOf({ tables }: Property, pseudo: string | null): Table {
  const key = pseudo ?? '';
  let table = tables.get(key);
  if (table === undefined) {
    table = { byName: new Map(), isSorted: true, ofElements: new Map(), winners: new Map() };
    tables.set(key, table);
  }
  return table;
}
