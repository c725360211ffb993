// The tokenization stage of the HTML standard (13.2.5), as far as a scanner needs it: tags, their attributes, and the
// text of the elements it asks for, the same in every chunking. It looks for the next character that matters instead
// of at each one, and keeps nothing of what nobody wants. A cut between chunks is a state, as anything else: nothing
// is read twice.

import { AttributeValue } from './attribute-value.ts';
import {
  apostrophe,
  equalsSign,
  exclamationMark,
  greaterThanSign,
  isLetter,
  questionMark,
  quotationMark,
  solidus,
} from './characters.ts';
import type { ContentModel } from './content-model.ts';
import { MarkupEnd, type MarkupKind, markupKind } from './markup-end.ts';
import { RawText } from './raw-text.ts';
import {
  attributeNameEnd,
  skipAttributes,
  skipSpace,
  tagNameEnd,
  unquotedValueEnd,
} from './spans.ts';
import { longestName, type Wanted, type WantedTag } from './wanted.ts';

export interface StartTag {
  /** ASCII letters in lower case. */
  readonly name: string;
  /** Values of the wanted attributes, character references decoded. The first of two with one name counts. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Wanted attributes whose values are longer than the tokenizer keeps. */
  readonly tooLong: readonly string[];
  readonly isSelfClosing: boolean;
  /** Of its `<`, in characters from the start of the document. */
  readonly offset: number;
}

/** What the tokenizer calls. The last character of a tag has arrived by then. */
export interface TokenHandler {
  /** May call `switchTo` and set `isCdataAllowed`, as a tree builder does. */
  onStartTag(tag: StartTag): void;
  onEndTag?(name: string, offset: number): void;
  /**
   * The next piece of a text that `switchTo` asked for: newlines normalised, NUL replaced. Character references of
   * RCDATA are not decoded, because a piece may end within one.
   */
  onText?(text: string): void;
  /**
   * Text of data or of a CDATA section, from `start` to `end`, with something other than white space in it: once for
   * each piece between tags, comments and chunks. Character references are not decoded; a CDATA section has none.
   */
  onWords?(text: string, start: number, end: number, isCdata: boolean): void;
}

export interface TokenizerLimits {
  /** Longer values of wanted attributes are dropped, and their names reported. */
  longestValue?: number;
}

type State =
  | 'data'
  | 'raw text'
  | 'tag open'
  | 'end tag open'
  | 'tag name'
  | 'before attribute name'
  | 'attribute name'
  | 'after attribute name'
  | 'before attribute value'
  | 'quoted value'
  | 'unquoted value'
  | 'self-closing'
  | 'markup declaration open'
  | 'markup';

const noNames: readonly string[] = [];
const noAttributes: ReadonlyMap<string, string> = new Map();

export class Tokenizer {
  /** The consumer is in foreign content, where CDATA sections may be (HTML 13.2.5.42). */
  isCdataAllowed = false;
  /** What `onWords` gets of data: also pieces of white space, or nothing. */
  wantsText: 'none' | 'words' | 'all' = 'words';
  /** Number of the run of text in data that is being read: each `<` ends one. */
  textRun = 0;
  #wanted: Wanted;
  readonly #handler: TokenHandler;
  #unwanted: RegExp | null;
  readonly #rawText: RawText;
  readonly #markup = new MarkupEnd();
  readonly #value: AttributeValue;
  #state: State = 'data';
  /** Characters in earlier chunks. */
  #before = 0;
  /** A name that began in an earlier chunk, as far as it has arrived. */
  #part = '';
  /** Of the tag's `<`, from the start of the document. */
  #offset = 0;
  #isEndTag = false;
  #isCdata = false;
  /** The tag being read; null: not wanted. */
  #tag: WantedTag | null = null;
  /** null: none so far. Many tags have none. */
  #attributes: Map<string, string> | null = null;
  #tooLong = noNames;
  /** The attribute being read; null: not wanted, or a duplicate. */
  #attribute: string | null = null;
  #quote = '"';
  /** Name of the last start tag, which an end tag of raw text must have (HTML 13.2.5, appropriate end tag token). */
  #lastStartTag: WantedTag | null = null;

