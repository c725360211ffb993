// Decodes text between tags, which has character references (HTML 13.2.5.72), piece by piece. A reference may continue
// in the next piece of the same run of text; any markup ends the run.

import { decodeHTML } from 'entities/decode';

/** Longer than any character reference. */
const longestReference = 40;

export class MarkupText {
  /** The beginning of a reference that may continue. */
  #held = '';
  #run = 0;

  /** @param run Number of the run of text to which the piece belongs. */
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

  /** Called when the run has ended. @returns The text that was held back */
  end(): string {
    const rest = decodeHTML(this.#held);
    this.#held = '';
    return rest;
  }
}
