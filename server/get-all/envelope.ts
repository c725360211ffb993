// Writes the response to a Get-All request as multipart/mixed (RFC 2046 5.1): its parts are the document and the
// document's resources, each with the fields of its representation. A response that cannot be completed lacks its last
// delimiter, so that no client takes its last part for complete.

import { randomBytes } from 'node:crypto';
import { type FieldValue, joinedLines } from '../../http/field-syntax.ts';
import { fieldLines, fieldValue, type HeaderPair } from '../../http/header-pairs.ts';
import type { Out, OutgoingResponse } from '../listen/held-head.ts';

/** Fields about a representation in the order of writing: those of a 304 (RFC 9110 15.4.5), and those of a 200. */
const of304 = ['ETag', 'Cache-Control', 'Expires', 'Age', 'Vary', 'Last-Modified'];
const of200 = ['Content-Type', 'Content-Encoding', 'Content-Length', 'Content-Language', ...of304];
/** Fields on the use of a style sheet or script, copied into its part; images go without them, to save bytes. */
const ofUse = ['Link', 'Referrer-Policy', 'Use-As-Dictionary'];

/** Small writes are gathered until there are this many bytes: a little more than TCP's initial window (RFC 6928). */
const enoughBytes = 16 * 1024;

export class EnvelopeWriter {
  readonly #res: OutgoingResponse;
  readonly #out: Out;
  /** Delimiter of the multipart body: unguessable, so that no document contains it; short, because it is repeated. */
  readonly #boundary = randomBytes(10).toString('hex');
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #flushing: NodeJS.Immediate | undefined;

  constructor(res: OutgoingResponse, out: Out) {
    this.#res = res;
    this.#out = out;
  }

  /** Begins the multipart body: moves the fields about the document from the response to the head of the first part. */
  open(target: string): void {
    const res = this.#res;
    const fields: HeaderPair[] = [['Content-Location', target]];
    for (const name of of200) {
      const value = joinedLines(res.getHeader(name) as FieldValue);
      if (value !== '') fields.push([name, value]);
      res.removeHeader(name);
    }
    res.setHeader('Content-Type', `multipart/mixed; boundary="${this.#boundary}"`);
    res.setHeader('Get-All', '?1');
    res.setHeader('Cache-Control', 'private, no-store');
    res.setHeader('Vary', 'Get-All');
    this.write(Buffer.from(this.#headOf(fields).slice(2), 'latin1'));
  }

  /** Writes a resource of the document as a part. @returns Whether more may be written before `drain` */
  part(target: string, fields: readonly HeaderPair[], body: Buffer): boolean {
    const isImage = /^\s*image\//i.test(fieldValue(fields, 'content-type'));
    const names = [...of200, 'No-Vary-Search', ...(isImage ? [] : ofUse)];
    const head = this.#headOf([['Content-Location', target], ...taken(fields, names)]);
    this.write(Buffer.from(head, 'latin1'));
    return this.write(body);
  }

  /**
   * Writes a part with `Status: 304` and no body, for a resource that the client has in its cache.
   * @returns Whether more may be written before `drain`
   */
  notModified(target: string, fields: readonly HeaderPair[]): boolean {
    const own: HeaderPair[] = [
      ['Content-Location', target],
      ['Status', '304'],
    ];
    return this.write(Buffer.from(this.#headOf([...own, ...taken(fields, of304)]), 'latin1'));
  }

  /**
   * Gathers small writes of one turn of the event loop: a short segment fills a place in TCP's congestion window as a
   * full one does (RFC 5681 3.1). @returns Whether more may be written before `drain`
   */
  write(bytes: Buffer): boolean {
    if (bytes.length >= enoughBytes) {
      this.flush();
      return this.#out.write(bytes);
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= enoughBytes) return this.flush();
    this.#flushing ??= setImmediate(() => this.flush());
    return true;
  }

  flush(): boolean {
    const bytes = this.#drain();
    return bytes.length === 0 || this.#res.destroyed || this.#out.write(bytes);
  }

  end(): void {
    const last = Buffer.from(`\r\n--${this.#boundary}--\r\n`);
    this.#out.end(Buffer.concat([this.#drain(), last]));
  }

  #drain(): Buffer {
    clearImmediate(this.#flushing);
    this.#flushing = undefined;
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    return bytes;
  }

  #headOf(fields: readonly HeaderPair[]): string {
    const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    return `\r\n--${this.#boundary}\r\n${lines}\r\n`;
  }
}

function taken(fields: readonly HeaderPair[], names: readonly string[]): HeaderPair[] {
  return names.flatMap((name) => {
    const lines = fieldLines(fields, name.toLowerCase());
    return lines.length === 0 ? [] : [[name, lines.join(', ')] satisfies HeaderPair];
  });
}
