// Intercepts the moment a response's header is sent: a call of `writeHead`, by the site or by Node itself (`end`,
// `write`, `pipe`, Express, HTTP/2's compatibility API). One function, shared by all responses, precedes it and sees
// both the fields already set and those passed with the call. on-headers would turn every passed field into a
// setHeader call, at a higher cost per response.
//
// The body is watched likewise: `write` and `end` count its bytes, for a response without Content-Length, and tell
// whether it begins like a whole document. Compressing middleware mounted later wraps them again, so the bytes counted
// are those sent.
//
// Invariant: a response to which nothing is added is byte for byte unchanged.

import { joinedLines } from '../../http/field-syntax.ts';
import { isNamed } from '../../http/header-pairs.ts';
import type { Response } from '../listen/handler.ts';
import { pairsOf } from '../listen/held-head.ts';

/** The members of http.ServerResponse and http2.Http2ServerResponse used here, beyond those that handlers may use. */
export interface HookedResponse extends Response {
  writeHead(...given: unknown[]): unknown;
  getHeader(name: string): OutgoingFieldValue;
  writeEarlyHints(hints: { link: string[] }): unknown;
  on(event: string, listener: (this: HookedResponse) => void): unknown;
}

export type OutgoingFieldValue = string | number | string[] | undefined;
type GivenFields = Record<string, OutgoingFieldValue> | unknown[];

/** The status and fields of a response as they are about to be sent. */
export class Head {
  readonly status: number;
  readonly #res: HookedResponse;
  readonly #given: GivenFields | undefined;

  /** @param call the arguments of writeHead */
  constructor(res: HookedResponse, call: readonly unknown[]) {
    this.#res = res;
    this.status = Number(call[0] ?? res.statusCode);
    const last = typeof call[1] === 'string' || call[2] !== undefined ? call[2] : call[1];
    this.#given = typeof last === 'object' && last !== null ? (last as GivenFields) : undefined;
  }

  /** Returns the value that a field is sent with. @param name The field's name in lower case */
  field(name: string): OutgoingFieldValue {
    const given = this.#given === undefined ? undefined : givenField(this.#given, name);
    return given ?? this.#res.getHeader(name);
  }

  text(name: string): string {
    return joinedLines(this.field(name));
  }

  /** Sets fields on the response; they replace those of the same name that were passed to `writeHead`. */
  add(call: unknown[], fields: readonly AddedField[]): Added {
    const res = this.#res;
    const before: Added['before'] = [];
    for (const { name, value, isNew } of fields) {
      before.push({ name, value: isNew ? undefined : res.getHeader(name) });
      res.setHeader(name, value);
    }
    const given = this.#given;
    if (given === undefined) return { call, before };
    const changed = call.map((argument) =>
      argument === given ? without(given, fields) : argument,
    );
    return { call: changed, before };
  }
}

export interface AddedField {
  readonly name: string;
  readonly value: string;
  /** True if the response has no field of this name yet; undefined: it may have one. */
  readonly isNew?: boolean;
}

/** What `Head.add` returns: the changed arguments of `writeHead`, and the values that the added fields had before. */
export interface Added {
  readonly call: unknown[];
  readonly before: { name: string; value: OutgoingFieldValue }[];
}

function takeBack(res: HookedResponse, { before }: Added): void {
  for (const { name, value } of before) {
    if (value === undefined) res.removeHeader(name);
    else res.setHeader(name, value as string);
  }
}

/**
 * Returns a field among those passed to `writeHead` as an object, a flat list, or a list of pairs; multiple values keep
 * their order.
 */
function givenField(given: GivenFields, name: string): OutgoingFieldValue {
  if (!Array.isArray(given)) {
    for (const key in given) {
      if (isNamed(key, name)) return given[key];
    }
    return undefined;
  }
  const values: string[] = [];
  for (const [key, value] of pairsOf(given)) {
    if (isNamed(key, name)) values.push(String(value));
  }
  return values.length === 0 ? undefined : values;
}

