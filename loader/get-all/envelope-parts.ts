// An envelope is the response to a Get-All request: multipart/mixed, with the document as the first part and a resource
// that it names in each other part. This is an envelope as far as it has been read: complete parts that the page has
// not asked for yet, and resources that wait for their part.
//
// Guarantee: a part is the response for the URL that it names only, once, and only if a separate request would have got
// the same response.

import { nameList } from '../../http/field-syntax.ts';
import { fieldValue, type HeaderPair, hasField, withoutFields } from '../../http/header-pairs.ts';
import { hopByHop } from '../../http/hop-by-hop.ts';
import type { CacheRequest } from '../cache/entry.ts';
import type { LoaderError } from '../errors.ts';
import type { PageRequest } from '../page/page-layer.ts';
import type { Resource } from '../page/resource.ts';
import type { MultipartReader } from '../response/multipart.ts';
import { asLoaderError } from '../transport/connection/explain-loss.ts';
import type { ExchangeHandler, ResponseHead } from '../transport/exchange.ts';

/** A resource that the page needs and that may come as a part of the combined Get-All response. */
export interface Waiter {
  request: PageRequest;
  handler: ExchangeHandler;
}

/** A part of the combined Get-All response, with one resource, which is being received or is complete. */
export interface EnvelopePart extends PartHead {
  /** Length of the part's multipart delimiter and header fields, bytes. */
  headBytes: number;
  body: Buffer[];
  bodyBytes: number;
  /** Monotonic times of the part's first and last byte, ms. */
  startedAt: number;
  endedAt: number;
}

export class EnvelopeParts {
  readonly head: ResponseHead;
  readonly reader: MultipartReader;
  /** Part of the combined response being read: none yet, the document, or another one; null: an unused one. */
  reading: 'none' | 'document' | EnvelopePart | null = 'none';
  hasDocument = false;
  /** No byte of the combined response came for some time: resources are requested instead of waiting for a part. */
  isSilent = false;
  /** The combined response has ended or failed, so no further part of it is used. */
  isRead = false;
  receivedBytes = 0;
  documentBytes = 0;
  readonly #document: Resource;
  /** Complete parts of the combined response that the page has not asked for yet, by URL. */
  readonly #parts = new Map<string, EnvelopePart>();
  readonly #waiting: Map<string, Waiter>;
  readonly #answered = new Map<string, Waiter>();
  #keptBytes = 0;
  /** Length of the parts of the combined response that the page has used, with delimiters and header fields, bytes. */
  #usedBytes = 0;
  #isWithdrawn = false;

  /** @param waiting The resources that wait for a part, by URL; those that get one are removed. */
  constructor(
    document: Resource,
    head: ResponseHead,
    reader: MultipartReader,
    waiting: Map<string, Waiter>,
  ) {
    this.#document = document;
    this.head = head;
    this.reader = reader;
    this.#waiting = waiting;
  }

