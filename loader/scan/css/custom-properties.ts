// Custom properties with URLs (CSS Variables 1). A URL in one is fetched only where a property of images uses it.

import type { CssFound } from './found.ts';
import type { SelectorUse } from './selector-use.ts';

interface Definition {
  items: CssFound[];
  /** Other custom properties in the value. */
  variables: readonly string[];
}

type RuleSelectors = () => readonly SelectorUse[] | null;

/** Of one sheet. */
const most = 20_000;
/** Custom properties in custom properties. */
const deepest = 8;

export class CustomProperties {
  /** By name, empty where a value refers to nothing. */
  readonly #definitions = new Map<string, Definition[]>();
  /** Rules, by the name that they use. Their selectors are only read if there is a URL in it. */
  readonly #uses = new Map<string, RuleSelectors[]>();
  readonly #fallbacks: Array<{ variable: string; items: CssFound[] }> = [];
  #count = 0;

  define(name: string, items: CssFound[], variables: readonly string[]): void {
    if (this.#count++ >= most) return;
    let definitions = this.#definitions.get(name);
    if (definitions === undefined) {
      definitions = [];
      this.#definitions.set(name, definitions);
    }
    if (items.length > 0 || variables.length > 0) definitions.push({ items, variables });
  }

  use(names: readonly string[], selectors: RuleSelectors): void {
    for (const name of names) {
      if (this.#count++ >= most) return;
      const uses = this.#uses.get(name);
      if (uses === undefined) this.#uses.set(name, [selectors]);
      else uses.push(selectors);
    }
  }

  fallback(variable: string, items: CssFound[]): void {
    if (items.length > 0 && this.#fallbacks.length < most)
      this.#fallbacks.push({ variable, items });
  }

  /** Says of each URL who uses it. */
  resolve(): void {
    for (const { variable, items } of this.#fallbacks) {
      if (!this.#definitions.has(variable)) continue;
      for (const item of items) item.skipped ??= 'in var() of a custom property that is set';
    }
    this.#spread();
    for (const [name, definitions] of this.#definitions) {
      const items = definitions.flatMap((definition) => definition.items);
      if (items.length === 0) continue;
      const uses = this.#uses.get(name);
      const usedBy = uses?.flatMap((selectors) => selectors() ?? []);
      for (const item of items) {
        if (usedBy === undefined) item.skipped ??= 'in a custom property that nothing uses';
        else item.usedBy = usedBy;
      }
    }
  }

  /** Who uses a custom property uses those in its value. */
  #spread(): void {
    let isChanged = true;
    for (let round = 0; round < deepest && isChanged; round++) {
      isChanged = false;
      for (const [name, definitions] of this.#definitions) {
        const uses = this.#uses.get(name);
        if (uses === undefined) continue;
        for (const variable of definitions.flatMap(({ variables }) => variables)) {
          if (this.#uses.has(variable)) continue;
          this.#uses.set(variable, uses);
          isChanged = true;
        }
      }
    }
  }
}
