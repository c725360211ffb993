// Which boxes there are, as far as the page's sheets are known. What is in display: none has none, and ::before and
// ::after have one only with content (CSS Pseudo 4, 4.1).

import type { PageCascade } from './page-cascade.ts';
import type { ShownElement } from './shown-elements.ts';

const none = /^\s*none\b/i;
const noContent = /^\s*(?:none|normal)\b/i;

export class ShownBoxes {
  readonly #cascade: PageCascade;
  readonly #hidden = new Map<ShownElement, boolean>();
  #version = 0;

  constructor(cascade: PageCascade) {
    this.#cascade = cascade;
  }

  isHidden(element: ShownElement): boolean {
    if (!this.#cascade.has('display')) return false;
    if (this.#version !== this.#cascade.version) this.#hidden.clear();
    this.#version = this.#cascade.version;
    let hidden = this.#hidden.get(element);
    if (hidden === undefined) {
      const display = this.#cascade.winner(element, 'display', null);
      const { parent } = element;
      hidden =
        (display !== null && none.test(display.value)) ||
        (parent !== null && this.isHidden(parent));
      this.#hidden.set(element, hidden);
    }
    return hidden;
  }

  has(element: ShownElement, pseudo: string | null, property = ''): boolean {
    if (this.isHidden(element)) return false;
    if (pseudo === 'before' || pseudo === 'after') return this.#hasContent(element, pseudo);
    // It has text, but no background or border (CSS Pseudo 4, 4.2).
    return pseudo !== 'marker' || property === 'content';
  }

  #hasContent(element: ShownElement, pseudo: string): boolean {
    const content = this.#cascade.winner(element, 'content', pseudo);
    if (content === null || noContent.test(content.value)) return false;
    const display = this.#cascade.winner(element, 'display', pseudo);
    return display === null || !none.test(display.value);
  }
}
