// The response to a Get-All request: the document as its first part, passed to the page as it arrives, then the
// resources that the document names. This handler stands between the transport and the document's row. References found
// meanwhile wait for their part; when the envelope ends, fails or stalls, those without a part are requested. If the
// response is no envelope, everything passes through.
//
// Guarantee: a resource that no complete part answers is requested as if there had been no envelope. After a framing
// error no further part of the envelope is used.

import { fieldValue, type HeaderPair } from '../../http/header-pairs.ts';
import { LoaderError, type LoaderErrorCode } from '../errors.ts';
import { boundaryOf, MultipartReader, type PartEvent } from '../response/multipart.ts';
import { asLoaderError } from '../transport/connection/explain-loss.ts';
import type { Batch, Exchange, ExchangeHandler, ResponseHead } from '../transport/exchange.ts';
import { documentHeaders } from './envelope-part.ts';
import { EnvelopeParts, type Part } from './envelope-parts.ts';
import { knowsGetAll } from './get-all.ts';
import type { Resource } from './resource.ts';
import { headBytes } from './resource-row.ts';

/** The page as an envelope uses it. */
export interface EnvelopeHost {
  /** Limits for one body and for all bodies together, bytes. */
  readonly limits: { maxResourceBytes: number; maxPageBytes: number };
  /** Shortest silence of the envelope after which no resource waits for a part any more, ms. */
  readonly stallMs: number;
  /** Called when parts that the page waits for may arrive. */
  began(): void;
  /** Called when nothing more of the envelope will be used. */
  ended(): void;
  /** Whether a request may be answered before this response ends. */
  hasWayAround(exchange: Exchange): boolean;
  /** Called when no resource waits any more. @param exchange To be cancelled; null: it still carries the document. */
  stalled(exchange: Exchange | null): void;
  /** Called if requests with the Get-All field fail or get an unusable answer, but one without it succeeds. */
  refused(): void;
  /** Requests the document again, without the Get-All field, and passes the response to this handler. */
  askDocument(document: Resource, handler: ExchangeHandler): void;
  /** Requests these resources in one batch. */
  askAlone(resources: Resource[]): void;
  /** Counts received bytes that belong to no row. */
  discarded(bytes: number): void;
}

/** Statuses with which servers answer a field that is unknown to them or too long (RFC 6585 5). */
const refusals = new Set([400, 431]);
/** Faults of the connection or of the envelope, which a request without the field may avoid. */
const avoidable = new Set<LoaderErrorCode>([
  'connection-lost',
  'length-mismatch',
  'malformed-response',
  'out-of-step',
  'response-timeout',
]);
const maxFieldBytes = 64 * 1024;
const maxParts = 1_000;

/** State of the envelope that is being received; each response to the request gets its own. */
class Opened {
  readonly parts: EnvelopeParts;
  readonly head: ResponseHead;
  readonly reader: MultipartReader;
  /** The part that is being read: none yet, the document, or another one; null: a part that is not used. */
  reading: 'none' | 'document' | Part | null = 'none';
  hasDocument = false;
  /** The envelope has stalled, so no resource waits for a part. */
  isSilent = false;
  /** No more parts follow that may be used. */
  isRead = false;
  receivedBytes = 0;
  documentBytes = 0;
  /** Length of the parts that cannot be used, bytes. */
  refusedBytes = 0;

  constructor(document: Resource, head: ResponseHead, reader: MultipartReader, waiting: Waiting) {
    this.head = head;
    this.reader = reader;
    this.parts = new EnvelopeParts(document, head, waiting);
  }

  get unusedBytes(): number {
    return this.refusedBytes + this.parts.unusedBytes;
  }
}

type Waiting = Map<string, Resource>;

export class Envelope implements ExchangeHandler {
  readonly #host: EnvelopeHost;
  readonly #document: Resource;
  readonly #origin: string;
  readonly #isKnown: boolean;
  /**
   * `refused`: the response is an error or an unreadable envelope and is discarded. `plain`: the response is the
   * document's own. `alone`: the document was requested again, without the field.
   */
  #state: 'asked' | 'refused' | 'plain' | 'alone' | 'open' | 'over' = 'asked';
  /** null: no envelope has begun. */
  #opened: Opened | null = null;
  readonly #waiting: Waiting = new Map();
  /** The server answered the Get-All field with an error. */
  #isRefusal = false;
  #isStopped = false;
  #stall: NodeJS.Timeout | undefined;

  /** @param isKnown The server has said that it supports the field. */
  constructor(host: EnvelopeHost, document: Resource, isKnown: boolean) {
    this.#host = host;
    this.#document = document;
    this.#origin = new URL(document.row.url).origin;
    this.#isKnown = isKnown;
  }

