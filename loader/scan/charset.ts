// Decodes a document's bytes. The encoding is determined as early as possible: by the byte order mark, the HTTP header,
// <meta> within the first 1,024 bytes or the rest of the head, or else windows-1252 (HTML 13.2.3.2, Chromium 156). Only
// text that depends on the encoding waits for it: leading ASCII bytes mean the same in every encoding of a page and are
// passed on at once, so that references in the first segment are found before the second arrives.

import { isAscii } from 'node:buffer';
import type { TextDecoder } from 'node:util';
import { byteOrderMark, decoderFor } from './text-decoder.ts';
import { type StartTag, Tokenizer } from './tokenizer.ts';

const fallback = 'windows-1252';
const shiftByte = 0x1b; // ESC begins a shift in ISO-2022-JP, so it does not count as ASCII

export class CharsetDecoder {
  readonly #declared: string | null;
  readonly #head = new HeadCharset();
  #decoder: TextDecoder | null = null;
  /** Received bytes whose text `write` has not returned yet, as it depends on the encoding. */
  #held: Buffer = Buffer.alloc(0);
  /** Received bytes, later than `#held`, that wait until the encoding is known. */
  readonly #waiting: Uint8Array[] = [];
  #bomChecked = false;
  #ended = false;

  /** @param declared charset parameter of Content-Type; null: it has none. */
  constructor(declared: string | null) {
    this.#declared = declared;
  }

  /** WHATWG name of the encoding; null: it is not determined yet. */
  get charset(): string | null {
    return this.#decoder?.encoding ?? (this.#ended ? fallback : null);
  }

  write(bytes: Uint8Array): string {
    if (this.#decoder !== null) return this.#decoder.decode(bytes, { stream: true });
    if (bytes.length === 0 && !this.#ended) return '';
    this.#waiting.push(Uint8Array.from(bytes));
    if (this.#bomChecked) {
      this.#head.write(bytes);
      if (this.#held.length > 0 && !this.#head.isOver && !this.#ended) return '';
    }
    this.#held = Buffer.concat([this.#held, ...this.#waiting.splice(0)]);
    if (!this.#bomChecked) {
      const [first = 0] = this.#held;
      const mayBeMark = first === 0xef || first === 0xfe || first === 0xff;
      if (mayBeMark && this.#held.length < 3 && !this.#ended) return '';
      this.#bomChecked = true;
      this.#decoder = decoderFor(byteOrderMark(this.#held) ?? this.#declared);
      if (this.#decoder === null) this.#head.write(this.#held);
    }
    if (this.#decoder === null && this.#head.isOver) {
      this.#decoder = decoderFor(this.#head.label ?? fallback);
    }
    return this.#passOn();
  }

  end(): string {
    this.#ended = true;
    const rest = this.write(new Uint8Array(0));
    this.#decoder ??= this.#held.length > 0 ? decoderFor(fallback) : null;
    return rest + this.#passOn() + (this.#decoder?.decode() ?? '');
  }

  /** Decodes and removes from `#held` all bytes, or leading ASCII until the encoding is known. @returns Their text */
  #passOn(): string {
    const held = this.#held;
    const decoder = this.#decoder;
    const end = decoder === null ? lengthOfAscii(held) : held.length;
    this.#held = held.subarray(end);
    return decoder?.decode(held, { stream: true }) ?? held.toString('latin1', 0, end);
  }
}

/** Returns the number of leading bytes whose meaning does not depend on the encoding. */
function lengthOfAscii(bytes: Uint8Array): number {
  const end =
    isAscii(bytes) && !bytes.includes(shiftByte)
      ? -1
      : bytes.findIndex((byte) => byte >= 0x80 || byte === shiftByte);
  return end === -1 ? bytes.length : end;
}

/** Elements whose start tag leaves the head open. */
const inHead = new Set('base head html link meta noscript object script style title'.split(' '));

/** Elements after whose end tag the head may still be open. */
const closedInHead = new Set([...inHead].filter((name) => name !== 'head' && name !== 'html'));

/** A <meta> within this many bytes of the start may name the encoding, even outside the head. */
const prescanBytes = 1024;
/** A <meta> beyond this many bytes of the document is ignored, even in the head. */
const mostHeadBytes = 256 * 1024;

const charsetInContent =
  /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"']+))/i;

/**
 * Finds the encoding that a <meta> names. Like Chromium, it waits for the <meta> until 1,024 bytes and a tag that
 * cannot be in a head have arrived. (HTML 13.2.3.4 allows a parser to change its encoding later or to start over;
 * Chromium does neither.)
 */
class HeadCharset {
  /** The first known encoding that a <meta> names; null: none has been found. */
  label: string | null = null;
  readonly #tokenizer = new Tokenizer({
    onStartTag: (tag) => this.#open(tag),
    onEndTag: (name) => {
      this.#isInHead &&= closedInHead.has(name);
    },
  });
  #isInHead = true;
  #read = 0;

  /** Whether no tag that follows can name the encoding any more. */
  get isOver(): boolean {
    if (this.label !== null || this.#read >= mostHeadBytes) return true;
    return !this.#isInHead && this.#read >= prescanBytes;
  }

  write(bytes: Uint8Array): void {
    // One character stands for each byte, since the tags that are looked for are ASCII.
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    const cut = Math.max(0, prescanBytes - this.#read);
    const most = Math.max(0, mostHeadBytes - this.#read);
    for (const piece of [text.slice(0, cut), text.slice(cut, most)]) {
      if (this.isOver) return;
      this.#read += piece.length;
      this.#tokenizer.write(piece);
    }
  }

  #open({ name, attributes }: StartTag): void {
    this.#isInHead &&= inHead.has(name);
    const isInTime = this.#read <= prescanBytes || this.#isInHead;
    if (name !== 'meta' || !isInTime || this.label !== null) return;
    const isContentType = attributes.get('http-equiv')?.toLowerCase() === 'content-type';
    const match = charsetInContent.exec(isContentType ? (attributes.get('content') ?? '') : '');
    const written = attributes.get('charset') ?? match?.[1] ?? match?.[2] ?? match?.[3] ?? '';
    const label = replaced(written.trim().toLowerCase());
    if (decoderFor(label) === null) return;
    this.label = label;
  }
}

/** Replaces UTF-16, in which no <meta> could be read here, by UTF-8, x-user-defined by windows-1252 (HTML 13.2.3.2). */
function replaced(label: string): string {
  if (/^(?:utf-?16|ucs-2|unicode|iso-10646)/.test(label)) return 'utf-8';
  return label === 'x-user-defined' ? fallback : label;
}
