// The parts of one envelope: complete parts that have not been requested, and resources that wait for their part.
//
// Guarantee: a part answers only the URL that it names, once, and only a request to which it would have been the
// response.

import type { HeaderPair } from '../../http/header-pairs.ts';
import { withRepeated } from '../../http/repeated-fields.ts';
import type { LoaderError } from '../errors.ts';
import { asLoaderError } from '../transport/connection/explain-loss.ts';
import type { ResponseHead } from '../transport/exchange.ts';
import { isSelectedByBoth, type PartHead, partHead } from './envelope-part.ts';
import type { Resource } from './resource.ts';

/** A part that is being received or is complete. */
export interface Part extends PartHead {
  /** Length of the delimiter and the fields, bytes. */
  headBytes: number;
  body: Buffer[];
  bodyBytes: number;
  /** Monotonic times, ms. */
  startedAt: number;
  endedAt: number;
}

export class EnvelopeParts {
  readonly #document: Resource;
  readonly #envelope: ResponseHead;
  /** Complete parts that have answered nothing yet, by URL. */
  readonly #parts = new Map<string, Part>();
  readonly #waiting: Map<string, Resource>;
  readonly #answered = new Map<string, Resource>();
  #keptBytes = 0;
  #usedBytes = 0;
  #isWithdrawn = false;
  /** Fields of the previous part, to which the fields of the next one may refer. */
  #before: HeaderPair[] | null = null;

  /** @param waiting Resources by URL; those that get a part are removed. */
  constructor(document: Resource, envelope: ResponseHead, waiting: Map<string, Resource>) {
    this.#document = document;
    this.#envelope = envelope;
    this.#waiting = waiting;
  }

  /** Length of the bodies so far, bytes. */
  get keptBytes(): number {
    return this.#keptBytes;
  }

  /** Length of the parts that answered a resource, bytes. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Length of the complete parts that no resource needed, bytes. */
  get unusedBytes(): number {
    const lengths = [...this.#parts.values()].map(
      ({ headBytes, bodyBytes }) => headBytes + bodyBytes,
    );
    return lengths.reduce((sum, bytes) => sum + bytes, 0);
  }

  has(url: string): boolean {
    return this.#parts.has(url);
  }

  /** Called when a part begins. @param bytes Length of delimiter and fields. @returns null: the part is unusable */
  begin(fields: HeaderPair[], bytes: number): Part | null {
    const page = new URL(this.#document.row.url);
    this.#before = withRepeated(fields, this.#before);
    const head = this.#before && partHead(this.#before, page, this.#envelope.headers);
    if (head === null || this.#parts.has(head.url) || this.#answered.has(head.url)) return null;
    const startedAt = performance.now();
    return { ...head, headBytes: bytes, body: [], bodyBytes: 0, startedAt, endedAt: 0 };
  }

  receive(part: Part, bytes: Buffer): void {
    this.#keptBytes += bytes.length;
    part.bodyBytes += bytes.length;
    // A copy, because a chunk is a slice of a larger buffer.
    part.body.push(Buffer.from(bytes));
  }

  /** Called when the part is complete. @returns The resource that waited for it but cannot use it; null: none. */
  complete(part: Part): Resource | null {
    part.endedAt = performance.now();
    this.#parts.set(part.url, part);
    const resource = this.#waiting.get(part.url);
    if (resource === undefined) return null;
    if (this.#answers(part, resource)) {
      this.#deliver(part, resource);
      return null;
    }
    this.#waiting.delete(part.url);
    return resource;
  }

  /**
   * Whether a part answers the resource. Delivery is deferred, because the caller has not recorded the resource yet.
   * @returns null: no part for its URL has arrived
   */
  take(resource: Resource): boolean | null {
    const { url } = resource.request;
    if (this.#answered.has(url)) return false;
    const part = this.#parts.get(url);
    if (part === undefined) return null;
    if (!this.#answers(part, resource)) return false;
    this.#waiting.set(url, resource);
    queueMicrotask(() => this.#deliver(part, resource));
    return true;
  }

  /** Withdraws all parts that were delivered. @returns The resources that they answered, by URL. */
  withdraw(): Map<string, Resource> {
    this.#isWithdrawn = true;
    this.#parts.clear();
    for (const resource of this.#answered.values()) resource.onRestart();
    return this.#answered;
  }

  #answers({ status, headers }: Part, { plan, request }: Resource): boolean {
    if (status === 304 && plan.validation === null) return false;
    return isSelectedByBoth(headers, this.#document.request, request);
  }

  #deliver(part: Part, resource: Resource): void {
    const { url, status, headers, headBytes, bodyBytes, body, startedAt, endedAt } = part;
    // In the meantime the load may have been stopped or the envelope withdrawn.
    if (this.#isWithdrawn || this.#waiting.get(url) !== resource) return;
    this.#waiting.delete(url);
    this.#parts.delete(url);
    this.#answered.set(url, resource);
    this.#usedBytes += headBytes + bodyBytes;
    const { exchange, row: document } = this.#document;
    resource.carriedBy(exchange, document);
    const isOver = () => this.#isWithdrawn || resource.done;
    const fail = (error: LoaderError) => {
      if (!isOver()) resource.onError(asLoaderError(error), performance.now());
    };
    const end = () => {
      if (!isOver()) resource.onEnd(resource.notBeforeFound(endedAt));
    };
    const { httpVersion } = this.#envelope;
    const statusText = status === 200 ? 'OK' : 'Not Modified';
    try {
      const head = { status, statusText, headers, httpVersion, startedAt, bytes: headBytes };
      resource.onHeaders(head);
      const work = bodyBytes === 0 ? undefined : resource.onData(Buffer.concat(body));
      if (work === undefined) end();
      else work.then(end).catch(fail);
    } catch (error) {
      fail(error as LoaderError);
    }
  }
}
