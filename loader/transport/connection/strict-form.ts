// Rewrites a response with one of nine faults that browsers tolerate into a form that undici's strict parser accepts.
// It is used for a second attempt on a separate connection, whose only response this is, so that nothing can be taken
// for a part of another response. Any other fault is passed on unchanged, for the parser to reject.

import { type HeaderPair, isNamed } from '../../../http/header-pairs.ts';

/** Names of the nine faults of responses that are corrected here; the record of a resource lists them (`quirks`). */
const quirk = {
  bareLf: 'line ends without CR',
  chunkSize: 'white space behind a chunk size',
  fold: 'a folded field',
  sameLengths: 'Content-Length more than once',
  chunkedLength: 'Content-Length beside chunked',
  emptyLength: 'an empty Content-Length',
  noColon: 'a header line without a colon',
  spaceBeforeColon: 'white space before a colon',
  control: 'a control character in a field value',
};

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const framing = /^(?:content-length|transfer-encoding)$/i;
/** Matches control characters other than tab; a header line with NUL is not corrected, and never gets here. */
const controls = /[^\t\x20-\x7e\x80-\xff]/g;
const chunkSize = /^([0-9a-f]{1,16})([ \t]*)(;[^\r\n]*)?\r?\n$/i;

export class StrictForm {
  readonly #isHead: boolean;
  readonly #maxHeaderBytes: number;
  readonly #quirks: string[];
  #step: 'head' | 'size' | 'end of chunk' | 'trailers' = 'head';
  /** Number of the next received bytes to pass on unchanged: the content of a chunk, or Infinity: all that follow. */
  #asTheyCome = 0;
  /** The header or trailer section being received: its complete lines with line ends, and the start of the next. */
  #lines: string[] = [];
  #line = '';
  #held = 0;

  /**
   * @param isHead Whether the response answers a HEAD request, so that no body follows.
   * @param maxHeaderBytes Limit on the bytes that are held back until the end of a section.
   * @param quirks Receives the name of each corrected fault once.
   */
  constructor(isHead: boolean, maxHeaderBytes: number, quirks: string[]) {
    this.#isHead = isHead;
    this.#maxHeaderBytes = maxHeaderBytes;
    this.#quirks = quirks;
  }

