// Finds a <meta> charset after the first 1,024 bytes while the head is open. Like browsers, the decoder waits for it
// until the first tag that cannot be in a head; in the body it has no effect. (HTML 13.2.3.4 allows a parser to
// change its encoding or start over; Chromium does neither.)

import { contentModelOf } from './tokens/content-model.ts';
import { type StartTag, Tokenizer } from './tokens/tokenizer.ts';

/** Tags that leave the head open. */
const inHead = new Set([
  ...['base', 'head', 'html', 'link', 'meta', 'noscript', 'object', 'script', 'style', 'title'],
]);

/** End tags after which the head may still be open. */
const closedInHead = new Set([...inHead].filter((name) => name !== 'head' && name !== 'html'));

/** In a longer head, <meta> charset is ignored. */
export const mostHeadBytes = 256 * 1024;

const attributes = new Set(['charset', 'http-equiv', 'content']);

export class HeadCharset {
  /** Labels in document order; one with an unknown encoding has no effect. */
  readonly labels: string[] = [];
  readonly #tokenizer: Tokenizer;
  #read = 0;
  #isOver = false;

  constructor() {
    this.#tokenizer = new Tokenizer(
      {
        onStartTag: (tag) => this.#open(tag),
        onEndTag: (name) => {
          if (!closedInHead.has(name)) this.#isOver = true;
        },
      },
      { attributes },
    );
  }

  /** The head has ended; later text has no effect. */
  get isOver(): boolean {
    return this.#isOver || this.#read >= mostHeadBytes;
  }

  /** @param text The next bytes, one character each. */
  write(text: string): void {
    if (this.isOver) return;
    this.#read += text.length;
    this.#tokenizer.write(text);
  }

  #open({ name, attributes }: StartTag): void {
    this.#tokenizer.switchTo(contentModelOf(name));
    if (!inHead.has(name)) this.#isOver = true;
    if (name !== 'meta' || this.#isOver) return;
    const isContentType = attributes.get('http-equiv')?.toLowerCase() === 'content-type';
    const content = attributes.get('content') ?? '';
    const match =
      /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"']+))/i.exec(
        isContentType ? content : '',
      );
    const label = attributes.get('charset') ?? match?.[1] ?? match?.[2] ?? match?.[3];
    if (label !== undefined) this.labels.push(label.trim().toLowerCase());
  }
}
