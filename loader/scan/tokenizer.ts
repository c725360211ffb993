// The tokenization stage of the HTML standard (13.2.5), by htmlparser2's Tokenizer: tags with their attributes, and
// text with its character references decoded; the same in every chunking. The content of noscript is left out, as where
// scripts run. htmlparser2 departs from the standard in three cases: scripts in comments in scripts, a quoted `>` in an
// end tag, which ends it, and CDATA sections outside of SVG and MathML, which end at `]]>`. In names, letters beyond
// ASCII become lower case, too.

import { Tokenizer as HtmlTokenizer } from 'htmlparser2';

export interface StartTag {
  /** Name of the tag, in lower case. */
  readonly name: string;
  /** Values by name, with character references decoded. Of duplicates, the first applies (HTML 13.2.5.33). */
  readonly attributes: ReadonlyMap<string, string>;
  readonly isSelfClosing: boolean;
  /** Offset of the tag's `<`, characters from the start of the document. */
  readonly offset: number;
}

export interface TokenHandler {
  /** Called once the last character of the tag has arrived. */
  onStartTag(tag: StartTag): void;
  /** Called with the name of an end tag, once it is complete. */
  onEndTag?(name: string): void;
  /** Receives the next piece of text, also of elements whose content is not markup. */
  onText?(text: string): void;
  /** Whether the tokenizer is in SVG or MathML, where all elements contain markup and CDATA sections are text. */
  isForeign?(): boolean;
}

const noAttributes: StartTag['attributes'] = new Map();

export class Tokenizer {
  readonly #handler: TokenHandler;
  readonly #tokenizer: HtmlTokenizer;
  /** The text from the last token on; `#start` is its offset in the document. */
  #text = '';
  #start = 0;
  /** Offset in the document, characters, up to which htmlparser2 has made tokens. */
  #passed = 0;
  #name = '';
  #offset = 0;
  #attributes: Map<string, string> | null = null;
  #attribute = '';
  #value = '';
  #isInNoscript = false;

  constructor(handler: TokenHandler) {
    this.#handler = handler;
    const ignore = () => {};
    this.#tokenizer = new HtmlTokenizer(
      {},
      {
        isInForeignContext: () => handler.isForeign?.() ?? false,
        onopentagname: (start, end) => this.#startTag(start, end),
        onattribname: (start, end) => {
          this.#attribute = this.#nameAt(start, end);
        },
        onattribdata: (start, end) => {
          this.#value += this.#textAt(start, end);
        },
        onattribentity: (code) => {
          this.#value += String.fromCodePoint(code);
        },
        onattribend: () => this.#endAttribute(),
        onopentagend: () => this.#endTag(false),
        onselfclosingtag: (end) => this.#endTag(this.#textAt(end - 1, end) === '/'),
        onclosetag: (start, end) => this.#closeTag(this.#nameAt(start, end)),
        ontext: (start, end) => this.#addText(this.#textAt(start, end)),
        ontextentity: (code) => this.#addText(String.fromCodePoint(code)),
        oncdata: (start, end, endOffset) => {
          if (handler.isForeign?.()) this.#addText(this.#textAt(start, end - endOffset));
        },
        oncomment: ignore,
        ondeclaration: ignore,
        onprocessinginstruction: ignore,
        onend: ignore,
      },
    );
  }

  /** Reads the next characters of the document. */
  write(text: string): void {
    if (this.#passed > this.#start) this.#text = this.#text.slice(this.#passed - this.#start);
    this.#start = this.#passed;
    this.#text += text;
    this.#tokenizer.write(text);
  }

  /** Ends the document. An incomplete tag at its end is not a tag (HTML 13.2.5.32, EOF). */
  end(): void {
    this.#tokenizer.end();
  }

  #textAt(start: number, end: number): string {
    this.#passed = end;
    return this.#text.slice(start - this.#start, end - this.#start);
  }

  #nameAt(start: number, end: number): string {
    return this.#textAt(start, end).toLowerCase();
  }

  #startTag(start: number, end: number): void {
    this.#name = this.#nameAt(start, end);
    this.#offset = start - 1;
    this.#attributes = null;
  }

  #endAttribute(): void {
    this.#attributes ??= new Map();
    if (!this.#attributes.has(this.#attribute)) this.#attributes.set(this.#attribute, this.#value);
    this.#value = '';
  }

  #endTag(isSelfClosing: boolean): void {
    if (this.#isInNoscript) return;
    this.#isInNoscript = this.#name === 'noscript' && this.#handler.isForeign?.() !== true;
    this.#handler.onStartTag({
      name: this.#name,
      attributes: this.#attributes ?? noAttributes,
      isSelfClosing,
      offset: this.#offset,
    });
  }

  #closeTag(name: string): void {
    if (name === 'noscript') this.#isInNoscript = false;
    if (!this.#isInNoscript) this.#handler.onEndTag?.(name);
  }

  #addText(text: string): void {
    if (!this.#isInNoscript && text !== '') this.#handler.onText?.(text);
  }
}