  constructor(wanted: Wanted, handler: TokenHandler, { longestValue }: TokenizerLimits = {}) {
    this.#wanted = wanted;
    this.#unwanted = wanted.unwanted(handler.onEndTag !== undefined);
    this.#handler = handler;
    this.#rawText = new RawText((text) => handler.onText?.(text));
    this.#value = new AttributeValue(longestValue);
  }

  /**
   * Sets how the text after a start tag is read. For use in `onStartTag`.
   * @param wantsText `onText` gets the text. That of `data` is not passed on.
   */
  switchTo(model: ContentModel, wantsText = false): void {
    if (model !== 'data') {
      this.#rawText.start(model, this.#lastStartTag?.name ?? null, wantsText);
    }
    this.#state = model === 'data' ? 'data' : 'raw text';
  }

  /** Sets which tags are wanted from here on. For use in `onStartTag` and `onEndTag`. */
  want(wanted: Wanted): void {
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    this.#unwanted = wanted.unwanted(this.#handler.onEndTag !== undefined);
  }

  /** The next characters of the document. */
  write(text: string): void {
    let at = 0;
    while (at < text.length) at = this.#read(text, at);
    this.#before += text.length;
  }

  /** Nothing follows. A tag that is not complete is none (HTML 13.2.5.32, EOF). */
  end(): void {
    if (this.#state === 'raw text') this.#rawText.end();
  }

  /** @returns Index of the first character that is not read. */
  #read(text: string, at: number): number {
    switch (this.#state) {
      case 'data':
        return this.#readData(text, at);
      case 'tag open':
        return this.#readTagOpen(text, at);
      case 'end tag open':
        return this.#readEndTagOpen(text, at);
      case 'tag name':
        return this.#readTagName(text, at);
      case 'before attribute name':
        return this.#readBeforeAttributeName(text, at);
      case 'attribute name':
        return this.#readAttributeName(text, at);
      case 'after attribute name':
        return this.#readAfterAttributeName(text, at);
      case 'before attribute value':
        return this.#readBeforeAttributeValue(text, at);
      case 'quoted value':
        return this.#readQuotedValue(text, at);
      case 'unquoted value':
        return this.#readUnquotedValue(text, at);
      case 'self-closing':
        return this.#readSelfClosing(text, at);
      case 'raw text':
        return this.#readRawText(text, at);
      case 'markup declaration open':
        return this.#readMarkupDeclarationOpen(text, at);
      case 'markup':
        return this.#readMarkup(text, at);
    }
  }

  /** HTML 13.2.5.1 */
  #readData(text: string, at: number): number {
    const open = text.indexOf('<', this.#skipUnwanted(text, at));
    this.#tellWords(text, at, open === -1 ? text.length : open, false);
    if (open === -1) return text.length;
    this.textRun++;
    this.#offset = this.#before + open;
    this.#state = 'tag open';
    return open + 1 < text.length ? this.#readTagOpen(text, open + 1) : text.length;
  }

