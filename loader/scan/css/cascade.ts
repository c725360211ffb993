// Which declaration of a property counts where selectors are the same (CSS Cascade 5, 6): the last one, or the last one
// that is important. Specificity is not compared, since which selectors match one element is not known.

import type { CssFound, SelectorUse } from './found.ts';

interface Slot {
  items: CssFound[];
  isImportant: boolean;
}

export class Cascade {
  readonly #slots = new Map<string, Slot>();
  /** Properties that were declared with something to override. */
  readonly #properties = new Set<string>();

  /** Whether a declaration that refers to nothing changes anything. */
  has(property: string): boolean {
    return this.#properties.has(property);
  }

  /** @param context Rules of different layers, containers or scopes do not override one another. */
  declare(
    property: string,
    uses: readonly SelectorUse[],
    context: string,
    isImportant: boolean,
    items: CssFound[],
  ): void {
    if (items.length > 0 || isImportant) this.#properties.add(property);
    for (const { text } of uses) {
      const key = `${property} ${context} ${text}`;
      const earlier = this.#slots.get(key);
      if (earlier?.isImportant && !isImportant) {
        for (const item of items) withdraw(item, text);
        continue;
      }
      for (const item of earlier?.items ?? []) withdraw(item, text);
      if (items.length > 0 || isImportant) this.#slots.set(key, { items, isImportant });
      else this.#slots.delete(key);
    }
  }
}

function withdraw(item: CssFound, selector: string): void {
  item.selectors = (item.selectors ?? []).filter(({ text }) => text !== selector);
  if (item.selectors.length === 0) item.skipped ??= 'overridden by another declaration';
}
