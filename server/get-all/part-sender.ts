// Sends the parts one after the other. The site is asked for each as if the client had asked for it alone, and a part
// is left out unless its response is a plain 200 that any such request would get. Small bodies are read whole before
// their part begins, so that an error only leaves the part out; an error later in a larger one ends the response.

import { joinedLines, nameList } from '../../http/field-syntax.ts';
import { heldTag } from '../../http/get-all.ts';
import { fieldLines, fieldValue, type HeaderPair, hasField } from '../../http/header-pairs.ts';
import type { Request } from '../listen/handler.ts';
import type { Envelope } from './envelope.ts';
import type { InnerExchange } from './inner-exchange.ts';
import type { InnerHead } from './inner-socket.ts';
import type { Wanted } from './wanted.ts';

/** Most bytes that are read before the part begins. */
const smallBytes = 64 * 1024;
/** Most bytes of a body without Content-Length: it is read whole, because each part states its length. */
const unmeasuredBytes = 1024 * 1024;

/** Sees a part on its way: its head, its body and its end, in this order. */
export interface Listener {
  head(fields: InnerHead['fields']): void;
  body(chunk: Buffer): Promise<void>;
  end(): Promise<void>;
}

export interface PartSettings {
  readonly req: Request;
  readonly envelope: Envelope;
  readonly held: ReadonlySet<string>;
  readonly patience: Patience;
  readonly maxBytes: number;
  readonly ask: (wanted: Wanted) => InnerExchange;
}

export type Outcome = 'sent' | 'held' | 'left out';

export class PartSender {
  readonly #settings: PartSettings;
  #bytes = 0;

  constructor(settings: PartSettings) {
    this.#settings = settings;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * @param listener Called for a 200 only; it may see the beginning of a part that is left out
   * @throws Error if a part that has begun cannot be completed, or the client is gone
   */
  async send(wanted: Wanted, listener: Listener | null): Promise<Outcome> {
    const { ask, patience } = this.#settings;
    const exchange = ask(wanted);
    try {
      const head = await leftOutIf(patience.wait(exchange.head));
      if (head === null || !this.#isPlain(head)) return 'left out';
      return await this.#part(wanted, head, exchange, listener);
    } finally {
      exchange.abort();
    }
  }

  async #part(
    { target }: Wanted,
    { fields }: InnerHead,
    exchange: InnerExchange,
    listener: Listener | null,
  ): Promise<Outcome> {
    const { envelope, held, maxBytes, patience } = this.#settings;
    const length = lengthOf(fields);
    const room = maxBytes - this.#bytes;
    if (length === null ? hasField(fields, 'content-length') : length > room) return 'left out';
    const isHeld = held.has(heldTag(target, fieldValue(fields, 'etag')));
    listener?.head(fields);
    if (isHeld && listener === null) {
      await envelope.notModified(target, fields);
      return 'held';
    }
    const body = measured(exchange.body, length);
    const next = async () => {
      const { value } = await patience.wait(body.next());
      if (value) await listener?.body(value);
      return (value ?? null) as Buffer | null;
    };
    const most = length === null ? Math.min(unmeasuredBytes, room) : smallBytes;
    const start = await leftOutIf(gather(next, most));
    if (start === null || (!start.isWhole && length === null)) return 'left out';
    if (isHeld) {
      while (!start.isWhole && (await leftOutIf(next())) !== null);
      await listener?.end();
      await envelope.notModified(target, fields);
      return 'held';
    }
    this.#bytes += length ?? start.bytes;
    const own = length === null ? [...fields, lengthField(start.bytes)] : fields;
    await envelope.part(target, own, start.chunks);
    if (!start.isWhole) {
      for (let chunk = await next(); chunk !== null; chunk = await next()) {
        await envelope.write(chunk);
      }
    }
    await listener?.end();
    return 'sent';
  }

  /** True if the response is meant for this client, and a request for it alone would get the same. */
  #isPlain({ status, fields }: InnerHead): boolean {
    const { headers } = this.#settings.req;
    const isCoded = hasField(fields, 'content-encoding');
    // A response without coding, and so without dictionary, does not depend on these two fields.
    const isFree = (name: string) =>
      name === 'available-dictionary' || (name === 'accept-encoding' && !isCoded);
    const isAsSent = (name: string) => isFree(name) || joinedLines(headers[name]) !== '';
    return (
      status === 200 &&
      !hasField(fields, 'set-cookie') &&
      nameList(fieldValue(fields, 'vary')).every(isAsSent)
    );
  }
}

const lengthField = (bytes: number): [string, string] => ['Content-Length', String(bytes)];

/** @returns null if the site gave up or took too long */
async function leftOutIf<T>(coming: Promise<T>): Promise<T | null> {
  try {
    return await coming;
  } catch {
    return null;
  }
}

interface Gathered {
  readonly chunks: readonly Buffer[];
  readonly bytes: number;
  readonly isWhole: boolean;
}

/** Reads until the end, or until there are more than `most` bytes. */
async function gather(next: () => Promise<Buffer | null>, most: number): Promise<Gathered> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  while (bytes <= most) {
    const chunk = await next();
    if (chunk === null) return { chunks, bytes, isWhole: true };
    chunks.push(chunk);
    bytes += chunk.length;
  }
  return { chunks, bytes, isWhole: false };
}

/** @returns null if the response gives no valid Content-Length, or several */
export function lengthOf(fields: readonly HeaderPair[]): number | null {
  const [line = '', ...others] = fieldLines(fields, 'content-length');
  return /^\d{1,15}$/.test(line) && others.length === 0 ? Number(line) : null;
}

/**
 * Passes on the body of an inner response, and checks that it is as long as its Content-Length says.
 * @throws Error if the site gave up, or wrote another length
 */
export async function* measured(
  body: AsyncIterable<Buffer>,
  length: number | null,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (length !== null && bytes > length) throw new Error('longer than its Content-Length');
    yield chunk;
  }
  if (length !== null && bytes < length) throw new Error('shorter than its Content-Length');
}

class TookTooLong extends Error {}

/**
 * How long the site may take for all parts of one response together. Only the time spent waiting for the site counts,
 * so a client that reads slowly uses up none. One wait takes at most half of what is left, so a part that never comes
 * leaves time for the others.
 */
export class Patience {
  #leftMs: number;

  constructor(timeoutMs: number) {
    this.#leftMs = timeoutMs;
  }

  get isOver(): boolean {
    return this.#leftMs < 1;
  }

  /** @throws TookTooLong */
  async wait<T>(coming: Promise<T>): Promise<T> {
    const sinceMs = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new TookTooLong()), this.#leftMs / 2);
    });
    try {
      return await Promise.race([coming, late]);
    } finally {
      clearTimeout(timer);
      this.#leftMs -= performance.now() - sinceMs;
    }
  }
}
