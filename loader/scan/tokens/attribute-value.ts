// The value of one wanted attribute, while it arrives.

import { decodeHTMLAttribute } from 'entities/decode';
import { normalised } from './characters.ts';

/** Room for the longest srcset lists. What is longer is most likely a data: URL. */
const usualLongestValue = 64 * 1024;

export class AttributeValue {
  readonly #longest: number;
  #written = '';
  #isTooLong = false;

  /** @param longest In characters, as written. */
  constructor(longest = usualLongestValue) {
    this.#longest = longest;
  }

  add(text: string, start: number, end: number): void {
    if (this.#isTooLong) return;
    if (this.#written.length + end - start > this.#longest) {
      this.#isTooLong = true;
      this.#written = '';
    } else {
      this.#written += text.slice(start, end);
    }
  }

  /** The value, character references decoded (HTML 13.2.5.72); null: it was too long. Begins the next one. */
  take(): string | null {
    const written = normalised(this.#written);
    const value = written.includes('&') ? decodeHTMLAttribute(written) : written;
    const isTooLong = this.#isTooLong;
    this.#written = '';
    this.#isTooLong = false;
    return isTooLong ? null : value;
  }
}
