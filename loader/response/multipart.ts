// Reads a multipart body (RFC 2046 5.1) while it arrives, with parts framed by their Content-Length. It is stricter
// than RFC 2046, because a part that is cut in the wrong place is a wrong body: no preamble, no padding, CRLF only, and
// the delimiter exactly after Content-Length bytes. Only the first part may lack a length: its delimiter is searched.
//
// Guarantee: the parts are the same in any chunking. A part has ended only once the delimiter after it was read. After
// a fault nothing more is read.

import { fieldLines, fieldValue, type HeaderPair } from '../../http/header-pairs.ts';

export type PartEvent =
  /** The fields of the next part, with names in lower case. `bytes`: length of the delimiter and fields as received. */
  | { kind: 'fields'; fields: HeaderPair[]; bytes: number }
  /** Some bytes of the part's body, as a view of the chunk. */
  | { kind: 'data'; bytes: Buffer }
  /** The part is complete. */
  | { kind: 'end' };

export interface MultipartLimits {
  /** Maximum length of the fields of one part, bytes. */
  maxFieldBytes: number;
  maxParts: number;
  /** Maximum length of the body of one part, bytes. */
  maxPartBytes: number;
}

const crlf = '\r\n';
const fieldLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/;

/** Returns the boundary in a Content-Type value (RFC 2046 5.1.1); null: it is not multipart/mixed with a valid one. */
export function boundaryOf(contentType: string): string | null {
  const parameter =
    /^multipart\/mixed[ \t]*;(?:.*;)?[ \t]*boundary=(?:"([^"\\]*)"|([^\s;"]+))[ \t]*(?:;|$)/i;
  const [, quoted, token] = parameter.exec(contentType) ?? [];
  const boundary = quoted ?? token ?? '';
  return /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary) ? boundary : null;
}

export class MultipartReader {
  /** The fault of the body, in words; null: no fault was found so far. */
  fault: string | null = null;
  /** Whether the close delimiter was read. Anything after it is ignored (RFC 2046 5.1, epilogue). */
  isComplete = false;
  readonly #delimiter: Buffer;
  readonly #limits: MultipartLimits;
  #state: 'delimiter' | 'fields' | 'counted' | 'searched' | 'over' = 'delimiter';
  /** Bytes that were received and have not been processed yet. */
  #rest: Buffer = Buffer.alloc(0);
  #parts = 0;
  /** Number of bytes of the current part's body: those still to come or, if its length is unknown, those so far. */
  #bytes = 0;

  constructor(boundary: string, limits: MultipartLimits) {
    this.#delimiter = Buffer.from(`${crlf}--${boundary}`, 'latin1');
    this.#limits = limits;
    // The first delimiter begins the body, so its CRLF is missing and is added here.
    this.#rest = Buffer.from(crlf);
  }