  #tellWords(text: string, at: number, end: number, isCdata: boolean): void {
    const { onWords } = this.#handler;
    if (onWords === undefined || this.wantsText === 'none' || at >= end) return;
    if (this.wantsText === 'all' || skipSpace(text, at) < end) {
      onWords(text, at, end, isCdata);
    }
  }

  #skipUnwanted(text: string, at: number): number {
    const unwanted = this.#unwanted;
    if (unwanted === null) return at;
    unwanted.lastIndex = at;
    unwanted.test(text);
    return unwanted.lastIndex;
  }

  /** HTML 13.2.5.6 */
  #readTagOpen(text: string, at: number): number {
    const code = text.charCodeAt(at);
    if (isLetter(code)) {
      this.#isEndTag = false;
      this.#state = 'tag name';
      return this.#readTagName(text, at);
    }
    if (code === solidus) {
      this.#state = 'end tag open';
      return at + 1 < text.length ? this.#readEndTagOpen(text, at + 1) : text.length;
    }
    if (code === exclamationMark) {
      this.#state = 'markup declaration open';
      return at + 1;
    }
    if (code === questionMark) this.#startMarkup('bogus');
    else this.#state = 'data';
    return at;
  }

  /** HTML 13.2.5.7 */
  #readEndTagOpen(text: string, at: number): number {
    const code = text.charCodeAt(at);
    if (isLetter(code)) {
      this.#isEndTag = true;
      this.#state = 'tag name';
      return this.#readTagName(text, at);
    }
    if (code === greaterThanSign) {
      this.#state = 'data';
      return at + 1;
    }
    this.#startMarkup('bogus');
    return at;
  }

  /** HTML 13.2.5.8 */
  #readTagName(text: string, at: number): number {
    const end = tagNameEnd(text, at);
    if (end === text.length) return this.#keepPart(text, at);
    if (this.#part === '') {
      this.#startTag(this.#findTag(text, at, end));
    } else {
      const name = this.#takePart(text, at, end);
      this.#startTag(this.#findTag(name, 0, name.length));
    }
    return this.#readBeforeAttributeName(text, end);
  }

  /** null: not wanted. */
  #findTag(text: string, start: number, end: number): WantedTag | null {
    if (this.#isEndTag && this.#handler.onEndTag === undefined) return null;
    const tag = this.#wanted.find(text, start, end);
    return this.#isEndTag && tag?.needsAttribute ? null : tag;
  }

  #startTag(tag: WantedTag | null): void {
    this.#tag = tag;
    this.#state = 'before attribute name';
    if (tag === null || this.#isEndTag) return;
    this.#attributes = null;
    this.#tooLong = noNames;
  }

  /** Of the name being read, from `at` to the end of the chunk. */
  #keepPart(text: string, at: number): number {
    // One character more than any name that is wanted tells that it is longer.
    if (this.#part.length <= longestName) this.#part += text.slice(at, at + longestName + 1);
    return text.length;
  }

  #takePart(text: string, at: number, end: number): string {
    const name = this.#part + text.slice(at, Math.min(end, at + longestName + 1));
    this.#part = '';
    return name;
  }

  /** Also after a quoted value and after `/`, which differ by parse errors alone (HTML 13.2.5.32, .39 and .40). */
  #readBeforeAttributeName(text: string, start: number): number {
    const wantsAttributes = this.#tag !== null && !this.#isEndTag;
    const at = skipSpace(text, wantsAttributes ? start : skipAttributes(text, start));
    if (at === text.length) return at;
    const code = text.charCodeAt(at);
    if (code === greaterThanSign) return this.#endTag(at, false);
    if (code === solidus) {
      this.#state = 'self-closing';
      return at + 1;
    }
    this.#state = 'attribute name';
    return this.#readAttributeName(text, at);
  }

  /** HTML 13.2.5.33. The first character belongs to the name, even if it is `=`. */
  #readAttributeName(text: string, at: number): number {
    const end = attributeNameEnd(text, this.#part === '' ? at + 1 : at);
    if (end === text.length) return this.#keepPart(text, at);
    this.#state = 'after attribute name';
    if (this.#part === '') {
      this.#startAttribute(text, at, end);
    } else {
      const name = this.#takePart(text, at, end);
      this.#startAttribute(name, 0, name.length);
    }
    return this.#readAfterAttributeName(text, end);
  }

  #startAttribute(text: string, start: number, end: number): void {
    this.#attribute = null;
    if (this.#tag === null || this.#isEndTag) return;
    const name = this.#tag.attributes.find(text, start, end);
    // The first of two attributes with one name counts (HTML 13.2.5.33).
    if (name === null || this.#attributes?.has(name) || this.#tooLong.includes(name)) return;
    this.#attribute = name;
    this.#attributes ??= new Map();
    this.#attributes.set(name, '');
  }

  /** HTML 13.2.5.34 */
  #readAfterAttributeName(text: string, start: number): number {
    const at = skipSpace(text, start);
    if (at === text.length) return at;
    const isValue = text.charCodeAt(at) === equalsSign;
    this.#state = isValue ? 'before attribute value' : 'before attribute name';
    return isValue ? this.#readBeforeAttributeValue(text, at + 1) : at;
  }

  /** HTML 13.2.5.35 */
  #readBeforeAttributeValue(text: string, start: number): number {
    const at = skipSpace(text, start);
    if (at === text.length) return at;
    const code = text.charCodeAt(at);
    if (code === quotationMark || code === apostrophe) {
      this.#quote = code === apostrophe ? "'" : '"';
      this.#state = 'quoted value';
      return this.#readQuotedValue(text, at + 1);
    }
    // The value is missing if the tag ends here.
    this.#state = code === greaterThanSign ? 'before attribute name' : 'unquoted value';
    return code === greaterThanSign ? at : this.#readUnquotedValue(text, at);
  }

  /** HTML 13.2.5.36 and 13.2.5.37 */
  #readQuotedValue(text: string, at: number): number {
    const end = text.indexOf(this.#quote, at);
    if (end === -1) return this.#readValue(text, at, text.length);
    this.#readValue(text, at, end);
    this.#endValue();
    return end + 1;
  }

  /** HTML 13.2.5.38 */
  #readUnquotedValue(text: string, at: number): number {
    const end = unquotedValueEnd(text, at);
    this.#readValue(text, at, end);
    if (end < text.length) this.#endValue();
    return end;
  }

  #readValue(text: string, start: number, end: number): number {
    if (this.#attribute !== null) this.#value.add(text, start, end);
    return end;
  }

  #endValue(): void {
    this.#state = 'before attribute name';
    if (this.#attribute === null) return;
    const value = this.#value.take();
    if (value !== null) {
      this.#attributes?.set(this.#attribute, value);
    } else {
      this.#attributes?.delete(this.#attribute);
      this.#tooLong = [...this.#tooLong, this.#attribute];
    }
  }

  /** HTML 13.2.5.40 */
  #readSelfClosing(text: string, at: number): number {
    if (text.charCodeAt(at) === greaterThanSign) return this.#endTag(at, true);
    this.#state = 'before attribute name';
    return at;
  }

  /** The tag's `>` is at `at`. */
  #endTag(at: number, isSelfClosing: boolean): number {
    const tag = this.#tag;
    this.#state = 'data';
    if (tag === null) return at + 1;
    this.#tag = null;
    const { name } = tag;
    const offset = this.#offset;
    if (this.#isEndTag) {
      this.#handler.onEndTag?.(name, offset);
    } else {
      const attributes = this.#attributes ?? noAttributes;
      const tooLong = this.#tooLong;
      if (tag.needsAttribute && attributes.size === 0 && tooLong.length === 0) return at + 1;
      this.#lastStartTag = tag;
      this.#handler.onStartTag({ name, attributes, tooLong, isSelfClosing, offset });
    }
    return at + 1;
  }

  #readRawText(text: string, at: number): number {
    const end = this.#rawText.find(text, at);
    if (end === -1) return text.length;
    this.#isEndTag = true;
    this.#offset = this.#before + end - this.#rawText.endTagLength;
    this.#startTag(this.#handler.onEndTag === undefined ? null : this.#lastStartTag);
    return end;
  }

  /** HTML 13.2.5.42 */
  #readMarkupDeclarationOpen(text: string, start: number): number {
    for (let at = start; at < text.length; at++) {
      const kind = markupKind(this.#part + text.charAt(at), this.isCdataAllowed);
      if (kind === null) {
        this.#part += text.charAt(at);
        continue;
      }
      this.#part = '';
      this.#startMarkup(kind);
      return kind === 'bogus' ? at : at + 1;
    }
    return text.length;
  }

  #startMarkup(kind: MarkupKind): void {
    this.#markup.start(kind);
    this.#isCdata = kind === 'cdata';
    this.#state = 'markup';
  }

  #readMarkup(text: string, at: number): number {
    const end = this.#markup.find(text, at);
    if (this.#isCdata) this.#tellCdata(text, at, end);
    if (end === -1) return text.length;
    this.#state = 'data';
    return end;
  }

  /** HTML 13.2.5.69 to 13.2.5.71. What may belong to its end waits. @param end -1: not in this chunk */
  #tellCdata(text: string, at: number, end: number): void {
    const piece = this.#part + text.slice(at, end === -1 ? text.length : end);
    const brackets = piece.endsWith(']]') ? 2 : Number(piece.endsWith(']'));
    const length = piece.length - (end === -1 ? brackets : ']]>'.length);
    this.#part = end === -1 ? piece.slice(length) : '';
    this.#tellWords(piece, 0, length, true);
  }
}
