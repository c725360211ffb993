// Holds the head of a response until its first bytes. By then all fields are known, also those that other middleware
// adds, and all of them are set on the response. Whoever holds a head may change fields, and take the body over; a
// response that nobody takes over is sent by Node as the site wrote it.

import type { Response } from './handler.ts';

/** The members of a response used here, beyond those that handlers may use. */
export interface OutgoingResponse extends Response {
  readonly writableFinished: boolean;
  writeHead(...given: unknown[]): unknown;
  write(...given: unknown[]): boolean;
  end(...given: unknown[]): unknown;
  flushHeaders?(): void;
  getHeader(name: string): string | number | readonly string[] | undefined;
  emit(event: string): unknown;
  on(event: string, listener: () => void): unknown;
}

/** Receives the body that the site writes, in place of the client. */
export interface BodyTaker {
  /**
   * Receives a piece of the body, which is empty if only the head is flushed.
   * @returns Whether more may be written before `drain`
   */
  write(chunk: Buffer): boolean;
  /** Receives the end of the body, once. @param chunk The last bytes; null: there are none */
  end(chunk: Buffer | null): void;
}

/** Sends bytes to the client for a BodyTaker; the head is sent with the first bytes. */
export interface Out {
  write(bytes: Buffer): boolean;
  end(bytes?: Buffer): void;
}

type HeadCall = unknown[];

/**
 * Holds the head of a response until its first bytes.
 * @param onHead Called once when the head is complete, before it is sent. It may set fields. What it returns takes the
 * body; null: the body is sent as it is.
 */
export function holdHead(res: OutgoingResponse, onHead: (out: Out) => BodyTaker | null): void {
  const { writeHead, write, end, flushHeaders } = res;
  /** The receiver of the body in place of the client; null: there is none; undefined: the head is not complete yet. */
  let taker: BodyTaker | null | undefined;
  let phrase = '';
  /** True while `write` or `end` completes the head by a call of writeHead, which then leaves sending the head to
   *  them. */
  let isWanted = false;
  let isEnded = false;
  const sendHead = () =>
    writeHead.apply(res, phrase === '' ? [res.statusCode] : [res.statusCode, phrase]);
  /** Lets Node send the head with the next bytes, because Node knows the length of a body that is written at once. */
  const letGo = () => {
    if (!res.headersSent) res.writeHead = sendHead;
  };
  const out: Out = {
    write(bytes) {
      letGo();
      return write.call(res, bytes);
    },
    end(bytes) {
      taker = null; // over HTTP/2, `end` calls `write`, which must reach the client
      letGo();
      end.apply(res, bytes === undefined ? [] : [bytes]);
    },
  };
  /** Completes the head if nobody has called writeHead, and returns what receives the body; null: the client does. */
  const known = (): BodyTaker | null => {
    if (taker === undefined && !res.headersSent) {
      isWanted = true;
      res.writeHead(res.statusCode);
      isWanted = false;
      if (taker === null) letGo();
    }
    return taker ?? null;
  };

  res.writeHead = (...call) => {
    if (taker === null || res.headersSent) return writeHead.apply(res, call);
    if (taker !== undefined) return res;
    phrase = setAll(res, call);
    taker = onHead(out);
    if (taker === null && !isWanted) sendHead();
    return res;
  };
  res.write = (...call) => {
    const to = known();
    if (to === null) return write.apply(res, call);
    const { chunk, done } = bodyOf(call);
    const hasRoom = chunk === null || isEnded || to.write(chunk);
    if (done !== undefined) process.nextTick(done);
    return hasRoom;
  };
  res.end = (...call) => {
    const to = known();
    if (to === null) return end.apply(res, call);
    const { chunk, done } = bodyOf(call);
    if (done !== undefined) res.once('finish', done);
    if (!isEnded) {
      isEnded = true;
      to.end(chunk);
    }
    return res;
  };
  if (flushHeaders === undefined) return;
  res.flushHeaders = () => {
    const to = known();
    if (to === null) flushHeaders.apply(res);
    else to.write(Buffer.alloc(0));
  };
}

/** Sets on the response what is passed to writeHead. @returns The reason phrase; '': none was passed */
function setAll(res: OutgoingResponse, [status, ...rest]: HeadCall): string {
  if (status !== undefined) res.statusCode = Number(status);
  const fields = rest.findLast((one) => typeof one === 'object' && one !== null);
  const seen = new Map<string, [name: string, values: string[]]>();
  for (const [name, value] of pairsOf(fields ?? {})) {
    if (value === undefined) continue;
    const values = Array.isArray(value) ? value.map(String) : [String(value)];
    const known = seen.get(name.toLowerCase());
    if (known === undefined) seen.set(name.toLowerCase(), [name, values]);
    else known[1].push(...values);
  }
  for (const [name, values] of seen.values()) {
    res.setHeader(name, (values.length === 1 ? values[0] : values) as string);
  }
  const [first] = rest;
  return typeof first === 'string' ? first : '';
}

/** Returns the pairs of the fields passed to `writeHead`, which may be an object, a flat list, or a list of pairs. */
export function pairsOf(fields: object): [string, unknown][] {
  if (!Array.isArray(fields)) return Object.entries(fields);
  if (Array.isArray(fields[0])) return fields as [string, unknown][];
  const pairs: [string, unknown][] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    pairs.push([String(fields[at]), fields[at + 1]]);
  }
  return pairs;
}

/** Returns chunk and callback from the arguments of `write` or `end`, each of which is optional. */
function bodyOf(call: HeadCall): { chunk: Buffer | null; done: (() => void) | undefined } {
  const [chunk, encoding] = call;
  const done = call.find((one) => typeof one === 'function') as (() => void) | undefined;
  if (chunk === undefined || chunk === null || chunk === done) return { chunk: null, done };
  if (typeof chunk !== 'string') return { chunk: Buffer.from(chunk as Uint8Array), done };
  const by = typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8';
  return { chunk: Buffer.from(chunk, by), done };
}
