// A <meta> that names the encoding behind the first 1,024 bytes, in a head that has not ended: browsers hold back what
// depends on it until they have seen it, or the first tag that belongs to no head. In the body it decides nothing.
// (HTML 13.2.3.4 has a parser change its encoding in the middle, or begin again; Chromium does neither.)

import { Tokenizer } from 'htmlparser2';

/** Tags that leave a head open. */
const inHead = new Set([
  ...['base', 'head', 'html', 'link', 'meta', 'noscript', 'object', 'script', 'style', 'title'],
]);

/** Where a head may still go on when it has closed tags of its own. */
const closedInHead = new Set([...inHead].filter((name) => name !== 'head' && name !== 'html'));

/** A head that is longer names its encoding for nobody. */
export const mostHeadBytes = 256 * 1024;

export class HeadCharset {
  /** Labels in their order; that of an unknown encoding tells nothing. */
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

  /** The head is over: what comes decides nothing. */
  get isOver(): boolean {
    return this.#isOver || this.#text.length >= mostHeadBytes;
  }

  /** @param text what comes next, a character for each byte. */
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
