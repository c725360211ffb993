// Reads the document of a page or frame, as it arrives.

import { ByteOffsets } from './byte-offsets.ts';
import { CharsetDecoder, charsetParameter } from './charset.ts';
import { HtmlScanner } from './html/html-scanner.ts';
import type { PageContext, Reader } from './page-context.ts';

export class DocumentReader implements Reader {
  readonly #decoder: CharsetDecoder;
  readonly #html: HtmlScanner;
  // Text is already decoded, and its original encoding is unknown.
  #isText = false;
  /** The first half of a character at the end of a text. */
  #half = '';
  readonly #offsets = new ByteOffsets();

  constructor(url: URL, contentType: string, page: PageContext) {
    this.#decoder = new CharsetDecoder(charsetParameter(contentType));
    this.#html = new HtmlScanner(url, page, {
      encoding: () => (this.#isText ? 'utf-8' : this.charset),
      byteOffset: (offset) => this.#offsets.at(offset),
    });
  }

  get charset(): string | null {
    return this.#decoder.charset;
  }

  write(chunk: Uint8Array | string): void {
    this.#isText = typeof chunk === 'string';
    this.#html.write(typeof chunk === 'string' ? this.#counted(chunk) : this.#decoded(chunk));
  }

  /** Text, whose bytes would be UTF-8. */
  #counted(text: string): string {
    const whole = this.#half + text;
    // The other half of the character is in the next chunk.
    this.#half = /[\ud800-\udbff]$/.exec(whole)?.[0] ?? '';
    this.#offsets.add(Buffer.from(whole.slice(0, whole.length - this.#half.length)), text);
    return text;
  }

  #decoded(chunk: Uint8Array): string {
    const text = this.#decoder.write(chunk);
    this.#offsets.add(chunk, text);
    return text;
  }

  end(): void {
    const rest = this.#decoder.end();
    this.#offsets.add(new Uint8Array(0), rest);
    this.#html.write(rest);
    this.#html.end();
  }
}
