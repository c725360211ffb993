// Which elements the page has shown so far, and who waits for one. Elements that have the same type, id, classes and
// style and stand in the same place are one here: a page of thousands has some hundred. A place is the elements around,
// and whether it is the first in its parent.

import { CharacterSet } from './character-set.ts';
import { type ElementLook, ElementLooks, type ElementNames } from './element-looks.ts';
import type { Compound, Condition, SelectorUse } from './selector-use.ts';

export interface ShownElement {
  readonly parent: ShownElement | null;
  readonly look: ElementLook;
  /** null: none so far. */
  inside: Map<ElementLook, ShownElement> | null;
  /** More than white space is directly in it. */
  hasText: boolean;
}

/** @returns Whether it need not be asked about other elements */
export type OnMatch = (element: ShownElement, use: SelectorUse) => boolean;

interface Watcher {
  use: SelectorUse;
  /** One for all selectors of a list. */
  list: WatchedList;
}

interface WatchedList {
  then: OnMatch;
  isDone: boolean;
}

/** Of elements that differ; later ones are not known. */
const most = 20_000;
const mostConditions = 256;
/** Compounds that are compared with elements. A saved page takes up to 100,000; then nothing more is known to match. */
const mostComparisons = 10_000_000;

export class ShownElements {
  /** Of the page's text. */
  readonly characters = new CharacterSet();
  /** Called for an element with a style attribute before anybody is asked about it. */
  onStyle: ((element: ShownElement) => void) | null = null;
  /** Called when an element is known to have text. */
  onText: ((element: ShownElement) => void) | null = null;
  readonly #roots = new Map<ElementLook, ShownElement>();
  readonly #byName = new Map<string, ShownElement[]>();
  readonly #all: ShownElement[] = [];
  readonly #conditions = new Map<string, Condition>();
  readonly #looks = new ElementLooks(this.#conditions);
  readonly #watchers = new Map<string, Watcher[]>();
  #comparisons = 0;

  /** Nothing more is known to match. */
  get isExhausted(): boolean {
    return this.#comparisons >= mostComparisons;
  }

  get all(): readonly ShownElement[] {
    return this.#all;
  }

  /** @returns null: there are too many */
  show(parent: ShownElement | null, names: ElementNames): ShownElement | null {
    const look = this.#looks.of(names, parent === null);
    if (look === null) return null;
    const known = (parent === null ? this.#roots : parent.inside)?.get(look);
    if (known !== undefined) return known;
    if (this.#all.length >= most) return null;
    const element: ShownElement = { parent, look, inside: null, hasText: false };
    if (parent !== null) parent.inside ??= new Map();
    (parent?.inside ?? this.#roots).set(look, element);
    this.#all.push(element);
    for (const name of look.names) listIn(this.#byName, name).push(element);
    if (look.style !== undefined) this.onStyle?.(element);
    this.#tell(element);
    return element;
  }

  addText(element: ShownElement): void {
    if (element.hasText) return;
    element.hasText = true;
    this.onText?.(element);
  }

  /**
   * Calls back for elements that match, until all are done: at once, or within a later call.
   * @param uses null: what they would select is there.
   */
  watch(uses: readonly SelectorUse[], then: OnMatch): void {
    const list: WatchedList = { then, isDone: false };
    for (const use of uses) {
      if (!use.isPlain) continue;
      const key = this.prepare(use);
      this.#ask(key, use, list);
      if (list.isDone) return;
      listIn(this.#watchers, key).push({ use, list });
    }
  }

  /** The page knows what the selector asks for, from now on. @returns The name to look it up by */
  prepare(use: SelectorUse): string {
    for (const condition of use.conditions ?? []) this.#addCondition(condition);
    return this.#keyOf(use);
  }

  /** Whether the selector, which is plain, matches, its pseudo-element aside. */
  matches(element: ShownElement, use: SelectorUse): boolean {
    return this.#matchesFrom(element, use, use.compounds.length - 1);
  }

  /** The name of the selected element that the fewest elements have; of equal ones the most telling. */
  #keyOf({ compounds }: SelectorUse): string {
    const compound = compounds.at(-1) ?? [];
    if (compound.length < 2) return compound[0] ?? '*';
    const count = (name: string) => this.#byName.get(name)?.length ?? 0;
    const compare = (a: string, b: string) => count(a) - count(b) || rankOf(a) - rankOf(b);
    return compound.reduce((a, b) => (compare(b, a) < 0 ? b : a));
  }

  #matchesFrom(element: ShownElement, use: SelectorUse, at: number): boolean {
    const compound = use.compounds[at] ?? [];
    if (this.#comparisons++ >= mostComparisons || !hasAll(element, compound)) return false;
    if (at === 0) return true;
    const { parent } = element;
    switch (use.combinators[at - 1]) {
      case '>':
        return parent !== null && this.#matchesFrom(parent, use, at - 1);
      case ' ':
        for (let around = parent; around !== null; around = around.parent) {
          if (this.#matchesFrom(around, use, at - 1)) return true;
        }
        return false;
      default: // Which of them comes first is not known.
        for (const beside of parent?.inside?.values() ?? []) {
          if (this.#matchesFrom(beside, use, at - 1)) return true;
        }
        return false;
    }
  }

  #ask(key: string, use: SelectorUse, list: WatchedList): void {
    for (const element of this.#byName.get(key) ?? []) {
      if (list.isDone || this.isExhausted) break;
      if (this.matches(element, use)) list.isDone = list.then(element, use);
    }
  }

  #tell(element: ShownElement): void {
    for (const name of element.look.names) {
      const watchers = this.#watchers.get(name);
      if (watchers === undefined || this.isExhausted) continue;
      let isAnyDone = false;
      // Those that begin to watch meanwhile have asked about this element themselves.
      const { length } = watchers;
      for (let index = 0; index < length; index++) {
        const { use, list } = watchers[index] as Watcher;
        if (!list.isDone && this.matches(element, use)) list.isDone = list.then(element, use);
        isAnyDone ||= list.isDone;
      }
      if (isAnyDone) {
        const others = watchers.filter(({ list }) => !list.isDone);
        if (others.length > 0) this.#watchers.set(name, others);
        else this.#watchers.delete(name);
      }
    }
  }

  /** Elements for which it holds have its name from now on. Nobody watches for that name yet. */
  #addCondition(condition: Condition): void {
    if (this.#conditions.has(condition.name) || this.#conditions.size >= mostConditions) return;
    this.#conditions.set(condition.name, condition);
    for (const element of this.#all) {
      const { classes, id, names } = element.look;
      if (!condition.holds(classes, id)) continue;
      names.add(condition.name);
      listIn(this.#byName, condition.name).push(element);
    }
  }
}

/** The first is the most telling; types come after ids, classes and conditions. */
function rankOf(name: string): number {
  const rank = '#.['.indexOf(name.charAt(0));
  return rank === -1 ? (name.startsWith(':') ? 4 : 3) : rank;
}

function hasAll({ look: { names } }: ShownElement, compound: Compound): boolean {
  for (const name of compound) if (!names.has(name)) return false;
  return true;
}

function listIn<T>(map: Map<string, T[]>, key: string): T[] {
  let list = map.get(key);
  if (list === undefined) {
    list = [];
    map.set(key, list);
  }
  return list;
}
