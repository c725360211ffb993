// The tokenization stage of the HTML standard (13.2.5) with htmlparser2's Tokenizer: tags, some attributes, and the
// text of the elements that the consumer asks for, the same in every chunking. raw-text.ts reads raw text, because
// htmlparser2 handles neither scripts in comments in scripts nor noscript.

import { Tokenizer as HtmlTokenizer } from 'htmlparser2';
import { AttributeValue } from './attribute-value.ts';
import type { ContentModel } from './content-model.ts';
import { RawText } from './raw-text.ts';

export interface StartTag {
  /** Name of the tag, with ASCII letters in lower case. */
  readonly name: string;
  /** Values of the wanted attributes, with character references decoded. Of duplicates, the first applies. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Names of wanted attributes whose values are too long to be kept. */
  readonly tooLong: readonly string[];
  readonly isSelfClosing: boolean;
  /** Offset of the tag's `<`, characters from the start of the document. */
  readonly offset: number;
}

/** Callbacks of the tokenizer. They are called once the last character of a tag has arrived. */
export interface TokenHandler {
  /** May call `switchTo` and set `isCdataAllowed`, as a tree builder would. */
  onStartTag(tag: StartTag): void;
  onEndTag?(name: string, offset: number): void;
  /**
   * Receives the next piece of a text requested by `switchTo`: newlines are normalized, NUL is replaced. Character
   * references in RCDATA are not decoded, because a piece may end within one.
   */
  onText?(text: string): void;
  /**
   * Receives text of data or of a CDATA section that is not only white space, once for each piece between tags,
   * comments and chunks. Character references are not decoded; a CDATA section has none.
   */
  onWords?(text: string, isCdata: boolean): void;
}

export interface TokenizerOptions {
  /** Attributes that are kept for any tag, in lower case; null: all are kept. */
  attributes: ReadonlySet<string> | null;
  /** Most characters of a value. Longer values of wanted attributes are dropped, and their names reported. */
  longestValue?: number;
}

interface OpenTag {
  name: string;
  offset: number;
  attributes: Map<string, string> | null;
  tooLong: readonly string[];
}

const noNames: readonly string[] = [];
const noAttributes: ReadonlyMap<string, string> = new Map();
const ignore = () => {};

/** Number of characters at which a tag name is cut off, which then matches no element. */
const longestName = 1024;

/** Number of characters of earlier chunks that are kept for a name or text that began there. */
const longestKept = 1024 * 1024;

export class Tokenizer {
  /** The consumer is in foreign content, where CDATA sections are allowed (HTML 13.2.5.42). */
  isCdataAllowed = false;
  /** Pieces of data that `onWords` receives: none, those with words, or also those of white space only. */
  wantsText: 'none' | 'words' | 'all' = 'words';
  /** Number of the run of text in data that is being read; markup ends a run. */
  textRun = 0;
  readonly #wanted: ReadonlySet<string> | null;
  readonly #handler: TokenHandler;
  readonly #rawText: RawText;
  readonly #value: AttributeValue;
  readonly #tokenizer: HtmlTokenizer;
  #isRaw = false;
  /** Number of characters in earlier chunks. */
  #before = 0;
  /** Offset in the document at which htmlparser2 last started counting, which it does again after raw text. */
  #origin = 0;
  /** The chunk that htmlparser2 is reading, and its index as htmlparser2 counts. */
  #chunk = '';
  #chunkStart = 0;
  /** Text that htmlparser2 read before the chunk, from the last name on. */
  #kept = '';
  /** Index after the start tag of raw text, as htmlparser2 counts. */
  #stop = 0;
  #tag: OpenTag | null = null;
  /** The attribute being read; null: it is not wanted, or a duplicate. */
  #attribute: string | null = null;
  /** Name of the last start tag, which an end tag of raw text must have (HTML 13.2.5, appropriate end tag token). */
  #lastStartTag: string | null = null;
  /** An end tag whose `>` has not arrived; without that it is not a tag. */
  #pending: { name: string; offset: number } | null = null;

