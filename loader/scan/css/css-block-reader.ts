// Reads the structure of a style sheet: blocks, what stands before them, and what ends in a semicolon (CSS Syntax 3,
// 5). It reads each character once and keeps only the piece that is still open. Values are not read here.

import { isSpace } from '../tokens/characters.ts';
import { simpleTextEnd, unwantedDeclarationsEnd, unwantedRulesEnd } from './spans.ts';

export interface BlockHandlers {
  /** A block opens. @param prelude null: it was too long to be kept */
  open(prelude: string | null, offset: number): void;
  close(): void;
  /** A declaration, or an at-rule without a block. Comments in it are empty. */
  statement(text: string, offset: number): void;
}

/** Of a prelude or a declaration, in characters. */
const longest = 64 * 1024;
/** Of brackets in a value, and of blocks. Deeper ones are not counted, which no page has. */
const deepest = 1_000;

type State = 'start' | 'text' | 'string' | 'comment' | 'url start' | 'url';

const quotation = 0x22;
const apostrophe = 0x27;
const openParenthesis = 0x28;
const closeParenthesis = 0x29;
const hyphen = 0x2d;
const solidus = 0x2f;
const semicolon = 0x3b;
const lessThan = 0x3c;
const at = 0x40;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

const isSpecial = new Uint8Array(128);
for (const character of '"\'()/;[\\]{}') isSpecial[character.charCodeAt(0)] = 1;

