// The moment when the header fields of a response leave: `writeHead` is called, by the site or by Node
// itself (`end`, `write`, `pipe`, Express, HTTP/2's compatibility API). One function stands before it,
// shared by all responses, and sees the fields that were set and those that are given with the call.
//
// on-headers does the same, and makes a setHeader of every field that is given, for every response. With
// on-finished beside it, it took 12 to 30 % of the CPU time of a bare node:http server, this 0 to 6 %.
//
// Invariant: a response to which nothing is added leaves byte for byte as without us.

import { joinedLines } from '../../http/field-syntax.ts';
import { isNamed } from '../../http/header-pairs.ts';
import type { Response } from '../listen/handler.ts';

/** What http.ServerResponse and http2.Http2ServerResponse have in common beyond what handlers use. */
export interface HeadResponse extends Response {
  writeHead(...given: unknown[]): unknown;
  getHeader(name: string): FieldValue;
  writeEarlyHints(hints: { link: string[] }): unknown;
  on(event: string, listener: (this: HeadResponse) => void): unknown;
}

export type FieldValue = string | number | string[] | undefined;
type Given = Record<string, FieldValue> | unknown[];

/** Fields of a response, as far as anybody here asks. */
export class Head {
  readonly status: number;
  readonly #res: HeadResponse;
  readonly #given: Given | undefined;

  /** `call`: the arguments of writeHead. */
  constructor(res: HeadResponse, call: readonly unknown[]) {
    this.#res = res;
    this.status = Number(call[0] ?? res.statusCode);
    const last = typeof call[1] === 'string' || call[2] !== undefined ? call[2] : call[1];
    this.#given = typeof last === 'object' && last !== null ? (last as Given) : undefined;
  }

  /** `name` in lower case. */
  field(name: string): FieldValue {
    const given = this.#given === undefined ? undefined : givenField(this.#given, name);
    return given ?? this.#res.getHeader(name);
  }

  text(name: string): string {
    return joinedLines(this.field(name));
  }

  /**
   * Sets fields, in place of given ones of the same name.
   */
  add(call: unknown[], fields: readonly Field[]): Added {
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

export interface Field {
  readonly name: string;
  readonly value: string;
  /** The response has none of this name; absent: it may. */
  readonly isNew?: boolean;
}

/** What was added: the call that sends it, and what stood in its place. */
export interface Added {
  readonly call: unknown[];
  readonly before: { name: string; value: FieldValue }[];
}

function takeBack(res: HeadResponse, { before }: Added): void {
  for (const { name, value } of before) {
    if (value === undefined) res.removeHeader(name);
    else res.setHeader(name, value as string);
  }
}

/** Given as an object, a flat list, or a list of pairs; of several the values in their order. */
function givenField(given: Given, name: string): FieldValue {
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

function without(given: Given, fields: readonly Field[]): Given {
  const names = new Set(fields.map(({ name }) => name.toLowerCase()));
  const stays = (name: string) => !names.has(name.toLowerCase());
  if (Array.isArray(given)) {
    // Flat, which both protocols take after a setHeader.
    return pairsOf(given)
      .filter(([name]) => stays(name))
      .flat();
  }
  return Object.fromEntries(Object.entries(given).filter(([name]) => stays(name)));
}

function pairsOf(given: unknown[]): [string, unknown][] {
  if (Array.isArray(given[0])) return given as [string, unknown][];
  const pairs: [string, unknown][] = [];
  for (let at = 0; at + 1 < given.length; at += 2) pairs.push([String(given[at]), given[at + 1]]);
  return pairs;
}

/** Told of one response. */
export interface HeadWatcher {
  /** The writeHead that was there before. */
  writeHead: HeadResponse['writeHead'];
  /** It is not Node's: somebody else is told of the head, after us. */
  isInFront: boolean;
  /** null: nothing is added. */
  onHead(res: HeadResponse, call: unknown[]): Added | null;
  /** The head did not leave: writeHead threw. */
  onHeadFailed(): void;
}

const watcherKey = Symbol('loadahead head watcher');
type Watched = HeadResponse & { [watcherKey]?: HeadWatcher };

/** The watcher of a response; undefined: nobody watches. */
export function watcherOf(res: Response): HeadWatcher | undefined {
  return (res as Watched)[watcherKey];
}

export function watchHead(res: HeadResponse, watcher: HeadWatcher): void {
  watcher.writeHead = res.writeHead;
  watcher.isInFront = Object.hasOwn(res, 'writeHead');
  (res as Watched)[watcherKey] = watcher;
  res.writeHead = watchedWriteHead;
}

function watchedWriteHead(this: Watched, ...call: unknown[]): unknown {
  const watcher = this[watcherKey] as HeadWatcher;
  // Sent already: Node says what is to be said about that.
  const added = this.headersSent ? null : watcher.onHead(this, call);
  try {
    return watcher.writeHead.apply(this, added?.call ?? call);
  } catch (error) {
    // What answers the error has a head of its own.
    if (!this.headersSent) {
      if (added !== null) takeBack(this, added);
      watcher.onHeadFailed();
    }
    throw error;
  }
}