  constructor(handler: TokenHandler, { attributes, longestValue }: TokenizerOptions) {
    this.#wanted = attributes;
    this.#handler = handler;
    this.#rawText = new RawText((text) => handler.onText?.(text));
    this.#value = new AttributeValue(longestValue);
    const endRun = () => {
      this.textRun++;
    };
    this.#tokenizer = new HtmlTokenizer(
      { decodeEntities: false },
      {
        // Otherwise htmlparser2 would read raw text itself, and CDATA sections as comments.
        isInForeignContext: () => true,
        onopentagname: (start, end) => this.#startTag(start, end),
        onattribname: (start, end) => this.#startAttribute(start, end),
        onattribdata: (start, end) => this.#addValue(start, end),
        onattribend: () => this.#endValue(),
        onopentagend: (end) => this.#endTag(end, false),
        onselfclosingtag: (end) => this.#endTag(end, this.#characterAt(end - 1) === '/'),
        onclosetag: (start, end) => this.#closeTag(start, end),
        ontext: (start, end) => this.#emitText(start, end, false),
        oncdata: (start, end, endOffset) => this.#emitText(start, end - endOffset, true),
        oncomment: endRun,
        ondeclaration: endRun,
        onprocessinginstruction: endRun,
        onattribentity: ignore,
        ontextentity: ignore,
        onend: ignore,
      },
    );
  }

  /**
   * Sets how the text after a start tag is read. To be called from `onStartTag`.
   * @param wantsText Whether `onText` receives the text. Text of `data` is not passed on.
   */
  switchTo(model: ContentModel, wantsText = false): void {
    this.#isRaw = model !== 'data';
    if (model !== 'data') this.#rawText.start(model, this.#lastStartTag, wantsText);
  }

  /** Reads the next characters of the document. */
  write(text: string): void {
    let at = 0;
    while (at < text.length) at = this.#isRaw ? this.#readRaw(text, at) : this.#read(text, at);
    this.#before += text.length;
  }

  /** Called when nothing follows. An incomplete tag is not a tag (HTML 13.2.5.32, EOF). */
  end(): void {
    if (this.#isRaw) this.#rawText.end();
    else this.#tokenizer.end();
  }

  /** @returns Index of the first character that has not been read. */
  #read(text: string, at: number): number {
    this.#feed(at === 0 ? text : text.slice(at));
    return this.#isRaw ? this.#origin + this.#stop - this.#before : text.length;
  }

  #readRaw(text: string, at: number): number {
    const end = this.#rawText.find(text, at);
    if (end === -1) return text.length;
    this.#isRaw = false;
    this.#tokenizer.reset();
    this.#origin = this.#before + end - this.#rawText.endTagLength;
    this.#chunk = this.#kept = '';
    this.#chunkStart = 0;
    this.#feed(`</${this.#lastStartTag}`);
    return end;
  }

  #feed(chunk: string): void {
    if (this.#kept.length < longestKept) this.#kept += this.#chunk;
    this.#chunkStart += this.#chunk.length;
    this.#chunk = chunk;
    this.#emitEndTag(0);
    this.#tokenizer.write(chunk);
  }

  /** The text from `start` to `end`, as htmlparser2 counts, in this chunk and those before it since the last name. */
  #textAt(start: number, end: number): string {
    const from = start - this.#chunkStart;
    const to = end - this.#chunkStart;
    if (from >= 0) return this.#chunk.slice(from, to);
    const cut = this.#kept.length + from;
    return (this.#kept + this.#chunk.slice(0, Math.max(0, to))).slice(cut, cut + end - start);
  }

  #nameAt(start: number, end: number): string {
    const name = this.#textAt(start, Math.min(end, start + longestName));
    this.#kept = '';
    if (!/[A-Z\0]/.test(name)) return name;
    // Only ASCII letters are lowercased (HTML 13.2.5.8 and 13.2.5.33): U+212A does not become k.
    return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replaceAll('\0', '\ufffd');
  }

  #characterAt(index: number): string | undefined {
    const at = index - this.#chunkStart;
    return at < 0 ? this.#kept.at(at) : this.#chunk[at];
  }

  #startTag(start: number, end: number): void {
    this.textRun++;
    const offset = this.#origin + start - 1;
    this.#tag = { name: this.#nameAt(start, end), offset, attributes: null, tooLong: noNames };
  }

  #startAttribute(start: number, end: number): void {
    this.#attribute = null;
    const tag = this.#tag;
    if (tag === null) return;
    const name = this.#nameAt(start, end);
    if (this.#wanted?.has(name) === false) return;
    // Of two attributes with one name, the first applies (HTML 13.2.5.33).
    if (tag.attributes?.has(name) || tag.tooLong.includes(name)) return;
    this.#attribute = name;
    tag.attributes ??= new Map();
    tag.attributes.set(name, '');
  }

  #addValue(start: number, end: number): void {
    if (this.#attribute === null) return;
    this.#value.add(this.#chunk, start - this.#chunkStart, end - this.#chunkStart);
  }

  #endValue(): void {
    const [name, tag] = [this.#attribute, this.#tag];
    if (name === null || tag === null) return;
    this.#attribute = null;
    const value = this.#value.read();
    if (value !== null) {
      tag.attributes?.set(name, value);
    } else {
      tag.attributes?.delete(name);
      tag.tooLong = [...tag.tooLong, name];
    }
  }

  /** @param end Index of the tag's `>`. */
  #endTag(end: number, isSelfClosing: boolean): void {
    const tag = this.#tag;
    if (tag === null) return;
    this.#tag = null;
    const { name, offset, attributes, tooLong } = tag;
    this.#lastStartTag = name;
    this.#handler.onStartTag({
      name,
      attributes: attributes ?? noAttributes,
      tooLong,
      isSelfClosing,
      offset,
    });
    if (!this.#isRaw) return;
    this.#stop = end + 1;
    this.#tokenizer.pause();
  }

  /** Called after the name of an end tag. */
  #closeTag(start: number, end: number): void {
    this.textRun++;
    this.#pending = { name: this.#nameAt(start, end), offset: this.#origin + start - 2 };
    this.#emitEndTag(end - this.#chunkStart);
  }

  #emitEndTag(from: number): void {
    const tag = this.#pending;
    if (tag === null || this.#chunk.indexOf('>', from) === -1) return;
    this.#pending = null;
    this.#handler.onEndTag?.(tag.name, tag.offset);
  }

  #emitText(start: number, end: number, isCdata: boolean): void {
    const { onWords } = this.#handler;
    if (isCdata) this.textRun++;
    if (onWords === undefined || this.wantsText === 'none' || start >= end) return;
    if (isCdata && !this.isCdataAllowed) return;
    const text = this.#textAt(start, end);
    if (this.wantsText === 'all' || /[^\t\n\f\r ]/.test(text)) onWords(text, isCdata);
  }
}
