// Decodes a document's bytes. The encoding is determined as early as possible: by the byte order mark, the HTTP header,
// <meta> within the first 1,024 bytes or the rest of the head, or else windows-1252 (HTML 13.2.3.2). Only text that
// depends on the encoding waits for it: leading ASCII bytes mean the same in every encoding of a page and are passed on
// at once, so that references in the first segment are found before the second arrives.

import { isAscii } from 'node:buffer';
import { createRequire } from 'node:module';
import { byteOrderMark, decoderFor, type StreamDecoder } from './stream-decoder.ts';
import { contentModelOf } from './tokens/content-model.ts';
import { type StartTag, Tokenizer } from './tokens/tokenizer.ts';

type Sniffing = typeof import('encoding-sniffer/sniffer');

let sniffing: Sniffing | null = null;

const fallback = 'windows-1252';
const prescanBytes = 1024;
const shiftByte = 0x1b; // begins a shift in ISO-2022-JP, so it does not count as ASCII

export class CharsetDecoder {
  readonly #declared: string | null;
  #decoder: StreamDecoder | null = null;
  /** The first bytes, for the prescan. */
  #prefix: Uint8Array = new Uint8Array(0);
  /** Received bytes, up to the largest head, that have not been scanned for a late <meta>. */
  #unread: Uint8Array[] = [];
  #readable = mostHeadBytes;
  #head: HeadCharset | null = null;
  /** Bytes that have not been passed on yet. */
  #held: Uint8Array = new Uint8Array(0);
  /** Bytes after `#held` that wait until the encoding is known. */
  #waiting: Uint8Array[] = [];
  /** Result of the prescan; undefined: some of its bytes have not arrived yet. */
  #prescanned: StreamDecoder | null | undefined;
  /** Encoding from a <meta> that follows the prescanned bytes. */
  #late: StreamDecoder | null = null;
  #bomChecked = false;
  #ended = false;

  /** @param declared charset parameter of Content-Type; null: it has none. */
  constructor(declared: string | null) {
    this.#declared = declared;
  }

