// Writes multipart/mixed (RFC 2046 5.1) at the pace of the client: the document and its parts, each with the fields of
// its representation. A part that cannot be completed is cut off, so that no client takes it for complete.

import { randomBytes } from 'node:crypto';
import { fieldLines, fieldValue, type HeaderPair, withoutFields } from '../../http/header-pairs.ts';
import { hopByHop } from '../../http/hop-by-hop.ts';
import { withoutRepeated } from '../../http/repeated-fields.ts';
import type { Response } from '../listen/handler.ts';
import type { GatheredWrites } from './gathered-writes.ts';
import type { InnerHead } from './inner-socket.ts';

/** Fields of a representation, in the order in which they are written; a 304 has the first list (RFC 9110 15.4.5). */
const of304 = ['ETag', 'Cache-Control', 'Expires', 'Age', 'Vary', 'Last-Modified'];
const of200 = ['Content-Type', 'Content-Encoding', 'Content-Length', 'Content-Language', ...of304];
/** Further fields that caches obey. */
const ofCaches = ['CDN-Cache-Control', 'No-Vary-Search'];
/** Fields about the use of a style sheet or script; images, which are many, go without them to save bytes. */
const ofUse = ['Link', 'Referrer-Policy', 'Use-As-Dictionary'];
const inParts = new Set(of200.map((name) => name.toLowerCase()));

/** The members of both protocols' responses that are used here, beyond those for handlers. */
export interface OuterResponse extends Response {
  statusMessage?: string;
  setHeader(name: string, value: string | readonly string[]): unknown;
}

export class Envelope {
  readonly #res: OuterResponse;
  readonly #writes: GatheredWrites;
  /** The boundary ends a document without a length, so it must be unguessable; each part has it, so it is short. */
  readonly #boundary = randomBytes(10).toString('hex');
  #isFirst = true;
  /** Fields of the last part; null if there was none but the document. */
  #before: readonly HeaderPair[] | null = null;

  constructor(res: OuterResponse, writes: GatheredWrites) {
    this.#res = res;
    this.#writes = writes;
  }

  /** True if the client is gone, or gets no more. */
  get isGone(): boolean {
    return this.#res.destroyed;
  }

  /** Sets the head of the response: the document's fields, except those that describe its representation. */
  open({ fields }: InnerHead): void {
    const res = this.#res;
    res.statusCode = 200;
    setFields(res, withoutFields(fields, inParts));
    res.setHeader('Content-Type', `multipart/mixed; boundary="${this.#boundary}"`);
    res.setHeader('Get-All', '?1');
    res.setHeader('Cache-Control', 'private, no-store');
    res.setHeader('Vary', 'Get-All');
  }

  /** @param body First bytes of the body, which are sent with the fields */
  part(target: string, fields: readonly HeaderPair[], body: readonly Buffer[]): Promise<void> {
    // The document's other fields are in the head of the response.
    const more = this.#isFirst ? [] : isImage(fields) ? ofCaches : [...ofCaches, ...ofUse];
    return this.#begin([['Content-Location', target], ...taken(fields, [...of200, ...more])], body);
  }

  notModified(target: string, fields: readonly HeaderPair[]): Promise<void> {
    const own: HeaderPair[] = [
      ['Content-Location', target],
      ['Status', '304'],
    ];
    return this.#begin([...own, ...taken(fields, of304)], []);
  }

  /** Resolves when there is room for more. @throws Error if the client is gone */
  write(bytes: Buffer): Promise<void> {
    return this.#writes.write(bytes);
  }

  end(): void {
    this.#writes.end(Buffer.from(`\r\n--${this.#boundary}--\r\n`));
  }

  #begin(fields: readonly HeaderPair[], body: readonly Buffer[]): Promise<void> {
    const said = withoutRepeated(fields, this.#before);
    if (!this.#isFirst) this.#before = fields;
    const lines = said.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const head = `${this.#isFirst ? '' : '\r\n'}--${this.#boundary}\r\n${lines}\r\n`;
    this.#isFirst = false;
    return this.write(Buffer.concat([Buffer.from(head, 'latin1'), ...body]));
  }
}

const isImage = (fields: readonly HeaderPair[]): boolean =>
  /^\s*image\//i.test(fieldValue(fields, 'content-type'));

const ofTheConnection = new Set(hopByHop);

/** Sets the fields, except those about one connection. */
export function setFields(res: OuterResponse, fields: readonly HeaderPair[]): void {
  const kept = withoutFields(fields, ofTheConnection);
  for (const name of new Set(kept.map(([each]) => each.toLowerCase()))) {
    const [spelled = name] = kept.find(([each]) => each.toLowerCase() === name) ?? [];
    const lines = fieldLines(kept, name);
    res.setHeader(spelled, lines.length === 1 ? (lines[0] ?? '') : lines);
  }
}

function taken(fields: readonly HeaderPair[], names: readonly string[]): HeaderPair[] {
  return names.flatMap((name) => {
    const lines = fieldLines(fields, name.toLowerCase());
    return lines.length === 0 ? [] : [[name, lines.join(', ')] satisfies HeaderPair];
  });
}