  /** Length of the complete parts of the combined response that the page has not asked for, bytes. */
  get unusedBytes(): number {
    const parts = [...this.#parts.values()];
    return parts.reduce((sum, { headBytes, bodyBytes }) => sum + headBytes + bodyBytes, 0);
  }

  /** Bytes of the combined response outside document and complete parts: delimiters, incomplete and unusable parts. */
  get otherBytes(): number {
    return this.receivedBytes - this.documentBytes - this.unusedBytes - this.#usedBytes;
  }

  has(url: string): boolean {
    return this.#parts.has(url);
  }

  /** Begins a part of the combined response, or skips an unusable one. @param bytes Length of delimiter and fields. */
  begin(fields: HeaderPair[], bytes: number): void {
    const page = new URL(this.#document.row.url);
    const head = partHead(fields, page, this.head.headers);
    const isNew = head !== null && !this.#parts.has(head.url) && !this.#answered.has(head.url);
    const startedAt = performance.now();
    this.reading = isNew
      ? { ...head, headBytes: bytes, body: [], bodyBytes: 0, startedAt, endedAt: 0 }
      : null;
  }

  /** Adds received bytes to a part. @returns Length of the bodies of all parts but the document so far, bytes. */
  receive(part: EnvelopePart, bytes: Buffer): number {
    part.bodyBytes += bytes.length;
    // Chunks are copied, because they are slices of a larger buffer.
    part.body.push(Buffer.from(bytes));
    this.#keptBytes += bytes.length;
    return this.#keptBytes;
  }

  /** Delivers a complete part to the resource that waits for it. @returns That resource if it cannot use the part. */
  complete(part: EnvelopePart): Waiter | null {
    part.endedAt = performance.now();
    this.#parts.set(part.url, part);
    const waiter = this.#waiting.get(part.url);
    if (waiter === undefined) return null;
    if (this.#answers(part, waiter)) {
      this.#deliver(part, waiter);
      return null;
    }
    this.#waiting.delete(part.url);
    return waiter;
  }

  /**
   * Delivers to a resource its part of the combined response, if that has arrived, in a microtask after this call.
   * @returns true: it will be delivered. false: it was used already, or does not fit the request. null: not yet here
   */
  claim(waiter: Waiter): boolean | null {
    const { url } = waiter.request.owner.request;
    if (this.#answered.has(url)) return false;
    const part = this.#parts.get(url);
    if (part === undefined) return null;
    if (!this.#answers(part, waiter)) return false;
    this.#waiting.set(url, waiter);
    queueMicrotask(() => this.#deliver(part, waiter));
    return true;
  }

  /** Takes all delivered parts back, as the response starts over. @returns The resources that had got one, by URL. */
  withdraw(): Map<string, Waiter> {
    this.#isWithdrawn = true;
    this.#parts.clear();
    for (const { handler } of this.#answered.values()) handler.onRestart();
    return this.#answered;
  }

  #answers({ status, headers }: EnvelopePart, { request: { owner } }: Waiter): boolean {
    const { plan, request } = owner;
    if (status === 304 && plan.validation === null) return false;
    return isSelectedByBoth(headers, this.#document.request, request);
  }

  #deliver(part: EnvelopePart, waiter: Waiter): void {
    const { url, status, headers, headBytes, bodyBytes, body, startedAt, endedAt } = part;
    // If `claim` queued this call, the load may have been stopped since, or all parts taken back (`withdraw`).
    if (this.#isWithdrawn || this.#waiting.get(url) !== waiter) return;
    this.#waiting.delete(url);
    this.#parts.delete(url);
    this.#answered.set(url, waiter);
    const { handler } = waiter;
    const resource = waiter.request.owner;
    this.#usedBytes += headBytes + bodyBytes;
    const { exchange, row: document } = this.#document;
    resource.carriedBy(exchange, document);
    const isOver = () => this.#isWithdrawn || resource.done;
    const fail = (error: LoaderError) => {
      if (!isOver()) handler.onError(asLoaderError(error), performance.now());
    };
    const end = () => {
      if (!isOver()) handler.onEnd(resource.notBeforeFound(endedAt));
    };
    const { httpVersion } = this.head;
    const statusText = status === 200 ? 'OK' : 'Not Modified';
    try {
      const head = { status, statusText, headers, httpVersion, startedAt, bytes: headBytes };
      handler.onHeaders(head);
      const work = bodyBytes === 0 ? undefined : handler.onData(Buffer.concat(body));
      if (work === undefined) end();
      else work.then(end).catch(fail);
    } catch (error) {
      fail(error as LoaderError);
    }
  }
}

interface PartHead {
  /** URL of the same origin as the page, without fragment. */
  url: string;
  status: 200 | 304;
  headers: HeaderPair[];
}

/** Fields of the combined response that do not apply to the document, whose part has its own, or none of them. */
const ofEnvelope = new Set([
  'age',
  'cache-control',
  'content-encoding',
  'content-language',
  'content-length',
  'content-type',
  'etag',
  'expires',
  'last-modified',
  'transfer-encoding',
  'vary',
]);

/** Fields that are ignored in a part of a combined response. Servers put no response that sets cookies into one. */
const notOfPart = new Set([...hopByHop, 'content-location', 'set-cookie', 'set-cookie2', 'status']);

/** Returns the document's response fields: those of its part, and those of the combined response that apply to it. */
export function documentHeaders(envelope: readonly HeaderPair[], part: HeaderPair[]): HeaderPair[] {
  return [...withoutFields(envelope, ofEnvelope), ...withoutFields(part, notOfPart)];
}

/**
 * Reads the fields of a part of the combined response.
 * @param page URL of the document. @param envelope Fields of that response, whose Date applies to its parts as well.
 * @returns null: the part has another origin, no valid Content-Location, or a status other than 200 and 304.
 */
function partHead(
  fields: HeaderPair[],
  page: URL,
  envelope: readonly HeaderPair[],
): PartHead | null {
  const place = fieldValue(fields, 'content-location');
  // URL parsers read `\` as `/`, so `/\host` would name another origin.
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(place) || /[#\\]/.test(place)) return null;
  const url = URL.parse(place, page.href);
  if (url === null || url.origin !== page.origin) return null;
  const [, digits] =
    /^(\d{3})(?: [\x20-\x7e]*)?$/.exec(fieldValue(fields, 'status') || '200') ?? [];
  const status = Number(digits);
  if (status !== 200 && status !== 304) return null;
  const headers = withoutFields(fields, notOfPart);
  const date = fieldValue(envelope, 'date');
  if (date !== '' && !hasField(headers, 'date')) headers.push(['date', date]);
  return { url: url.href, status, headers };
}

/** Whether the document's request selects the same response as one for the resource alone would (RFC 9111 4.1). */
function isSelectedByBoth(
  headers: readonly HeaderPair[],
  document: CacheRequest,
  resource: CacheRequest,
): boolean {
  return nameList(fieldValue(headers, 'vary')).every((name) => {
    if (name === 'get-all') return true;
    // Any request accepts a response without a content coding.
    if (name === 'accept-encoding' && !hasField(headers, 'content-encoding')) return true;
    const one = fieldValue(document.headers, name);
    return name !== '*' && one === fieldValue(resource.headers, name);
  });
}