function without(given: GivenFields, fields: readonly AddedField[]): GivenFields {
  const names = new Set(fields.map(({ name }) => name.toLowerCase()));
  const stays = (name: string) => !names.has(name.toLowerCase());
  if (Array.isArray(given)) {
    // The result is a flat list, which `writeHead` of HTTP/1 and of HTTP/2 accepts after a setHeader.
    return pairsOf(given)
      .filter(([name]) => stays(name))
      .flat();
  }
  return Object.fromEntries(Object.entries(given).filter(([name]) => stays(name)));
}

/** Decides what to do with the header of one response, which `watchHead` intercepts. */
export interface HeadWatcher {
  /** The writeHead that this hook replaced. */
  writeHead: HookedResponse['writeHead'];
  /** True if other middleware replaced `writeHead` before this hook did: its own runs later, and may add fields. */
  isInFront: boolean;
  /** Called before the header is sent. @returns The fields that were added to it; null: none were */
  onHead(res: HookedResponse, call: unknown[]): Added | null;
  /** Called if the header was not sent, because writeHead threw. */
  onHeadFailed(): void;
}

const watcherKey = Symbol('loadahead head watcher');
type WatchedResponse = HookedResponse & { [watcherKey]?: HeadWatcher };

/** Returns the object to which the events of a response are reported (`watchHead`); undefined: nobody watches it. */
export function watcherOf(res: Response): HeadWatcher | undefined {
  return (res as WatchedResponse)[watcherKey];
}

export function watchHead(res: HookedResponse, watcher: HeadWatcher): void {
  watcher.writeHead = res.writeHead;
  watcher.isInFront = Object.hasOwn(res, 'writeHead');
  (res as WatchedResponse)[watcherKey] = watcher;
  res.writeHead = watchedWriteHead;
}

function watchedWriteHead(this: WatchedResponse, ...call: unknown[]): unknown {
  const watcher = this[watcherKey] as HeadWatcher;
  // If the header was already sent, Node itself reports the second call as an error.
  const added = this.headersSent ? null : watcher.onHead(this, call);
  try {
    return watcher.writeHead.apply(this, added?.call ?? call);
  } catch (error) {
    // `writeHead` threw. The site's response to this error will have its own header, so the added fields are removed.
    if (!this.headersSent) {
      if (added !== null) takeBack(this, added);
      watcher.onHeadFailed();
    }
    throw error;
  }
}

type WriteMethod = (...given: unknown[]) => unknown;
type Writable = Record<'write' | 'end', WriteMethod>;

const countKey = Symbol('loadahead body bytes');
type CountedBody = Writable & { [countKey]?: BodyBytes };

/** Limit on the characters at the beginning of a body that are kept. */
const longestStart = 1024;
const wholeDocument =
  /^(?:\uFEFF|\xEF\xBB\xBF)?(?:\s|<!--[\s\S]*?-->|<\?[^>]*>)*<(?:!doctype|html)\b/i;

export class BodyBytes {
  /** Number of bytes of the body written so far. */
  written = 0;
  /** True: the bytes of the body are not counted, because the response's Content-Length states them. */
  isSaid = false;
  /** True: the first characters of the body are kept, to tell whether it is a whole document (`isWhole`). */
  keepsStart = false;
  #start = '';
  readonly write: WriteMethod;
  readonly end: WriteMethod;

  constructor({ write, end }: Writable) {
    this.write = write;
    this.end = end;
  }

  /** False if the body is a fragment of a page: HTML without document type and without `<html>`. */
  get isWhole(): boolean {
    return wholeDocument.test(this.#start);
  }

  /** Counts the bytes of a call of `write` or `end`, after it: by then the header is sent and `isSaid` is known. */
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
  // The `end` of HTTP/2 calls `write`, which has counted the chunk, so it is not counted twice.
  if (bytes.written === before) bytes.add(given[0], given[1]);
  return result;
}
