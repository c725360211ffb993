// Writes multipart/mixed (RFC 2046 5.1): the document and its parts, each with the fields of its representation. A
// response that cannot be completed lacks its last delimiter, so that no client takes its last part for complete.

import { randomBytes } from 'node:crypto';
import { type FieldValue, joinedLines } from '../../http/field-syntax.ts';
import { fieldLines, fieldValue, type HeaderPair } from '../../http/header-pairs.ts';
import type { Out, OutgoingResponse } from '../listen/held-head.ts';

/** Fields of a representation, in the order in which they are written; a 304 has the first list (RFC 9110 15.4.5). */
const of304 = ['ETag', 'Cache-Control', 'Expires', 'Age', 'Vary', 'Last-Modified'];
const of200 = ['Content-Type', 'Content-Encoding', 'Content-Length', 'Content-Language', ...of304];
/** Further fields that caches obey. */
const ofCaches = ['CDN-Cache-Control', 'No-Vary-Search'];
/** Fields about the use of a style sheet or script; images, which are many, go without them to save bytes. */
const ofUse = ['Link', 'Referrer-Policy', 'Use-As-Dictionary'];

/** A response that gathers what is written to it until it is uncorked. */
type Corkable = OutgoingResponse & { cork?(): void; uncork?(): void };

export class Envelope {
  readonly #res: Corkable;
  readonly #out: Out;
  /** The boundary ends a document without a length, so it must be unguessable; each part has it, so it is short. */
  readonly #boundary = randomBytes(10).toString('hex');
  #flushing: NodeJS.Immediate | undefined;

  constructor(res: OutgoingResponse, out: Out) {
    this.#res = res;
    this.#out = out;
  }

  /** Begins with the document, whose fields about its representation are moved into its part. */
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
    this.#out.write(Buffer.from(this.#headOf(fields).slice(2), 'latin1'));
  }

  /** @returns Whether more may be written before `drain` */
  part(target: string, fields: readonly HeaderPair[], body: Buffer): boolean {
    const isImage = /^\s*image\//i.test(fieldValue(fields, 'content-type'));
    const names = [...of200, ...ofCaches, ...(isImage ? [] : ofUse)];
    const head = this.#headOf([['Content-Location', target], ...taken(fields, names)]);
    return this.write(Buffer.concat([Buffer.from(head, 'latin1'), body]));
  }

  /** A part that the client holds. @returns Whether more may be written before `drain` */
  notModified(target: string, fields: readonly HeaderPair[]): boolean {
    const own: HeaderPair[] = [
      ['Content-Location', target],
      ['Status', '304'],
    ];
    return this.write(Buffer.from(this.#headOf([...own, ...taken(fields, of304)]), 'latin1'));
  }

  /**
   * Small writes of one turn of the event loop go together: a short segment fills a place in TCP's congestion window as a
   * full one does (RFC 5681 3.1). @returns Whether more may be written before `drain`
   */
  write(bytes: Buffer): boolean {
    if (this.#flushing === undefined) {
      this.#res.cork?.();
      this.#flushing = setImmediate(() => this.flush());
    }
    return this.#out.write(bytes);
  }

  flush(): void {
    if (this.#flushing === undefined) return;
    clearImmediate(this.#flushing);
    this.#flushing = undefined;
    this.#res.uncork?.();
  }

  end(): void {
    this.flush();
    this.#out.end(Buffer.from(`\r\n--${this.#boundary}--\r\n`));
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
