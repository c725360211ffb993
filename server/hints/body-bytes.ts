// Counts the bytes of a body written to a response without Content-Length, and tells whether it begins like a whole
// document. Compressing middleware mounted later wraps `write` and `end` again, so the bytes counted are those sent.

import type { HookedResponse } from './head-hook.ts';

type Written = (...given: unknown[]) => unknown;
type Writable = Record<'write' | 'end', Written>;

const countKey = Symbol('loadahead body bytes');
type CountedBody = Writable & { [countKey]?: BodyBytes };

/** Length of the beginning of a body that is kept, characters. */
const longestStart = 1024;
const wholeDocument =
  /^(?:\uFEFF|\xEF\xBB\xBF)?(?:\s|<!--[\s\S]*?-->|<\?[^>]*>)*<(?:!doctype|html)\b/i;

export class BodyBytes {
  /** Bytes written so far. */
  written = 0;
  /** True: nothing is counted any more, because the response has a Content-Length. */
  isSaid = false;
  /** True: the beginning of the body is kept. */
  keepsStart = false;
  #start = '';
  readonly write: Written;
  readonly end: Written;

  constructor({ write, end }: Writable) {
    this.write = write;
    this.end = end;
  }

  /** False if the body is a fragment of a page: HTML without document type and without `<html>`. */
  get isWhole(): boolean {
    return wholeDocument.test(this.#start);
  }

  /** Counts what a call wrote, after the call: by then the header is sent. */
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

/** Begins to count the bytes of a body. */
export function countBody(res: HookedResponse): BodyBytes {
  const counted = res as unknown as CountedBody;
  const bytes = new BodyBytes(counted);
  counted[countKey] = bytes;
  counted.write = countedWrite;
  counted.end = countedEnd;
  return bytes;
}

function countedWrite(this: CountedBody, ...given: unknown[]): unknown {
  const bytes = this[countKey] as BodyBytes;
  const result = bytes.write.apply(this, given);
  bytes.add(given[0], given[1]);
  return result;
}

function countedEnd(this: CountedBody, ...given: unknown[]): unknown {
  const bytes = this[countKey] as BodyBytes;
  const before = bytes.written;
  const result = bytes.end.apply(this, given);
  // The `end` of HTTP/2 calls `write`, which has counted the chunk.
  if (bytes.written === before) bytes.add(given[0], given[1]);
  return result;
}
