// Finds a <meta> charset after the first 1,024 bytes while the head is open. Like browsers, the decoder waits for it
// until the first tag that cannot be in a head; in the body it has no effect. (HTML 13.2.3.4 allows a parser to
// change its encoding or start over; Chromium does neither.)

import { Tokenizer } from 'htmlparser2';

/** Tags that leave the head open. */
const inHead = new Set([
  ...['base', 'head', 'html', 'link', 'meta', 'noscript', 'object', 'script', 'style', 'title'],
]);

/** End tags after which the head may still be open. */
const closedInHead = new Set([...inHead].filter((name) => name !== 'head' && name !== 'html'));

/** In a longer head, <meta> charset is ignored. */
export const mostHeadBytes = 256 * 1024;

export class HeadCharset {
  /** Labels in document order; one with an unknown encoding has no effect. */
  readonly labels: string[] = [];
  readonly #tokenizer: Tokenizer;
  #text = '';
  #isOver = false;
  #isMeta = false;
  #attribute = '';
  #attributes = new Map<string, string>();

  constructor() {
    const ignore = (): void => {};
    this.#tokenizer = new Tokenizer(
      { decodeEntities: false },
      {
        onopentagname: (start, end) => this.#open(this.#slice(start, end)),
        onclosetag: (start, end) => {
          if (!closedInHead.has(this.#slice(start, end))) this.#isOver = true;
        },
        onattribname: (start, end) => {
          this.#attribute = this.#isMeta ? this.#slice(start, end) : '';
        },
        onattribdata: (start, end) => {
          if (!this.#isMeta) return;
          const earlier = this.#attributes.get(this.#attribute) ?? '';
          this.#attributes.set(this.#attribute, earlier + this.#slice(start, end));
        },
        onopentagend: () => this.#close(),
        onselfclosingtag: () => this.#close(),
        onattribentity: ignore,
        onattribend: ignore,
        oncdata: ignore,
        oncomment: ignore,
        ondeclaration: ignore,
        onend: ignore,
        onprocessinginstruction: ignore,
        ontext: ignore,
        ontextentity: ignore,
      },
    );
  }

  /** The head has ended; later text has no effect. */
  get isOver(): boolean {
    return this.#isOver || this.#text.length >= mostHeadBytes;
  }

  /** @param text The next bytes, one character each. */
  write(text: string): void {
    if (this.isOver) return;
    this.#text += text;
    this.#tokenizer.write(text);
  }

  #slice(start: number, end: number): string {
    return this.#text.slice(start, end).toLowerCase();
  }

  #open(name: string): void {
    this.#isMeta = name === 'meta' && !this.#isOver;
    this.#attributes = new Map();
    if (!inHead.has(name)) this.#isOver = true;
  }

  #close(): void {
    if (!this.#isMeta) return;
    this.#isMeta = false;
    const charset = this.#attributes.get('charset');
    const isContentType = this.#attributes.get('http-equiv') === 'content-type';
    const content = this.#attributes.get('content') ?? '';
    const match = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"']+))/.exec(
      isContentType ? content : '',
    );
    const label = charset ?? match?.[1] ?? match?.[2] ?? match?.[3];
    if (label !== undefined) this.labels.push(label.trim());
  }
}
