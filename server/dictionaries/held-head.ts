// Holds the head of a response until its first bytes. By then all fields are known, also those that other middleware
// adds, and so is whether the body comes whole or in pieces. A response without a plan goes on unchanged.

import {
  type BodyPlan,
  type OutgoingResponse,
  type PiecewiseBody,
  piecewiseBody,
  wholeBody,
} from './response-body.ts';

type Encoding = BufferEncoding | undefined;
type Call = readonly unknown[];

export class HeldHead {
  readonly #res: OutgoingResponse;
  readonly #plan: () => BodyPlan | null;
  readonly #writeHead: OutgoingResponse['writeHead'];
  readonly #write: OutgoingResponse['write'];
  readonly #end: OutgoingResponse['end'];
  readonly #flushHeaders: (() => void) | undefined;
  /** The plan of a head that is held; undefined: there is no head yet; null: nothing is held any more. */
  #held: BodyPlan | null | undefined;
  #body: PiecewiseBody | null = null;
  /** The reason phrase that was passed; '': none. */
  #phrase = '';
  /** Node is ending a response without content: its head has to go out. */
  #isEnding = false;

  /** @param plan Called with the complete head, before it is sent; it may set fields. null: leave it as it is. */
  constructor(res: OutgoingResponse, plan: () => BodyPlan | null) {
    this.#res = res;
    this.#plan = plan;
    this.#writeHead = res.writeHead;
    this.#write = res.write;
    this.#end = res.end;
    this.#flushHeaders = res.flushHeaders;
    res.writeHead = (...call) => this.#headCame(call);
    res.write = (...call) => this.#written(call);
    res.end = (...call) => this.#ended(call);
    if (res.flushHeaders !== undefined) res.flushHeaders = () => this.#flushed();
  }

  #headCame(call: Call): unknown {
    const res = this.#res;
    if (this.#held === null || res.headersSent) return this.#writeHead.apply(res, [...call]);
    if (this.#held !== undefined) return res;
    this.#phrase = take(res, call);
    const plan = this.#plan();
    if (plan === null || this.#isEnding) {
      this.#letGo();
      this.#sendHead();
    } else this.#held = plan;
    return res;
  }

  #sendHead(): void {
    const res = this.#res;
    // HTTP/2 has no reason phrases, and Node warns when `statusMessage` is read there.
    const own = Object.hasOwn(res, 'statusMessage') ? (res.statusMessage ?? '') : '';
    const phrase = this.#phrase === '' ? own : this.#phrase;
    this.#writeHead.apply(res, [res.statusCode, ...(phrase === '' ? [] : [phrase])]);
  }

  /** Makes sure that all middleware has seen the head. @returns Its plan. */
  #complete(): BodyPlan | null {
    const res = this.#res;
    if (this.#held === undefined && !res.headersSent) res.writeHead(res.statusCode);
    return this.#held ?? null;
  }

  #flushed(): void {
    const plan = this.#complete();
    if (plan === null) this.#flushHeaders?.apply(this.#res);
    else this.#begin(plan);
  }

  #written(call: Call): boolean {
    if (this.#body === null) {
      const plan = this.#complete();
      if (plan === null) return this.#write.apply(this.#res, [...call]);
      this.#begin(plan);
    }
    const { chunk, done } = bodyOf(call);
    const hasRoom = chunk === null || (this.#body?.write(chunk) ?? true);
    if (done !== null) process.nextTick(done);
    return hasRoom;
  }

  #ended(call: Call): unknown {
    const res = this.#res;
    if (this.#body === null && this.#held === undefined && !res.headersSent && isEmpty(call)) {
      // Node itself writes the length of a response without content.
      this.#isEnding = true;
      return this.#end.apply(res, [...call]);
    }
    const { chunk, done } = bodyOf(call);
    if (this.#body !== null) {
      if (done !== null) res.once('finish', done);
      this.#body.end(chunk);
      return res;
    }
    const plan = this.#complete();
    if (plan === null) return this.#end.apply(res, [...call]);
    const body = wholeBody(chunk ?? Buffer.alloc(0), plan);
    const { getHeader } = res;
    if (getHeader.call(res, 'transfer-encoding') === undefined) {
      res.setHeader('Content-Length', String(body.length));
    }
    this.#letGo();
    this.#sendHead();
    return this.#end.apply(res, done === null ? [body] : [body, done]);
  }

  /** Sends the body in pieces. */
  #begin(plan: BodyPlan): void {
    const res = this.#res;
    let isOut = false;
    const head = () => {
      if (isOut) return;
      isOut = true;
      this.#held = null;
      this.#sendHead();
    };
    const out = {
      write: (bytes: Buffer) => {
        head();
        return this.#write.call(res, bytes);
      },
      end: () => {
        head();
        this.#letGo();
        this.#end.call(res);
      },
    };
    this.#body = piecewiseBody(res, out, plan);
    head();
  }

  /** Stops intercepting: `write` and `end` are the response's own again. */
  #letGo(): void {
    const res = this.#res;
    this.#held = null;
    res.write = this.#write;
    res.end = this.#end;
  }
}

/** Sets what was passed to writeHead on the response. @returns The reason phrase; '': none */
function take(res: OutgoingResponse, [status, ...rest]: Call): string {
  if (status !== undefined) res.statusCode = Number(status);
  const [first] = rest;
  const phrase = typeof first === 'string' ? first : '';
  const fields = rest.findLast((one) => typeof one === 'object' && one !== null);
  if (fields === undefined) return phrase;
  const seen = new Map<string, [name: string, values: string[]]>();
  for (const [name, value] of pairsOf(fields as object)) {
    if (value === undefined) continue;
    const values = Array.isArray(value) ? value.map(String) : [String(value)];
    const known = seen.get(name.toLowerCase());
    if (known === undefined) seen.set(name.toLowerCase(), [name, values]);
    else known[1].push(...values);
  }
  for (const [name, values] of seen.values()) {
    res.setHeader(name, (values.length === 1 ? values[0] : values) as string);
  }
  return phrase;
}

/** Fields given as an object, a flat list, or a list of pairs. */
function pairsOf(fields: object): [string, unknown][] {
  if (!Array.isArray(fields)) return Object.entries(fields);
  if (Array.isArray(fields[0])) return fields as [string, unknown][];
  const pairs: [string, unknown][] = [];
  for (let at = 0; at + 1 < fields.length; at += 2)
    pairs.push([String(fields[at]), fields[at + 1]]);
  return pairs;
}

const isEmpty = ([chunk]: Call): boolean =>
  chunk === undefined || chunk === null || typeof chunk === 'function';

/** The arguments of write and end: chunk, encoding, callback, each optional. */
function bodyOf(call: Call): { chunk: Buffer | null; done: (() => void) | null } {
  const [chunk, encoding] = call;
  const done = call.find((one) => typeof one === 'function') as (() => void) | undefined;
  if (isEmpty(call)) return { chunk: null, done: done ?? null };
  const bytes =
    typeof chunk === 'string'
      ? Buffer.from(chunk, (typeof encoding === 'string' ? encoding : 'utf8') as Encoding)
      : Buffer.from(chunk as Uint8Array);
  return { chunk: bytes, done: done ?? null };
}
