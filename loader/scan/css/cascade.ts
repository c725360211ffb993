// Finds the declaration of each property that wins for an element of the page (CSS Cascade 5, 6): by importance, layer,
// style attribute, specificity, and order. The browser's own sheet is the first layer.

import type { PageElement, PageTree } from '../html/page-tree.ts';
import { type PageSelector, Selectors } from './selectors.ts';
import type { Declaration, StyleRule } from './style-rule.ts';
import { substituted } from './values.ts';

/** A declaration that applies to an element, and the selector of its rule that matches the element. */
export interface Matched {
  readonly declaration: Declaration;
  readonly selector: PageSelector;
}

/** The winning declarations of an element by pseudo-element and property: `before content`, ` content` for its own. */
export type ElementStyle = ReadonlyMap<string, Matched>;

/** Path of the cascade layer that stands for the browser's own sheet. */
export const browserLayer: readonly string[] = ['(browser)'];
/** Deepest nesting of cascade layers that is tracked; a deeper layer counts as the layer around it. */
const deepest = 32;
/** Cost of comparing two declarations or replacing a var(), counted as steps of the limited selector matching. */
const stepsToCount = 4;
const nothing: ElementStyle = new Map();

export class Cascade {
  readonly #selectors = new Selectors();
  readonly #rules: StyleRule[] = [];
  /** By the full name of each layer, its number in the order of first occurrence. */
  readonly #layers = new Map<string, number>();
  /** What the winning declarations were computed from: the version of the tree, and the number of rules applied. */
  #version = 0;
  #applied = 0;
  readonly #winners = new Map<PageElement, Map<string, Matched>>();
  /** Declarations with URLs, but for those whose URLs have all been found to be used. */
  readonly referring = new Set<Declaration>();
  readonly #byKey = new Map<string, PageElement[]>();

  constructor() {
    this.layerOf(browserLayer);
  }

  /** true once the limit on matching steps is reached: the winning declarations are incomplete and must not be used. */
  get isExhausted(): boolean {
    return this.#selectors.isExhausted;
  }

  add(rule: StyleRule): void {
    this.#rules.push(rule);
    for (const declaration of rule.declarations) {
      if (declaration.urls.length > 0) this.referring.add(declaration);
    }
  }

  /**
   * Returns the numbers of a layer and of the layers around it, the outermost first, then Infinity: a rule in no layer,
   * or directly in one, ranks after the rules of the layers inside (CSS Cascade 5, 6.4.3).
   */
  layerOf(path: readonly string[]): number[] {
    let name = '';
    const numbers = path.slice(0, deepest).map((each) => {
      name += `${each}.`;
      const number = this.#layers.get(name) ?? this.#layers.size;
      this.#layers.set(name, number);
      return number;
    });
    return [...numbers, Number.POSITIVE_INFINITY];
  }

  /** Finds the winning declarations for the elements that the tree has now. */
  update(tree: PageTree): void {
    if (this.#version !== tree.version) {
      this.#applied = 0;
      this.#winners.clear();
      this.#byKey.clear();
      for (const element of tree.elements) this.#index(element);
      this.#byKey.set('*', tree.elements);
    }
    this.#version = tree.version;
    this.#selectors.spend(tree.elements.length);
    while (!this.isExhausted && this.#applied < this.#rules.length) {
      this.#apply(this.#rules[this.#applied++] as StyleRule);
    }
  }

  of(element: PageElement): ElementStyle {
    return this.#winners.get(element) ?? nothing;
  }

  /** Returns a declared value, with the custom properties of the element, own or inherited, in place of var(). */
  valueFor(element: PageElement, { declaration, selector }: Matched): string {
    return substituted(declaration.value, (name) => {
      let matched = this.of(element).get(`${selector.pseudoElement} ${name}`);
      for (let at: PageElement | null = element; at !== null && !matched; at = at.parent)
        matched = this.of(at).get(` ${name}`);
      if (!matched) return null;
      const { urls, told, value } = matched.declaration;
      for (const url of urls) told.add(url);
      return this.#selectors.spend(stepsToCount + (value.length >> 4)) ? value : null;
    });
  }

  #index(element: PageElement): void {
    const { name, attributes } = element;
    const classes = attributes.get('class')?.split(/[\t\n\f\r ]+/) ?? [];
    for (const key of [name, `#${attributes.get('id')}`, ...classes.map((each) => `.${each}`)]) {
      const elements = this.#byKey.get(key) ?? [];
      if (elements.at(-1) !== element) elements.push(element);
      this.#byKey.set(key, elements);
    }
  }

  #apply(rule: StyleRule): void {
    rule.selectors ??= this.#selectors.of(rule.text);
    for (const selector of rule.selectors) {
      const matched = rule.declarations.map((declaration) => ({ declaration, selector }));
      const byKey = selector.keys.map((key) => this.#byKey.get(key) ?? []);
      for (const elements of rule.element === null ? byKey : [[rule.element]]) {
        for (const element of elements) {
          if (this.isExhausted) return;
          if (!selector.matches(element)) continue;
          for (const each of matched) this.#count(element, each);
        }
      }
    }
  }

  #count(element: PageElement, matched: Matched): void {
    this.#selectors.spend(stepsToCount);
    const key = `${matched.selector.pseudoElement} ${matched.declaration.property}`;
    const style = this.#winners.get(element) ?? new Map<string, Matched>();
    this.#winners.set(element, style);
    const other = style.get(key);
    if (other === undefined || compare(other, matched) <= 0) style.set(key, matched);
    matched.declaration.isMatched = true;
  }
}

/** Returns a positive number if the declaration `one` wins in the cascade, a negative one if `other` does. */
function compare(one: Matched, other: Matched): number {
  const [a, b] = [one.declaration, other.declaration];
  if (a.isImportant !== b.isImportant) return a.isImportant ? 1 : -1;
  const [layer, otherLayer] = [a.rule.layer, b.rule.layer];
  const at = layer.findIndex((number, index) => number !== otherLayer[index]);
  const later = at === -1 ? 0 : (layer[at] ?? 0) - (otherLayer[at] ?? 0);
  if (later !== 0) return a.isImportant ? -later : later;
  const specificity = one.selector.specificity - other.selector.specificity;
  return specificity || a.rule.sheet - b.rule.sheet || a.offset - b.offset;
}
