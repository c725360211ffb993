// Finds the decoder for an encoding label, and the labels that a page or response states; decodes style sheets.

import { createRequire } from 'node:module';
import { TextDecoder } from 'node:util';

/**
 * Encodings for which Node's own decoder throws when malformed bytes of one chunk yield more characters than the next
 * chunk has bytes (ERR_ENCODING_INVALID_ENCODED_DATA). Another decoder is loaded for them.
 */
const severalBytes = /^(?:gb18030|gbk|big5|euc-jp|euc-kr|shift_jis|iso-2022-jp)$/;

/** Returns the decoder for an encoding label; null if there is no label, or an unknown one, which is ignored. */
export function decoderFor(label: string | null): TextDecoder | null {
  if (label === null || label === '') return null;
  try {
    const decoder = new TextDecoder(label);
    if (!severalBytes.test(decoder.encoding)) return decoder;
    const require = createRequire(import.meta.url);
    const bytes = require('@exodus/bytes/encoding.js') as { TextDecoder: typeof TextDecoder };
    return new bytes.TextDecoder(decoder.encoding);
  } catch {
    return null;
  }
}

/** Returns the encoding that a byte order mark states; null: there is none. */
export function byteOrderMark(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return null;
}

/** Returns the charset parameter of a Content-Type value; null if there is none. */
export function charsetParameter(contentType: string): string | null {
  const match = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType);
  return match?.[1] ?? match?.[2] ?? null;
}

/** An @charset rule counts only if it ends within this many bytes. */
const mostRuleBytes = 1024;
const ruleStart = '@charset "';
const rule = /^@charset "([^"]*)";/;

/**
 * Decodes a style sheet's bytes. The encoding is that of its byte order mark, its Content-Type, its @charset, or its
 * document, in this order (CSS Syntax 3, 3.2).
 */
export class SheetDecoder {
  readonly #declared: string | null;
  readonly #environment: string;
  #decoder: TextDecoder | null = null;
  /** The first bytes of the style sheet, kept until its encoding is known. */
  #first: Buffer = Buffer.alloc(0);

  /**
   * @param declared charset parameter of Content-Type, or null
   * @param environment encoding of the document, by name
   */
  constructor(declared: string | null, environment: string) {
    this.#declared = declared;
    this.#environment = environment;
  }

  write(bytes: Uint8Array): string {
    if (this.#decoder !== null) return this.#decoder.decode(bytes, { stream: true });
    this.#first = Buffer.concat([this.#first, bytes]);
    return this.#mayBeUndecided() ? '' : this.#decide();
  }

  end(): string {
    return this.#decide() + (this.#decoder?.decode() ?? '');
  }

  #mayBeUndecided(): boolean {
    const { length } = this.#first;
    if (length < 3) return true; // one or two bytes may begin a byte order mark
    const text = this.#first.toString('latin1', 0, mostRuleBytes);
    if (length < ruleStart.length) return ruleStart.startsWith(text);
    return length < mostRuleBytes && text.startsWith(ruleStart) && !rule.test(text);
  }

  #decide(): string {
    if (this.#decoder !== null) return '';
    const first = this.#first;
    this.#first = Buffer.alloc(0);
    this.#decoder =
      decoderFor(byteOrderMark(first)) ??
      decoderFor(this.#declared) ??
      decoderFor(ruleCharset(first)) ??
      decoderFor(this.#environment) ??
      new TextDecoder('utf-8');
    return this.#decoder.decode(first, { stream: true });
  }
}

/** Returns the label in @charset; UTF-8 in place of UTF-16, because the rule was readable as ASCII. */
function ruleCharset(first: Buffer): string | null {
  const label = rule.exec(first.toString('latin1', 0, mostRuleBytes))?.[1] ?? null;
  return label !== null && /^\s*utf-?16/i.test(label) ? 'utf-8' : label;
}