/** `url` and nothing of a name before it. */
const endsInUrl = /(?:^|[^-\w\u0080-\uffff\\])url$/i;
const beginsLikeData = /^data:/i;
const beginsLikeCustomProperty = /^--[^\s:;{}()"']*(?:\s|\/\*\*\/)*:/;

export class CssBlockReader {
  /** The consumer does not want to know of rules that have nothing to read. */
  passesOverRules = false;
  readonly #handlers: BlockHandlers;
  #state: State = 'start';
  /** Where a comment leads back to. */
  #afterComment: 'start' | 'text' = 'start';
  /** The end of a chunk that means nothing alone. */
  #held = '';
  /** Of the first character that is not read. */
  #position = 0;
  #depth: number;
  readonly #isInside: boolean;
  #isAfterBlock = false;
  /** Closing characters that are due in the open piece. */
  readonly #brackets: number[] = [];
  #quote = 0;
  /** The open piece. */
  #kept = '';
  #tail = '';
  #isTooLong = false;
  #first = -1;
  #offset = 0;
  /** null: not yet asked. */
  #isCustom: boolean | null = null;
  /** The open string or unquoted URL. */
  #token = '';
  #isData = false;

  /** @param isInside It has declarations alone, as a style attribute; braces are nothing special in it. */
  constructor(handlers: BlockHandlers, isInside = false) {
    this.#handlers = handlers;
    this.#isInside = isInside;
    this.#depth = isInside ? 1 : 0;
  }

  write(chunk: string): void {
    this.#read(chunk, false);
  }

  /** The end closes all that is open (CSS Syntax 3, 5.4). */
  end(): void {
    this.#read('', true);
    if (this.#state === 'string' || this.#state === 'url') this.#endToken();
    if (this.#state !== 'start' && (this.#depth > 0 || this.#first === at)) this.#statement();
    if (this.#isInside) return;
    for (; this.#depth > 0; this.#depth--) this.#handlers.close();
  }

  #read(chunk: string, isLast: boolean): void {
    const text = this.#held + chunk;
    this.#held = '';
    let index = 0;
    while (index < text.length) {
      const state = this.#state;
      const next = this.#step(text, index, isLast);
      if (next === index && state === this.#state) break; // what follows decides
      index = next;
    }
    this.#held = text.slice(index);
    this.#position += index;
  }

  /** @returns Index of what is read next */
  #step(text: string, index: number, isLast: boolean): number {
    switch (this.#state) {
      case 'start':
        return this.#start(text, index, isLast);
      case 'text':
        return this.#text(text, index, isLast);
      case 'comment': {
        const end = text.indexOf('*/', index);
        if (end === -1) return text.length - (text.endsWith('*') && !isLast ? 1 : 0);
        this.#state = this.#afterComment;
        return end + 2;
      }
      case 'url start':
        return this.#startUrl(text, index);
      case 'string':
      case 'url':
        return this.#inToken(text, index, isLast);
    }
  }

  #start(text: string, from: number, isLast: boolean): number {
    let index = this.#passOver(text, from);
    while (index < text.length && isSpace(text.charCodeAt(index))) index++;
    if (index === text.length) return index;
    const code = text.charCodeAt(index);
    const isTop = this.#depth === 0;
    if (code === 0xfeff && this.#position + index === 0) return index + 1;
    if (code === solidus || (isTop && (code === lessThan || code === hyphen))) {
      const due = code === solidus ? '/*' : code === lessThan ? '<!--' : '-->';
      const there = text.slice(index, index + due.length);
      if (there === due) {
        if (code === solidus) this.#comment('start');
        return index + due.length;
      }
      if (!isLast && due.startsWith(there)) return index;
    }
    if (!isTop && code === semicolon) return index + 1;
    if (!isTop && !this.#isInside && code === closeBrace) {
      this.#close();
      return index + 1;
    }
    this.#first = code;
    this.#offset = this.#position + index;
    this.#state = 'text';
    return index;
  }

  /** After a block most likely another one begins, elsewhere a declaration. */
  #passOver(text: string, from: number): number {
    if (this.#isInside) return from;
    if (this.#isAfterBlock) return this.passesOverRules ? unwantedRulesEnd(text, from) : from;
    return this.#depth > 0 ? unwantedDeclarationsEnd(text, from) : from;
  }

  #comment(after: 'start' | 'text'): void {
    this.#state = 'comment';
    this.#afterComment = after;
  }

  #text(text: string, from: number, isLast: boolean): number {
    const isStart = this.#position + from === this.#offset;
    let index = isStart ? simpleTextEnd(text, from) : from;
    for (; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code > 0x7d || isSpecial[code] === 0) continue;
      if (code === backslash || code === solidus) {
        const isWhole = isLast || index + 1 + this.#escapedLength(text, index) <= text.length;
        if (!isWhole) break;
        if (code === backslash) {
          index += this.#escapedLength(text, index);
        } else if (text[index + 1] === '*') {
          this.#keep(text.slice(from, index));
          this.#keep('/**/');
          this.#comment('text');
          return index + 2;
        }
      } else if (this.#punctuate(code, text, from, index)) {
        return index + 1;
      }
    }
    const end = Math.min(index, text.length);
    if (end > from) this.#keep(text.slice(from, end));
    return end;
  }

  /** CR LF is one newline. Beyond the text: not yet known. */
  #escapedLength(text: string, index: number): number {
    const isReturn = text.charCodeAt(index) === backslash && text[index + 1] === '\r';
    if (!isReturn) return 1;
    return index + 2 < text.length && text[index + 2] !== '\n' ? 1 : 2;
  }

  /** @returns Whether the character ends what was being read */
  #punctuate(code: number, text: string, from: number, index: number): boolean {
    const isOpen = this.#brackets.length > 0;
    switch (code) {
      case quotation:
      case apostrophe:
        this.#keep(text.slice(from, index + 1));
        this.#quote = code;
        this.#startToken('string');
        return true;
      case openParenthesis: {
        const before = index - from >= 4 ? '' : this.#tail;
        if (endsInUrl.test(before + text.slice(Math.max(from, index - 4), index))) {
          this.#keep(text.slice(from, index + 1));
          this.#state = 'url start';
          return true;
        }
        this.#push(closeParenthesis);
        return false;
      }
      case openBracket:
        this.#push(closeBracket);
        return false;
      case openBrace:
        this.#keep(text.slice(from, index));
        if (isOpen || this.#isInside || this.#isInCustomProperty()) {
          this.#push(closeBrace);
          this.#keep('{');
        } else {
          this.#open();
        }
        return true;
      case semicolon:
        if (isOpen || (this.#depth === 0 && this.#first !== at)) return false;
        this.#keep(text.slice(from, index));
        this.#statement();
        return true;
      default: // a closing bracket
        if (isOpen) {
          if (this.#brackets.at(-1) === code) this.#brackets.pop();
          return false;
        }
        if (code !== closeBrace || this.#depth === 0 || this.#isInside) return false;
        this.#keep(text.slice(from, index));
        this.#statement();
        this.#close();
        return true;
    }
  }

  #push(closing: number): void {
    if (this.#brackets.length < deepest) this.#brackets.push(closing);
  }

  /** Only their values may have blocks (CSS Syntax 3, 5.5.6). */
  #isInCustomProperty(): boolean {
    this.#isCustom ??= this.#first === hyphen && beginsLikeCustomProperty.test(this.#kept);
    return this.#isCustom;
  }

  #startUrl(text: string, from: number): number {
    let index = from;
    while (index < text.length && isSpace(text.charCodeAt(index))) index++;
    if (index === text.length) return index;
    const code = text.charCodeAt(index);
    if (code === quotation || code === apostrophe) {
      this.#push(closeParenthesis);
      this.#state = 'text';
    } else {
      this.#startToken('url');
    }
    return index;
  }

  #startToken(state: 'string' | 'url'): void {
    this.#state = state;
    this.#token = '';
    this.#isData = false;
  }

  #inToken(text: string, from: number, isLast: boolean): number {
    const isString = this.#state === 'string';
    const closing = isString ? this.#quote : closeParenthesis;
    let index = from;
    for (; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code === backslash) {
        const length = this.#escapedLength(text, index);
        if (!isLast && index + length >= text.length) break;
        index += length;
      } else if (code === closing) {
        this.#keepOfToken(text.slice(from, index + 1));
        this.#endToken();
        return index + 1;
      } else if (isString && (code === 0x0a || code === 0x0d || code === 0x0c)) {
        // A newline ends a string, which is then a bad one (CSS Syntax 3, 4.3.5).
        this.#keepOfToken(text.slice(from, index));
        this.#endToken();
        return this.#text(text, index, isLast);
      }
    }
    const end = Math.min(index, text.length);
    this.#keepOfToken(text.slice(from, end));
    return end;
  }

  /** Of a data: URL only the scheme is kept, since nobody fetches it. */
  #keepOfToken(piece: string): void {
    if (this.#isData) return;
    const isShort = this.#token.length < 5;
    this.#token += piece;
    if (isShort && this.#token.length >= 5 && beginsLikeData.test(this.#token)) {
      this.#isData = true;
      this.#token = 'data:';
    } else if (this.#token.length > longest) {
      this.#keep(this.#token);
      this.#token = '';
    }
  }

  #endToken(): void {
    const isUrl = this.#state === 'url';
    this.#state = 'text';
    if (this.#isData) this.#token += isUrl ? ')' : String.fromCharCode(this.#quote);
    this.#keep(this.#token);
    this.#token = '';
  }

  #keep(piece: string): void {
    if (this.#isTooLong || piece === '') return;
    if (this.#kept.length + piece.length > longest) {
      this.#isInCustomProperty();
      this.#isTooLong = true;
      this.#kept = '';
      return;
    }
    this.#kept = this.#kept === '' ? piece : this.#kept + piece;
    this.#tail = piece.length >= 4 ? piece.slice(-4) : (this.#tail + piece).slice(-4);
  }

  /** What was open is complete. @returns null: it was too long */
  #take(): string | null {
    const text = this.#isTooLong ? null : this.#kept;
    this.#kept = '';
    this.#tail = '';
    this.#isTooLong = false;
    this.#isCustom = null;
    this.#first = -1;
    this.#brackets.length = 0;
    this.#state = 'start';
    return text;
  }

  #statement(): void {
    const text = this.#take();
    this.#isAfterBlock = false;
    if (text !== null) this.#handlers.statement(text, this.#offset);
  }

  #open(): void {
    this.#depth++;
    this.#isAfterBlock = false;
    this.#handlers.open(this.#take(), this.#offset);
  }

  #close(): void {
    this.#depth--;
    this.#isAfterBlock = true;
    this.#handlers.close();
  }
}