  write(chunk: Buffer): PartEvent[] {
    const events: PartEvent[] = [];
    if (this.#state === 'over') return events;
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (this.#step(events));
    return events;
  }

  /** Ends the body: no more bytes follow. */
  end(): void {
    if (this.#state !== 'over') this.#fail('it ends before the close delimiter');
  }

  /** Reads the next element: delimiter, fields, or content. @returns Whether the received bytes may contain another. */
  #step(events: PartEvent[]): boolean {
    if (this.#state === 'delimiter') return this.#readDelimiter(events);
    if (this.#state === 'fields') return this.#readFields(events);
    if (this.#state === 'counted') return this.#readCounted(events);
    return this.#state === 'searched' && this.#readSearched(events);
  }

  /** Reads a delimiter, which ends the previous part, unless it is the first. */
  #readDelimiter(events: PartEvent[]): boolean {
    const length = this.#delimiter.length;
    const come = Math.min(length, this.#rest.length);
    if (this.#delimiter.compare(this.#rest, 0, come, 0, come) !== 0) {
      const where = this.#parts === 0 ? 'at the start' : `after part ${this.#parts}`;
      return this.#fail(`no delimiter ${where}`);
    }
    if (this.#rest.length < length + 2) return false;
    const after = this.#rest.toString('latin1', length, length + 2);
    if (after !== crlf && after !== '--') return this.#fail('a delimiter that goes on');
    if (this.#parts > 0) events.push({ kind: 'end' });
    if (after === '--') {
      this.isComplete = true;
      this.#stop();
      return false;
    }
    if (++this.#parts > this.#limits.maxParts) {
      return this.#fail(`more than ${this.#limits.maxParts} parts`);
    }
    // The CRLF that ends the delimiter is kept, so that the fields end with CRLF CRLF even if there are none.
    this.#rest = this.#rest.subarray(length);
    this.#state = 'fields';
    return true;
  }

  #readFields(events: PartEvent[]): boolean {
    const { maxFieldBytes, maxPartBytes } = this.#limits;
    const end = this.#rest.indexOf(`${crlf}${crlf}`, 0, 'latin1');
    if ((end === -1 ? this.#rest.length : end) > maxFieldBytes) {
      return this.#fail(`fields of part ${this.#parts} over ${maxFieldBytes} bytes`);
    }
    if (end === -1) return false;
    const fields = fieldsOf(this.#rest.toString('latin1', 2, Math.max(2, end)));
    if (fields === null) return this.#fail(`a malformed field in part ${this.#parts}`);
    const length = lengthOf(fields);
    if (length === 'invalid' || (length === null && this.#parts > 1)) {
      return this.#fail(`no valid Content-Length in part ${this.#parts}`);
    }
    if ((length ?? 0) > maxPartBytes) {
      return this.#fail(`part ${this.#parts} has more than ${maxPartBytes} bytes`);
    }
    const bytes = this.#delimiter.length + end + (this.#parts === 1 ? 2 : 4);
    events.push({ kind: 'fields', fields, bytes });
    this.#rest = this.#rest.subarray(end + 4);
    this.#bytes = length ?? 0;
    this.#state = length === null ? 'searched' : 'counted';
    return true;
  }

  #readCounted(events: PartEvent[]): boolean {
    const come = Math.min(this.#bytes, this.#rest.length);
    this.#pass(come, events);
    this.#bytes -= come;
    if (this.#bytes > 0) return false;
    this.#state = 'delimiter';
    return this.#rest.length > 0;
  }

  #readSearched(events: PartEvent[]): boolean {
    const length = this.#delimiter.length;
    let at = this.#rest.indexOf(this.#delimiter);
    while (at !== -1 && !this.#mayEndAt(at + length)) {
      at = this.#rest.indexOf(this.#delimiter, at + 1);
    }
    // Bytes at the end that may begin a delimiter are kept until more bytes arrive.
    const body = at === -1 ? Math.max(0, this.#rest.length - length + 1) : at;
    this.#bytes += body;
    if (this.#bytes > this.#limits.maxPartBytes) {
      return this.#fail(`part ${this.#parts} has more than ${this.#limits.maxPartBytes} bytes`);
    }
    this.#pass(body, events);
    if (at === -1) return false;
    // Until the bytes after the delimiter have come, it may still be text of the body.
    if (this.#rest.length < length + 2) return false;
    this.#state = 'delimiter';
    return true;
  }

  /** Whether the bytes after a possible delimiter, as far as received, are those that follow a real one. */
  #mayEndAt(at: number): boolean {
    const after = this.#rest.toString('latin1', at, at + 2);
    return crlf.startsWith(after) || '--'.startsWith(after);
  }

  #pass(bytes: number, events: PartEvent[]): void {
    if (bytes > 0) events.push({ kind: 'data', bytes: this.#rest.subarray(0, bytes) });
    this.#rest = this.#rest.subarray(bytes);
  }

  #fail(fault: string): false {
    this.fault = fault;
    this.#stop();
    return false;
  }

  #stop(): void {
    this.#state = 'over';
    this.#rest = Buffer.alloc(0);
  }
}

/** Parses the fields of a part; returns null if they are malformed. */
function fieldsOf(text: string): HeaderPair[] | null {
  if (text === '') return [];
  const fields: HeaderPair[] = [];
  for (const line of text.split(crlf)) {
    const [, name, value] = fieldLine.exec(line) ?? [];
    if (name === undefined || value === undefined) return null;
    fields.push([name.toLowerCase(), value]);
  }
  return fields;
}

/** Returns the length of a part's body; null: the part states none. A 304 has no body (RFC 9110 15.4.5). */
function lengthOf(fields: HeaderPair[]): number | null | 'invalid' {
  const [length, ...others] = fieldLines(fields, 'content-length');
  const isBodiless = /^304\b/.test(fieldValue(fields, 'status'));
  if (isBodiless) return length === undefined || length === '0' ? 0 : 'invalid';
  if (length === undefined) return null;
  return others.length === 0 && /^\d{1,15}$/.test(length) ? Number(length) : 'invalid';
}