  /** WHATWG name of the encoding; null: it is not determined yet. */
  get charset(): string | null {
    if (this.#decoder !== null) return this.#decoder.encoding;
    if (!this.#bomChecked) return this.#ended ? fallback : null;
    return this.#detect(this.#ended)?.encoding ?? null;
  }

  write(bytes: Uint8Array): string {
    if (bytes.length === 0) return '';
    if (this.#decoder !== null) return this.#decoder.write(bytes);
    if (this.#prefix.length < prescanBytes) {
      this.#prefix = concat(this.#prefix, bytes.subarray(0, prescanBytes - this.#prefix.length));
    }
    if (this.#readable > 0) {
      this.#unread.push(bytes.slice(0, this.#readable));
      this.#readable = Math.max(0, this.#readable - bytes.length);
    }
    if (this.#held.length > 0 && this.#bomChecked) {
      this.#waiting.push(bytes.slice());
      return this.#decide(this.#detect(false));
    }
    this.#held = concat(this.#held, bytes);
    return this.#advance(false);
  }

  end(): string {
    this.#ended = true;
    const rest = this.#decoder === null ? this.#advance(true) : '';
    return rest + (this.#decoder?.end() ?? '');
  }

  #advance(last: boolean): string {
    if (!this.#bomChecked) {
      const [first] = this.#held;
      const mayBeBom = first === 0xef || first === 0xfe || first === 0xff;
      if (mayBeBom && this.#held.length < 3 && !last) return '';
      this.#bomChecked = true;
      const label = byteOrderMark(this.#held) ?? this.#declared;
      const declared = decoderFor(label);
      if (declared !== null) return this.#decide(declared);
    }
    const end = firstNotAscii(this.#held);
    const ascii = end === -1 ? this.#held : this.#held.subarray(0, end);
    const text = Buffer.from(ascii.buffer, ascii.byteOffset, ascii.length).toString('latin1');
    this.#held = end === -1 ? new Uint8Array(0) : this.#held.subarray(end);
    if (end === -1) return text;
    return text + this.#decide(this.#detect(last));
  }

  /** @param last No more bytes follow. @returns null: more bytes are needed. */
  #detect(last: boolean): StreamDecoder | null {
    const isWhole = this.#prefix.length === prescanBytes;
    const told =
      this.#prescanned === undefined ? decoderFor(prescan(this.#prefix)) : this.#prescanned;
    if (isWhole) this.#prescanned = told;
    if (told !== null) return told;
    if (!isWhole) return last ? decoderFor(fallback) : null;
    if (this.#late !== null) return this.#late;
    this.#head ??= new HeadCharset();
    for (const bytes of this.#unread.splice(0)) {
      this.#head.write(
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'),
      );
    }
    for (const label of this.#head.labels.splice(0)) {
      this.#late ??= decoderFor(declaredByMeta(label));
    }
    return this.#late ?? (last || this.#head.isOver ? decoderFor(fallback) : null);
  }

  /** @param decoder null: the encoding is not determined yet. @returns The text that waited for it. */
  #decide(decoder: StreamDecoder | null): string {
    if (decoder === null) return '';
    this.#decoder = decoder;
    const held = Buffer.concat([this.#held, ...this.#waiting.splice(0)]);
    this.#held = new Uint8Array(0);
    this.#unread = [];
    this.#head = null;
    return decoder.write(held);
  }
}

/** Replaces x-user-defined, and UTF-16, which a <meta> readable as ASCII cannot have (HTML 13.2.3.2). */
function declaredByMeta(label: string): string {
  if (/^(?:utf-?16|ucs-2|unicode|iso-10646)/i.test(label)) return 'utf-8';
  return label === 'x-user-defined' ? fallback : label;
}

/** The charset parameter of a Content-Type value; null if there is none. */
export function charsetParameter(contentType: string): string | null {
  const match = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType);
  return match?.[1] ?? match?.[2] ?? null;
}

/** Index of the first byte whose meaning depends on the encoding; -1: none. */
function firstNotAscii(bytes: Uint8Array): number {
  if (isAscii(bytes) && !bytes.includes(shiftByte)) return -1;
  return bytes.findIndex((byte) => byte >= 0x80 || byte === shiftByte);
}

/**
 * The encoding of <meta> in the first bytes. The sniffer is loaded on demand, because most pages declare their encoding
 * or are ASCII.
 */
function prescan(bytes: Uint8Array): string | null {
  sniffing ??= createRequire(import.meta.url)('encoding-sniffer/sniffer') as Sniffing;
  const sniffer = new sniffing.Sniffer({ maxBytes: prescanBytes });
  sniffer.write(bytes);
  return sniffer.resultType === sniffing.ResultType.DEFAULT ? null : sniffer.encoding;
}

function concat(left: Uint8Array, right: Uint8Array): Uint8Array {
  return left.length === 0 ? right : Buffer.concat([left, right]);
}

/** Elements whose start tag leaves the head open. */
const inHead = new Set('base head html link meta noscript object script style title'.split(' '));

/** Elements after whose end tag the head may still be open. */
const closedInHead = new Set([...inHead].filter((name) => name !== 'head' && name !== 'html'));

/** Length of the head after which a <meta> charset is ignored, bytes. */
const mostHeadBytes = 256 * 1024;

const attributes = new Set(['charset', 'http-equiv', 'content']);

/**
 * Finds a <meta> charset after the first 1,024 bytes while the head is open. Like browsers, the decoder waits for it
 * until the first tag that cannot be in a head; in the body it has no effect. (HTML 13.2.3.4 allows a parser to change
 * its encoding or to start over; Chromium does neither.)
 */
class HeadCharset {
  /** Labels in document order; a label of an unknown encoding has no effect. */
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

  /** Whether the head has ended, so that later text has no effect. */
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
