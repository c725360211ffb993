// The value of one wanted attribute, gathered while it arrives.

import { decodeHTMLAttribute } from 'entities/decode';
import { normalised } from './characters.ts';

/** Longest value, enough for the longest srcset lists. A longer value is most likely a data: URL. */
const usualLongestValue = 64 * 1024;

export class AttributeValue {
  readonly #longest: number;
  #written = '';
  #isTooLong = false;

  /** @param longest Most characters of a value, as written. */
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

  /** Returns the value with character references decoded (HTML 13.2.5.72), or null if too long, and starts over. */
  read(): string | null {
    const written = normalised(this.#written);
    const value = written.includes('&') ? decodeHTMLAttribute(written) : written;
    const isTooLong = this.#isTooLong;
    this.#written = '';
    this.#isTooLong = false;
    return isTooLong ? null : value;
  }
}
