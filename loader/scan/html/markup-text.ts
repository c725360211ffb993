// Text between tags, where character references count (HTML 13.2.5.72), in pieces of which each may end within one.

import { decodeHTML } from 'entities/decode';

/** Longer than any name. */
const longestReference = 40;

export class MarkupText {
  /** A reference that may go on. */
  #held = '';

  decoded(piece: string): string {
    const text = this.#held + piece;
    const at = text.lastIndexOf('&');
    const isOpen =
      at !== -1 && text.length - at <= longestReference && /^&#?\w*$/.test(text.slice(at));
    this.#held = isOpen ? text.slice(at) : '';
    return decodeHTML(isOpen ? text.slice(0, at) : text);
  }

  /** Nothing follows. @returns What was held */
  end(): string {
    const rest = decodeHTML(this.#held);
    this.#held = '';
    return rest;
  }
}
