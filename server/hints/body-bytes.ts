// How many bytes of a body are written to a response: for those without Content-Length; and whether it begins as a
// whole document does. Middleware behind that compresses wraps `write` and `end` again, so here is seen what is sent.

import type { HeadResponse } from './head-hook.ts';

type Written = (...given: unknown[]) => unknown;
type Writable = Record<'write' | 'end', Written>;

const countKey = Symbol('loadahead body bytes');
type Counted = Writable & { [countKey]?: BodyBytes };

/** Characters. */
const longestStart = 1024;
const wholeDocument =
  /^(?:\uFEFF|\xEF\xBB\xBF)?(?:\s|<!--[\s\S]*?-->|<\?[^>]*>)*<(?:!doctype|html)\b/i;

export class BodyBytes {
  /** So far. */
  written = 0;
  /** Nothing is counted any more, as the response says its length. */
  isSaid = false;
  /** The beginning of the body is kept. */
  keepsStart = false;
  #start = '';
  readonly write: Written;
  readonly end: Written;

  constructor({ write, end }: Writable) {
    this.write = write;
    this.end = end;
  }

  /** False of a part of a page: HTML without a document type and `<html>`. */
  get isWhole(): boolean {
    return wholeDocument.test(this.#start);
  }

  /** Of a call after it was made: by then the header is sent. */
  add(chunk: unknown, encoding: unknown): void {
    if (this.keepsStart && this.#start.length < longestStart) this.#start += textOf(chunk);
    if (this.isSaid) return;
    if (typeof chunk === 'string') {
      const by = typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8';
      this.written += Buffer.byteLength(chunk, by);
    } else if (ArrayBuffer.isView(chunk)) this.written += chunk.byteLength;
  }
}

function textOf(chunk: unknown): string {
  if (typeof chunk === 'string') return chunk.slice(0, longestStart);
  if (!ArrayBuffer.isView(chunk)) return '';
  const { buffer, byteOffset, byteLength } = chunk;
  return Buffer.from(buffer, byteOffset, Math.min(byteLength, longestStart)).toString('latin1');
}

/** Begin to count. */
export function countBody(res: HeadResponse): BodyBytes {
  const counted = res as unknown as Counted;
  const bytes = new BodyBytes(counted);
  counted[countKey] = bytes;
  counted.write = countedWrite;
  counted.end = countedEnd;
  return bytes;
}

function countedWrite(this: Counted, ...given: unknown[]): unknown {
  const bytes = this[countKey] as BodyBytes;
  const result = bytes.write.apply(this, given);
  bytes.add(given[0], given[1]);
  return result;
}

function countedEnd(this: Counted, ...given: unknown[]): unknown {
  const bytes = this[countKey] as BodyBytes;
  const before = bytes.written;
  const result = bytes.end.apply(this, given);
  // HTTP/2's calls `write`, which has counted it.
  if (bytes.written === before) bytes.add(given[0], given[1]);
  return result;
}
