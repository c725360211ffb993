// The tokenization stage of the HTML standard (13.2.5), by htmlparser2's Tokenizer: tags with their attributes, and
// text with its character references decoded; the same in every chunking. The content of noscript is left out, as where
// scripts run, and so is what follows a script in a comment in a script. htmlparser2 departs from the standard in two
// cases: a quoted `>` in an end tag, which ends it, and CDATA sections outside of SVG and MathML, which end at `]]>`. In
// names, letters beyond ASCII become lower case, too.

import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';
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

/** HTML elements whose text has no character references (HTML 13.2.6.4.4 and 13.2.6.4.7), where scripts run. */
const rawText = new Set('iframe noembed noframes noscript plaintext script style xmp'.split(' '));

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
  /** Name of the open element whose content is left out; null: there is none. */
  #leftOut: 'noscript' | 'script' | null = null;
  #isInRawText = false;
  /** Text of the open script, if a script is open. */
  #script = '';
  /** Text with a character reference, of which the next chunk may contain the rest. */
  #undecoded = '';

  constructor(handler: TokenHandler) {
    this.#handler = handler;
    const endText = () => this.#endText();
    this.#tokenizer = new HtmlTokenizer(
      // Character references are decoded in this file: htmlparser2 then searches for the end of a text, which is fast.
      { decodeEntities: false },
      {
        isInForeignContext: () => handler.isForeign?.() ?? false,
        onopentagname: (start, end) => this.#startTag(start, end),
        onattribname: (start, end) => {
          this.#attribute = this.#nameAt(start, end);
        },
        onattribdata: (start, end) => {
          this.#value += this.#textAt(start, end);
        },
        onattribentity: () => {},
        onattribend: () => this.#endAttribute(),
        onopentagend: () => this.#endTag(false),
        onselfclosingtag: (end) => this.#endTag(this.#textAt(end - 1, end) === '/'),
        onclosetag: (start, end) => this.#closeTag(this.#nameAt(start, end)),
        ontext: (start, end) => this.#addText(this.#textAt(start, end)),
        ontextentity: () => {},
        oncdata: (start, end, endOffset) => {
          this.#endText();
          if (handler.isForeign?.()) this.#passText(this.#textAt(start, end - endOffset));
        },
        oncomment: endText,
        ondeclaration: endText,
        onprocessinginstruction: endText,
        onend: endText,
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
    this.#endText();
    this.#name = this.#nameAt(start, end);
    this.#offset = start - 1;
    this.#attributes = null;
  }

  #endAttribute(): void {
    const value = this.#value.includes('&') ? decodeHTMLAttribute(this.#value) : this.#value;
    this.#value = '';
    this.#attributes ??= new Map();
    if (!this.#attributes.has(this.#attribute)) this.#attributes.set(this.#attribute, value);
  }

  #endTag(isSelfClosing: boolean): void {
    if (this.#leftOut !== null) return;
    this.#isInRawText = rawText.has(this.#name) && this.#handler.isForeign?.() !== true;
    if (this.#isInRawText && this.#name === 'noscript') this.#leftOut = 'noscript';
    this.#script = '';
    this.#handler.onStartTag({
      name: this.#name,
      attributes: this.#attributes ?? noAttributes,
      isSelfClosing,
      offset: this.#offset,
    });
  }

  #closeTag(name: string): void {
    this.#endText();
    const endsScript = this.#leftOut === null && this.#isInRawText && name === 'script';
    this.#isInRawText = false;
    if (endsScript && isDoubleEscaped(this.#script)) this.#leftOut = 'script';
    else if (name === this.#leftOut) this.#leftOut = null;
    if (this.#leftOut === null) this.#handler.onEndTag?.(name);
  }

  #addText(text: string): void {
    if (this.#isInRawText && this.#name === 'script') this.#script += text;
    const isDecoded = this.#undecoded === '' && (this.#isInRawText || !text.includes('&'));
    if (isDecoded) this.#passText(text);
    else this.#undecoded += text;
  }

  #endText(): void {
    if (this.#undecoded === '') return;
    const text = this.#undecoded;
    this.#undecoded = '';
    this.#passText(decodeHTML(text));
  }

  #passText(text: string): void {
    if (this.#leftOut === null && text !== '') this.#handler.onText?.(text);
  }
}

/** Whether `</script>` ends a script written in a comment inside this script, and not this script (HTML 13.2.5.27). */
function isDoubleEscaped(script: string): boolean {
  const comment = script.indexOf('<!--', Math.max(0, script.lastIndexOf('-->')));
  return comment !== -1 && /<script[\t\n\f\r />]/i.test(script.slice(comment));
}
