// Custom properties with URLs (CSS Variables 1), of all sheets and style attributes of a page. A URL in one is fetched
// only where a property of images uses it: each URL is brought together with each declaration that may lead to it.

import type { Declaration, Selected } from './page-cascade.ts';

/** A declaration of images that uses custom properties. */
export interface VariableUse {
  /** The property that it sets. */
  property: string;
  declaration: Declaration;
  selected: Selected;
}

interface CustomProperty<Url> {
  urls: Url[];
  /** Others in its values. */
  variables: Set<string>;
  /** Also those through others. */
  uses: Set<VariableUse>;
}

/** Custom properties in custom properties. */
const deepest = 8;
/** Of a page, counted for each custom property that it leads to. */
const mostUses = 200_000;
/** A URL and a use of it. Each is asked about elements; no saved page has 2,000. */
const mostPairs = 20_000;

export class CustomProperties<Url> {
  readonly #properties = new Map<string, CustomProperty<Url>>();
  readonly #onPair: (url: Url, use: VariableUse) => void;
  #uses = 0;
  #pairs = 0;

  constructor(onPair: (url: Url, use: VariableUse) => void) {
    this.#onPair = onPair;
  }

  /** A URL is in a value. */
  define(name: string, url: Url): void {
    const { urls, uses } = this.#of(name);
    urls.push(url);
    for (const use of uses) this.#pair(url, use);
  }

  /** Who uses a custom property uses those in its value. */
  refer(name: string, variables: readonly string[]): void {
    const { variables: known, uses } = this.#of(name);
    for (const variable of variables) {
      if (known.has(variable)) continue;
      known.add(variable);
      for (const use of uses) this.#use(variable, use, 1);
    }
  }

  use(names: readonly string[], use: VariableUse): void {
    for (const name of names) this.#use(name, use, 0);
  }

  isUsed(name: string): boolean {
    return this.#of(name).uses.size > 0;
  }

  #use(name: string, use: VariableUse, depth: number): void {
    const { urls, variables, uses } = this.#of(name);
    if (depth > deepest || uses.has(use) || this.#uses++ >= mostUses) return;
    uses.add(use);
    for (const url of urls) this.#pair(url, use);
    for (const variable of variables) this.#use(variable, use, depth + 1);
  }

  #pair(url: Url, use: VariableUse): void {
    if (this.#pairs++ < mostPairs) this.#onPair(url, use);
  }

  #of(name: string): CustomProperty<Url> {
    let property = this.#properties.get(name);
    if (property === undefined) {
      property = { urls: [], variables: new Set(), uses: new Set() };
      this.#properties.set(name, property);
    }
    return property;
  }
}
