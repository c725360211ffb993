// Finds the declaration of each property that wins for an element of the page (CSS Cascade 5, 6): by importance,
// origin, layer, style attribute, specificity, and order.

import type { PageElement, PageTree } from '../html/page-tree.ts';
import { type PageSelector, Selectors } from './selectors.ts';
import type { Declaration, StyleRule } from './style-rule.ts';

/** A declaration that matches an element. */
export interface Matched {
  readonly declaration: Declaration;
  /** The selector that matches; null: the declaration is in an attribute of the element. */
  readonly selector: PageSelector | null;
}

/** The winning declarations of an element, by property; those of a pseudo-element by `before content`, for example. */
export type ElementStyle = ReadonlyMap<string, Matched>;

/** Limit on the layers that are told apart. */
const mostLayers = 1_000;
/** Cost of comparing two declarations, in steps of selector matching (selectors.ts). */
const stepsToCount = 4;
const nothing: ElementStyle = new Map();

export class Cascade {
  readonly #selectors = new Selectors();
  readonly #rules: StyleRule[] = [];
  /** Number of each layer in the order of first occurrence, by its full name, `outer.inner.`. */
  readonly #layers = new Map<string, number>();
  /** What the winners were computed from: the tree, its version, and the number of rules applied. */
  #tree: PageTree | null = null;
  #version = 0;
  #applied = 0;
  readonly #winners = new Map<PageElement, Map<string, Matched>>();
  readonly #byKey = new Map<string, PageElement[]>();

  /** true once there is too much to compare: the winners are incomplete, and must not be used. */
  get isExhausted(): boolean {
    return this.#selectors.isExhausted;
  }

  add(rule: StyleRule): void {
    this.#rules.push(rule);
  }

  /** @param path Full name of the layer, `outer.inner.` */
  addLayer(path: string): void {
    for (let end = path.indexOf('.'); end !== -1; end = path.indexOf('.', end + 1)) {
      const name = path.slice(0, end + 1);
      if (this.#layers.size >= mostLayers) return;
      if (!this.#layers.has(name)) this.#layers.set(name, this.#layers.size);
    }
  }

  /** Finds the winning declarations for the elements that the tree has now. */
  update(tree: PageTree): void {
    if (this.#tree !== tree || this.#version !== tree.version) {
      this.#applied = 0;
      this.#winners.clear();
      this.#byKey.clear();
      for (const element of tree.elements) this.#index(element);
      this.#byKey.set('*', tree.elements);
    }
    this.#tree = tree;
    this.#version = tree.version;
    this.#selectors.spend(tree.elements.length);
    while (this.#applied < this.#rules.length && !this.isExhausted) {
      this.#apply(this.#rules[this.#applied++] as StyleRule);
    }
  }

  of(element: PageElement): ElementStyle {
    return this.#winners.get(element) ?? nothing;
  }

  /** The winning declaration of a custom property, own or inherited; null if the property is not set. */
  custom(element: PageElement, name: string, pseudoElement: string): Declaration | null {
    const own = pseudoElement && this.of(element).get(`${pseudoElement} ${name}`);
    if (own) return own.declaration;
    for (let at: PageElement | null = element; at !== null; at = at.parent) {
      const matched = this.of(at).get(name);
      if (matched !== undefined) return matched.declaration;
    }
    return null;
  }

  #index(element: PageElement): void {
    const { name, attributes } = element;
    this.#addTo(name, element);
    const id = attributes.get('id');
    if (id !== undefined) this.#addTo(`#${id}`, element);
    const classes = attributes.get('class');
    if (classes === undefined) return;
    for (const each of classes.split(/[\t\n\f\r ]+/)) this.#addTo(`.${each}`, element);
  }

  #addTo(key: string, element: PageElement): void {
    const elements = this.#byKey.get(key);
    if (elements === undefined) this.#byKey.set(key, [element]);
    else if (elements.at(-1) !== element) elements.push(element);
  }

  #apply(rule: StyleRule): void {
    const { declarations } = rule;
    if (rule.element !== null) {
      for (const declaration of declarations) {
        this.#count(rule.element, { declaration, selector: null });
      }
      return;
    }
    rule.selectors ??= this.#selectors.of(rule.text);
    for (const selector of rule.selectors) {
      const matched = declarations.map((declaration) => ({ declaration, selector }));
      for (const key of selector.keys) {
        for (const element of this.#byKey.get(key) ?? []) {
          if (!selector.matches?.(element)) continue;
          for (const each of matched) this.#count(element, each);
        }
      }
    }
  }

  #count(element: PageElement, matched: Matched): void {
    if (!this.#selectors.spend(stepsToCount)) return;
    const { declaration, selector } = matched;
    const pseudo = selector?.pseudoElement ?? '';
    const key = pseudo === '' ? declaration.property : `${pseudo} ${declaration.property}`;
    let style = this.#winners.get(element);
    if (style === undefined) {
      style = new Map();
      this.#winners.set(element, style);
    }
    const other = style.get(key);
    const isWinner = other === undefined || this.#compare(matched, other) >= 0;
    if (isWinner) style.set(key, matched);
    const loser = isWinner ? other?.declaration : declaration;
    if (loser !== undefined) loser.whyNot = 'overridden by another declaration';
  }

  /** Positive if `one` wins, negative if `other` does. */
  #compare(one: Matched, other: Matched): number {
    const [a, b] = [one.declaration, other.declaration];
    if (a.isImportant !== b.isImportant) return a.isImportant ? 1 : -1;
    const origin = Number(a.rule.sheet > 0) - Number(b.rule.sheet > 0);
    if (origin !== 0) return origin;
    if (a.rule.layer !== b.rule.layer) {
      const later = this.#compareLayers(a.rule.layer, b.rule.layer);
      return a.isImportant ? -later : later;
    }
    const specificity = specificityOf(one) - specificityOf(other);
    return specificity || a.rule.sheet - b.rule.sheet || a.offset - b.offset;
  }

  /** Positive if `one` is later. Declarations in no layer, or in no further nested layer, come last. */
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

/** A style attribute is more specific than any selector, a presentation attribute less (CSS Cascade 5, 6.3). */
function specificityOf({ declaration: { rule }, selector }: Matched): number {
  if (rule.element === null) return selector?.specificity ?? 0;
  return rule.isPresentation ? -1 : Number.POSITIVE_INFINITY;
}
