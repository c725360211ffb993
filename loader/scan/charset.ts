// Bytes to text, with the encoding decided as early as anything tells it: byte order mark, then the
// HTTP header, then <meta> within the first 1,024 bytes, then windows-1252 (HTML 13.2.3.2). Nothing
// waits for the decision that does not depend on it: until it falls, leading ASCII bytes, which mean
// the same in every encoding a page can have, are handed on at once, so the references in the first
// segment are found while the first segment is all there is.

import { isAscii } from 'node:buffer';
import { createRequire } from 'node:module';
import type { Sniffer } from 'encoding-sniffer/sniffer';
import { StreamDecoder } from './stream-decoder.ts';

const prescanBytes = 1024;
const shiftByte = 0x1b; // begins a shift in ISO-2022-JP, so it is not plain ASCII

export class CharsetDecoder {
  readonly #declared: string | null;
  #decoder: StreamDecoder | null = null;
  /** The first bytes, for the prescan. */
  #prefix: Uint8Array = new Uint8Array(0);
  /** Bytes not yet handed on. */
  #held: Uint8Array = new Uint8Array(0);
  #bomChecked = false;
  #ended = false;

  /** @param declared charset parameter of the Content-Type header, or null. */
  constructor(declared: string | null) {
    this.#declared = declared;
  }

  /** WHATWG name of the encoding; null while nothing told it. */
  get charset(): string | null {
    if (this.#decoder !== null) return this.#decoder.encoding;
    if (this.#bomChecked) {
      const told = decoderFor(prescan(this.#prefix));
      if (told !== null) return told.encoding;
    }
    return this.#ended || this.#prefix.length === prescanBytes ? 'windows-1252' : null;
  }

  write(bytes: Uint8Array): string {
    if (bytes.length === 0) return '';
    if (this.#decoder !== null) return this.#decoder.write(bytes);
    if (this.#prefix.length < prescanBytes) {
      this.#prefix = concat(this.#prefix, bytes.subarray(0, prescanBytes - this.#prefix.length));
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
      if (label !== null && this.#decide(label)) return this.#drain();
    }
    const end = firstNotAscii(this.#held);
    const ascii = end === -1 ? this.#held : this.#held.subarray(0, end);
    const text = Buffer.from(ascii.buffer, ascii.byteOffset, ascii.length).toString('latin1');
    this.#held = end === -1 ? new Uint8Array(0) : this.#held.subarray(end);
    if (end === -1) return text;
    const label = prescan(this.#prefix);
    if (label === null && this.#prefix.length < prescanBytes && !last) return text;
    if (label === null || !this.#decide(label)) this.#decide('windows-1252');
    return text + this.#drain();
  }

  #drain(): string {
    const held = this.#held;
    this.#held = new Uint8Array(0);
    return this.#decoder?.write(held) ?? '';
  }

  #decide(label: string): boolean {
    this.#decoder = decoderFor(label);
    return this.#decoder !== null;
  }
}

/** null for a label nobody knows: it tells nothing. */
function decoderFor(label: string | null): StreamDecoder | null {
  if (label === null) return null;
  try {
    return new StreamDecoder(label);
  } catch {
    return null;
  }
}

/** The charset parameter of a Content-Type value; null when it has none. */
export function charsetParameter(contentType: string): string | null {
  const match = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType);
  return match?.[1] ?? match?.[2] ?? null;
}

/** Place of the first byte whose meaning depends on the encoding; -1: none. */
function firstNotAscii(bytes: Uint8Array): number {
  if (isAscii(bytes) && !bytes.includes(shiftByte)) return -1;
  return bytes.findIndex((byte) => byte >= 0x80 || byte === shiftByte);
}

function byteOrderMark(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return null;
}

/** What <meta> says in the first bytes. Loaded when a page needs it: most declare, or are ASCII. */
function prescan(bytes: Uint8Array): string | null {
  const require = createRequire(import.meta.url);
  const module = require('encoding-sniffer/sniffer') as typeof import('encoding-sniffer/sniffer');
  const sniffer: Sniffer = new module.Sniffer({ maxBytes: prescanBytes });
  sniffer.write(bytes);
  return sniffer.resultType === module.ResultType.DEFAULT ? null : sniffer.encoding;
}

function concat(left: Uint8Array, right: Uint8Array): Uint8Array {
  return left.length === 0 ? right : Buffer.concat([left, right]);
}