  /** @returns Whether a part answers the resource, now or later; if not, it must be requested. */
  take(resource: Resource): boolean {
    const { request, plan } = resource;
    if (this.#isStopped || new URL(request.url).origin !== this.#origin) return false;
    if (plan.hit !== null || plan.range !== null || this.#waiting.has(request.url)) return false;
    const opened = this.#opened;
    const taken = opened?.parts.take(resource) ?? null;
    if (taken !== null) return taken;
    const mayCome =
      opened === null
        ? this.#state === 'asked' && this.#isKnown
        : !opened.isSilent && !opened.isRead;
    if (mayCome) this.#waiting.set(request.url, resource);
    return mayCome;
  }

  /** Stops the load. */
  giveUp(error: LoaderError): void {
    this.#isStopped = true;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const resource of waiting) resource.onError(error, performance.now());
  }

  /** Length of the complete parts that no resource needed or that must not be used, bytes. */
  get unusedBytes(): number {
    return this.#opened?.unusedBytes ?? 0;
  }

  /** Bytes that belong neither to a row nor to an unused part, such as the close delimiter or an incomplete part. */
  get otherBytes(): number {
    if (this.#opened === null) return 0;
    const { receivedBytes, documentBytes, unusedBytes, parts } = this.#opened;
    return receivedBytes - documentBytes - unusedBytes - parts.usedBytes;
  }

  onSent(batch: Batch): void {
    this.#document.onSent(batch);
  }

  onInterim(status: number, headers: HeaderPair[]): void {
    this.#document.onInterim(status, headers);
  }

  onHeaders(head: ResponseHead): void {
    if (this.#state === 'alone') {
      if (this.#isRefusal && head.status < 400) this.#host.refused();
      this.#document.onHeaders(head);
      return;
    }
    const reader = this.#readerOf(head);
    if (reader === 'unusable') {
      this.#state = 'refused';
      this.#host.discarded(headBytes(head));
    } else if (reader === null) {
      this.#state = 'plain';
      this.#release();
      this.#document.onHeaders(head);
    } else {
      this.#state = 'open';
      this.#opened = new Opened(this.#document, head, reader, this.#waiting);
      this.#host.began();
      const sentAt = this.#document.batch?.sentAt ?? head.startedAt;
      const stallMs = Math.max(this.#host.stallMs, 2 * (head.startedAt - sentAt));
      this.#stall = setTimeout(() => this.#isSilent(), stallMs);
    }
  }

  onData(chunk: Buffer): void | Promise<void> {
    if (this.#isPlain) return this.#document.onData(chunk);
    if (this.#state === 'refused') this.#host.discarded(chunk.length);
    const opened = this.#opened;
    if (this.#state !== 'open' || opened === null) return undefined;
    this.#stall?.refresh();
    opened.isSilent = false;
    opened.receivedBytes += chunk.length;
    let work: Promise<void> | undefined;
    try {
      for (const event of opened.reader.write(chunk)) {
        const step = this.#take(opened, event);
        if (step === null) continue;
        const next = () => (opened === this.#opened ? this.#run(step) : undefined);
        work = work === undefined ? next() : work.then(next);
      }
      const { isComplete, fault } = opened.reader;
      opened.isRead = isComplete;
      if (isComplete) this.#release();
      if (fault !== null) this.#fail(fault);
    } catch (error) {
      if (work === undefined) throw error;
      // The document's own work comes first: it may fail as well, and its failure must be reported.
      work = work.then(() => {
        throw error;
      });
    }
    return work;
  }

  onEnd(endedAt: number): void {
    if (this.#isPlain) {
      this.#document.onEnd(endedAt);
    } else if (this.#state === 'refused') {
      this.#askDocument({ isRefusal: true });
    } else if (this.#state === 'open') {
      this.#opened?.reader.end();
      if (this.#opened?.hasDocument) {
        this.#end();
        // If the response turns out to belong to another request, the document may be requested again.
        this.#document.exchange?.revive();
      } else {
        this.onError(faultOf(this.#opened?.reader.fault ?? ''), endedAt);
      }
    }
  }

  onRestart(): void {
    if (this.#isPlain) this.#document.onRestart();
    if (this.#state === 'alone') return;
    const wasOpen = this.#state === 'open';
    this.#withdraw();
    this.#state = 'asked';
    if (wasOpen) this.#host.ended();
  }

  onError(error: LoaderError, atMs: number): void {
    const wasOpen = this.#state === 'open';
    const isAvoidable = wasOpen && avoidable.has(error.code);
    if (this.#isPlain) {
      this.#document.onError(error, atMs);
    } else if (wasOpen && (this.#opened?.hasDocument || this.#document.done)) {
      // The document has arrived, but may not be decoded yet.
      if (this.#isStopped) this.#document.onError(error, atMs);
      this.#end();
    } else if (this.#state === 'refused' || isAvoidable) {
      this.#askDocument({ isRefusal: !wasOpen || error.code === 'malformed-response' });
      if (wasOpen) this.#host.ended();
    } else {
      this.#state = 'over';
      clearTimeout(this.#stall);
      this.#document.onError(error, atMs);
      this.#release();
      if (wasOpen) this.#host.ended();
    }
  }

  get #isPlain(): boolean {
    return this.#state === 'plain' || this.#state === 'alone';
  }

  /** null: the response is the document's own. `unusable`: the response must not be used. */
  #readerOf({ status, headers }: ResponseHead): MultipartReader | 'unusable' | null {
    if (refusals.has(status)) return 'unusable';
    const contentType = fieldValue(headers, 'content-type');
    if (status !== 200 || !/^multipart\/mixed\b/i.test(contentType)) return null;
    if (!knowsGetAll(fieldValue(headers, 'get-all'))) return null;
    const boundary = boundaryOf(contentType);
    if (boundary === null || fieldValue(headers, 'content-encoding') !== '') return 'unusable';
    const { maxResourceBytes: maxPartBytes } = this.#host.limits;
    return new MultipartReader(boundary, { maxFieldBytes, maxParts, maxPartBytes });
  }

  /** @returns The step that the event causes in the document; null: none. */
  #take(opened: Opened, event: PartEvent): (() => void | Promise<void>) | null {
    const { reading, parts } = opened;
    if (event.kind === 'fields') return this.#begin(opened, event);
    if (reading === 'document') return this.#takeDocument(opened, event);
    if (reading === null || reading === 'none') {
      if (event.kind === 'data') opened.refusedBytes += event.bytes.length;
    } else if (event.kind === 'data') {
      const { maxPageBytes } = this.#host.limits;
      parts.receive(reading, event.bytes);
      if (parts.keptBytes > maxPageBytes)
        this.#fail(`parts over limits.maxPageBytes (${maxPageBytes})`);
    } else {
      const unanswered = parts.complete(reading);
      if (unanswered !== null) this.#host.askAlone([unanswered]);
    }
    return null;
  }

  #begin(opened: Opened, { fields, bytes }: PartEvent & { kind: 'fields' }): (() => void) | null {
    if (opened.reading !== 'none') {
      opened.reading = opened.parts.begin(fields, bytes);
      if (opened.reading === null) opened.refusedBytes += bytes;
      return null;
    }
    opened.reading = 'document';
    opened.documentBytes += bytes;
    const { head } = opened;
    const headers = documentHeaders(head.headers, fields);
    this.#document.isDelimited = true;
    return () => this.#document.onHeaders({ ...head, headers, bytes: headBytes(head) + bytes });
  }

  #takeDocument(
    opened: Opened,
    event: Exclude<PartEvent, { kind: 'fields' }>,
  ): () => void | Promise<void> {
    if (event.kind === 'data') {
      opened.documentBytes += event.bytes.length;
      return () => this.#document.onData(event.bytes);
    }
    opened.hasDocument = true;
    // The document is not requested again, whatever happens to the rest of the envelope.
    this.#document.exchange?.cancel();
    const endedAt = performance.now();
    return () => this.#document.onEnd(endedAt);
  }

  /** Runs a step of the document. An error in the step fails the document and ends the envelope. */
  #run(step: () => void | Promise<void>): Promise<void> | undefined {
    const fail = (error: unknown): never => {
      this.#document.onError(asLoaderError(error), performance.now());
      throw error;
    };
    try {
      return step()?.catch(fail);
    } catch (error) {
      return fail(error);
    }
  }

  /** @throws LoaderError, which makes the transport cancel the response. */
  #fail(fault: string): never {
    this.#document.exchange?.cancel();
    throw faultOf(fault);
  }

  #isSilent(): void {
    const opened = this.#opened;
    if (opened === null) return;
    const { exchange } = this.#document;
    // The server pauses inside the document: requests queued behind it would be answered too late, and twice.
    if (!opened.hasDocument && exchange !== null && !this.#host.hasWayAround(exchange)) {
      this.#stall?.refresh();
      return;
    }
    opened.isSilent = true;
    this.#host.stalled(opened.hasDocument ? exchange : null);
    this.#release();
  }

  /** Requests the waiting resources that have no part. */
  #release(): void {
    const waiting = [...this.#waiting].filter(([url]) => !this.#opened?.parts.has(url));
    for (const [url] of waiting) this.#waiting.delete(url);
    if (waiting.length > 0) this.#host.askAlone(waiting.map(([, resource]) => resource));
  }

  #end(): void {
    this.#state = 'over';
    clearTimeout(this.#stall);
    if (this.#opened !== null) this.#opened.isRead = true;
    this.#release();
    this.#host.ended();
  }

  #askDocument({ isRefusal }: { isRefusal: boolean }): void {
    this.#isRefusal = isRefusal;
    this.#withdraw();
    this.#state = 'alone';
    this.#host.askDocument(this.#document, this);
    this.#release();
  }

  /** Returns to the state before the response; resources that it had answered wait again. */
  #withdraw(): void {
    clearTimeout(this.#stall);
    const opened = this.#opened;
    if (opened === null) return;
    this.#host.discarded(this.unusedBytes + this.otherBytes);
    this.#opened = null;
    this.#document.isDelimited = false;
    if (opened.reading !== 'none') this.#document.onRestart();
    for (const [url, resource] of opened.parts.withdraw()) this.#waiting.set(url, resource);
  }
}

function faultOf(fault: string): LoaderError {
  return new LoaderError('malformed-response', `the parts of the page (Get-All): ${fault}`);
}