  /** Corrects received bytes. @returns The bytes for the parser; empty: a line or section is not complete yet. */
  write(chunk: Buffer): Buffer {
    const parts: Buffer[] = [];
    for (let at = 0; at < chunk.length; ) {
      let end = at + this.#asTheyCome;
      if (end > at) {
        const part = chunk.subarray(at, end);
        parts.push(part);
        this.#asTheyCome -= part.length;
        end = at + part.length;
      } else {
        end = chunk.indexOf('\n', at) + 1;
        const isWhole = end > 0;
        if (!isWhole) end = chunk.length;
        this.#line += chunk.toString('latin1', at, end);
        this.#held += end - at;
        if (this.#held > this.#maxHeaderBytes) parts.push(Buffer.from(this.#giveUp(), 'latin1'));
        else if (isWhole) parts.push(Buffer.from(this.#readLine(), 'latin1'));
      }
      at = end;
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  /** Handles `#line`, which is complete. @returns What the parser gets in its place; '': the line is held back. */
  #readLine(): string {
    const line = this.#line;
    const isEmpty = line === '\n' || line === '\r\n';
    if (!line.endsWith('\r\n')) this.#note(quirk.bareLf);
    if (this.#step === 'size') return this.#chunk(line);
    if (!isEmpty && this.#step !== 'end of chunk') {
      this.#lines.push(line);
      this.#line = '';
      return '';
    }
    if (this.#step === 'head' && this.#lines.length > 0) return this.#head();
    if (this.#step === 'trailers') {
      if (this.#fields(this.#lines) === null) return this.#giveUp();
      this.#asTheyCome = Number.POSITIVE_INFINITY; // undici itself reports bytes after the end of a response
    } else if (!isEmpty) return this.#giveUp();
    else if (this.#step === 'end of chunk') this.#step = 'size';
    this.#drop();
    return '\r\n';
  }

  #head(): string {
    const [statusLine = '', ...lines] = this.#lines;
    const fields = this.#fields(lines);
    const framed = fields && this.#framed(fields);
    if (framed === null) return this.#giveUp();
    this.#drop();
    const status = Number(/^HTTP\/1\.\d (\d{3})\b/.exec(statusLine)?.[1]);
    const isInterim = status >= 100 && status < 200 && status !== 101;
    const hasChunks = framed.some(isChunked) && !this.#isHead && status !== 204 && status !== 304;
    if (hasChunks && !isInterim) this.#step = 'size';
    else if (!isInterim) this.#asTheyCome = Number.POSITIVE_INFINITY;
    const written = framed.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    return `${statusLine.trimEnd()}\r\n${written}\r\n`;
  }

  /** Parses lines as fields, and corrects them. @returns null: they have a fault other than the nine tolerated ones. */
  #fields(lines: string[]): HeaderPair[] | null {
    const unfolded: string[] = [];
    for (const line of lines) {
      const last = unfolded.length - 1;
      if (line.includes('\0') || (last < 0 && isFold(line))) return null;
      if (!isFold(line)) unfolded.push(line.replace(/\r?\n$/, ''));
      else {
        this.#note(quirk.fold);
        unfolded[last] += ` ${line.trim()}`;
      }
    }
    const fields: HeaderPair[] = [];
    for (const line of unfolded) {
      const colon = line.indexOf(':');
      if (colon === -1) {
        this.#note(quirk.noColon);
        continue;
      }
      const name = line.slice(0, colon).replace(/[ \t]+$/, '');
      const sent = line.slice(colon + 1);
      const value = sent.replace(controls, ' ');
      if (!token.test(name) || (value !== sent && framing.test(name))) return null;
      if (name.length < colon) this.#note(quirk.spaceBeforeColon);
      if (value !== sent) this.#note(quirk.control);
      fields.push([name, value.trim()]);
    }
    return fields;
  }

  /**
   * Returns the fields with at most one statement of the body's length (RFC 9112 6.3); null: the length is ambiguous or
   * not a number.
   */
  #framed(fields: HeaderPair[]): HeaderPair[] | null {
    const isLength = ([name]: HeaderPair) => isNamed(name, 'content-length');
    const lengths = fields.filter(isLength).flatMap(([, value]) => value.split(/[ \t]*,[ \t]*/));
    const [length] = lengths;
    if (length === undefined) return fields;
    if (lengths.some((other) => other !== length) || !/^\d*$/.test(length)) return null;
    const others = fields.filter((field) => !isLength(field));
    if (lengths.length > 1) this.#note(quirk.sameLengths);
    if (length === '') this.#note(quirk.emptyLength);
    if (fields.some(isChunked)) this.#note(quirk.chunkedLength);
    else if (length !== '') others.push(['Content-Length', length]);
    return others;
  }

  #chunk(line: string): string {
    const [, digits = '', spaces, extension = ''] = chunkSize.exec(line) ?? [];
    const size = Number.parseInt(digits, 16);
    if (!Number.isSafeInteger(size)) return this.#giveUp();
    if (spaces !== '') this.#note(quirk.chunkSize);
    this.#step = size === 0 ? 'trailers' : 'end of chunk';
    this.#asTheyCome = size;
    this.#drop();
    return `${digits}${extension}\r\n`;
  }

  /** Stops correcting: everything from here on is passed on unchanged. @returns The bytes that were held back. */
  #giveUp(): string {
    const held = `${this.#lines.join('')}${this.#line}`;
    this.#asTheyCome = Number.POSITIVE_INFINITY;
    this.#drop();
    return held;
  }

  #drop(): void {
    this.#lines = [];
    this.#line = '';
    this.#held = 0;
  }

  #note(found: string): void {
    if (!this.#quirks.includes(found)) this.#quirks.push(found);
  }
}

function isFold(line: string): boolean {
  return line.startsWith(' ') || line.startsWith('\t');
}

function isChunked([name, value]: HeaderPair): boolean {
  return isNamed(name, 'transfer-encoding') && value.toLowerCase() === 'chunked';
}
