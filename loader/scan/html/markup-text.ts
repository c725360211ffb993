// Text between tags, where character references count (HTML 13.2.5.72), in pieces. A reference may go on in the next
// piece of the same run; any markup between the two ends it.

import { decodeHTML } from 'entities/decode';

/** Longer than any name. */
const longestReference = 40;

export class MarkupText {
  /** A reference that may go on. */
  #held = '';
  #run = 0;

  /** @param run Number of the run of text that the piece belongs to */
  decoded(piece: string, run: number): string {
    const before = run === this.#run ? '' : this.end();
    this.#run = run;
    const text = this.#held + piece;
    const at = text.lastIndexOf('&');
    const isOpen =
      at !== -1 && text.length - at <= longestReference && /^&#?\w*$/.test(text.slice(at));
    this.#held = isOpen ? text.slice(at) : '';
    return before + decodeHTML(isOpen ? text.slice(0, at) : text);
  }

  /** The run has ended. @returns What was held */
  end(): string {
    const rest = decodeHTML(this.#held);
    this.#held = '';
    return rest;
  }
}
