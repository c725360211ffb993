// Decodes a style sheet's bytes. The encoding is that of its byte order mark, its Content-Type, its @charset, or its
// document, in this order (CSS Syntax 3, 3.2).

import { byteOrderMark, decoderFor, StreamDecoder } from '../stream-decoder.ts';

/** An @charset rule counts only if it ends within this many bytes. */
const mostRuleBytes = 1024;
const ruleStart = '@charset "';
const rule = /^@charset "([^"]*)";/;

export class SheetDecoder {
  readonly #declared: string | null;
  readonly #environment: string;
  #decoder: StreamDecoder | null = null;
  /** The first bytes, until the encoding is known. */
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
    if (this.#decoder !== null) return this.#decoder.write(bytes);
    this.#first = Buffer.concat([this.#first, bytes]);
    return this.#mayBeUndecided() ? '' : this.#decide();
  }

  end(): string {
    return this.#decide() + (this.#decoder?.end() ?? '');
  }

  #mayBeUndecided(): boolean {
    const { length } = this.#first;
    if (length < 3) return true; // these may be the start of a byte order mark
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
      new StreamDecoder('utf-8');
    return this.#decoder.write(first);
  }
}

/** The encoding that @charset names. UTF-16 stands for UTF-8, because the rule was readable as ASCII. */
function ruleCharset(first: Buffer): string | null {
  const label = rule.exec(first.toString('latin1', 0, mostRuleBytes))?.[1] ?? null;
  return label !== null && /^\s*utf-?16/i.test(label) ? 'utf-8' : label;
}
