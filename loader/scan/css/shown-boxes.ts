// Rules about which boxes there are. ::before and ::after have one only with content (CSS Pseudo 4, 4.1), and what is in
// display: none has none. They are known of rules with the same selector only.

import type { SelectorUse } from './found.ts';

/** Selectors that are remembered. */
const most = 20_000;

const none = /\s*none\b/iy;

export class ShownBoxes {
  readonly #withContent = new Set<string>();
  readonly #hidden = new Set<string>();

  content(uses: readonly SelectorUse[], value: string): void {
    if (/^\s*(?:none|normal)\b/i.test(value)) return;
    for (const { text, pseudoElement } of uses) {
      if (pseudoElement !== null && this.#withContent.size < most) this.#withContent.add(text);
    }
  }

  /** @param prelude Of the rule; only lists of simple selectors are remembered. */
  display(prelude: string, text: string, valueAt: number): void {
    none.lastIndex = valueAt;
    const isNone = none.test(text);
    if (!isNone && this.#hidden.size === 0) return;
    for (const selector of prelude.split(',')) {
      const text = selector.trim();
      if (!isNone) this.#hidden.delete(text);
      else if (this.#hidden.size < most) this.#hidden.add(text);
    }
  }

  /** @returns The selectors; those that perhaps have no box are not plain. */
  shown(uses: readonly SelectorUse[], property: string): SelectorUse[] {
    return uses.map((use) => {
      const { text, pseudoElement } = use;
      const isHidden = this.#hidden.has(text) || !this.#hasBox(text, pseudoElement, property);
      return isHidden ? { ...use, isPlain: false } : use;
    });
  }

  #hasBox(text: string, pseudoElement: string | null, property: string): boolean {
    if (pseudoElement === 'before' || pseudoElement === 'after') return this.#withContent.has(text);
    // It has text, but no background or border (CSS Pseudo 4, 4.2).
    return pseudoElement !== 'marker' || property === 'content' || property === 'font';
  }
}
