// Handles an envelope, the multipart response to a Get-All request: the document is its first part, passed to the page
// as it arrives; each other part is a resource that the document names. This handler stands between the transport and
// the document's row. Resources that the page needs meanwhile wait for their part; when the envelope ends, fails or
// stalls, those without a part are requested. If the response is no envelope, everything passes through.
//
// Guarantee: a resource that does not come as a complete part is requested as if there had been no envelope. After a
// framing error no further part of the envelope is used.

import { parseGetAll } from '../../http/get-all.ts';
import { fieldValue } from '../../http/header-pairs.ts';
import { LoaderError, type LoaderErrorCode } from '../errors.ts';
import { type Dispatch, LayerHandler } from '../layer.ts';
import type { LayerPage, PageRequest } from '../page/page-layer.ts';
import type { Resource } from '../page/resource.ts';
import { headBytes } from '../page-load.ts';
import { boundaryOf, MultipartReader, type PartEvent } from '../response/multipart.ts';
import { asLoaderError } from '../transport/connection/explain-loss.ts';
import type { ExchangeHandler, ResponseHead } from '../transport/exchange.ts';
import { documentHeaders, EnvelopeParts, type Waiter } from './envelope-parts.ts';

/** Statuses with which servers answer a field that is unknown to them or too long (RFC 6585 5). */
const refusals = new Set([400, 431]);
/** Errors of the connection or of the combined response that a request without the Get-All field may avoid. */
const avoidable = new Set<LoaderErrorCode>([
  'connection-lost',
  'length-mismatch',
  'malformed-response',
  'out-of-step',
  'response-timeout',
]);
const maxFieldBytes = 64 * 1024;
const maxParts = 1_000;

export interface EnvelopeContext {
  page: LayerPage;
  /** Sends a request to the network. */
  dispatch: Dispatch<PageRequest>;
  /** The document's request, without the Get-All field. */
  request: PageRequest;
  /** Whether the server has said in an earlier response that it supports the Get-All field. */
  isKnown: boolean;
}

export class Envelope extends LayerHandler {
  readonly #context: EnvelopeContext;
  readonly #document: Resource;
  readonly #origin: string;
  /**
   * State of the Get-All request. `asked`: no response yet. `open`: the combined response is being read. `refused`: the
   * response is an error or unreadable, and is discarded. `plain`: the response is just the document. `alone`: the
   * document was requested again, without the Get-All field. `over`: the document has arrived or failed.
   */
  #state: 'asked' | 'refused' | 'plain' | 'alone' | 'open' | 'over' = 'asked';
  /** The combined response as far as it has been read; null: none has begun. */
  #opened: EnvelopeParts | null = null;
  readonly #waiting = new Map<string, Waiter>();
  #isStopped = false;
  #stall: NodeJS.Timeout | undefined;

  /** @param handler Receives the document's response. */
  constructor(handler: ExchangeHandler, context: EnvelopeContext) {
    super(handler);
    this.#context = context;
    this.#document = context.request.owner;
    this.#origin = context.request.url.origin;
  }

  /** Gives a resource its part of the combined response, or lets it wait for one. @returns false: none can come */
  claim(waiter: Waiter): boolean {
    const { request, plan } = waiter.request.owner;
    if (this.#isStopped || waiter.request.url.origin !== this.#origin) return false;
    if (plan.range !== null || this.#waiting.has(request.url)) return false;
    const opened = this.#opened;
    const taken = opened?.claim(waiter) ?? null;
    if (taken !== null) return taken;
    const mayCome =
      opened === null
        ? this.#state === 'asked' && this.#context.isKnown
        : !opened.isSilent && !opened.isRead;
    if (mayCome) this.#waiting.set(request.url, waiter);
    return mayCome;
  }

  /** Fails all resources that wait for their part of the combined response, because the load is stopped. */
  giveUp(error: LoaderError): void {
    this.#isStopped = true;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { handler } of waiting) handler.onError(error, performance.now());
  }

  /** Counts the bytes of the combined response that the page did not use; called when the page is over. */
  count(): void {
    const { recorder } = this.#context.page;
    recorder.unused(this.#opened?.unusedBytes ?? 0);
    recorder.discarded(this.#opened?.otherBytes ?? 0);
  }

  override onHeaders(head: ResponseHead): void {
    if (this.#state === 'alone') {
      this.handler.onHeaders(head);
      return;
    }
    const reader = this.#readerOf(head);
    if (reader === 'unusable') {
      this.#state = 'refused';
      this.#context.page.recorder.discarded(headBytes(head));
    } else if (reader === null) {
      this.#state = 'plain';
      this.#release();
      this.handler.onHeaders(head);
    } else {
      this.#state = 'open';
      this.#opened = new EnvelopeParts(this.#document, head, reader, this.#waiting);
      this.#context.page.waits(1);
      const sentAt = this.#document.batch?.sentAt ?? head.startedAt;
      const { stallMs } = this.#context.page.context.options.pipeline;
      const silentMs = Math.max(stallMs, 2 * (head.startedAt - sentAt));
      this.#stall = setTimeout(() => this.#isSilent(), silentMs);
    }
  }

  override onData(chunk: Buffer): void | Promise<void> {
    if (this.#isPlain) return this.handler.onData(chunk);
    if (this.#state === 'refused') this.#context.page.recorder.discarded(chunk.length);
    const opened = this.#opened;
    if (this.#state !== 'open' || opened === null) return undefined;
    this.#stall?.refresh();
    opened.isSilent = false;
    opened.receivedBytes += chunk.length;
    let work: Promise<void> | undefined;
    try {
      for (const event of opened.reader.write(chunk)) {
        const step = this.#read(opened, event);
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
      // The processing of the document's bytes comes first: it may fail as well, and its failure must be reported.
      work = work.then(() => {
        throw error;
      });
    }
    return work;
  }

  override onEnd(endedAt: number): void {
    if (this.#isPlain) {
      this.handler.onEnd(endedAt);
    } else if (this.#state === 'refused') {
      this.#askDocument();
    } else if (this.#state === 'open') {
      this.#opened?.reader.end();
      if (this.#opened?.hasDocument) {
        this.#close();
        // If the response turns out to answer another request, the transport may send the document's request again.
        this.#document.exchange?.revive();
      } else {
        this.onError(faultOf(this.#opened?.reader.fault ?? ''), endedAt);
      }
    }
  }

  override onRestart(): void {
    if (this.#isPlain) this.handler.onRestart();
    if (this.#state === 'alone') return;
    const wasOpen = this.#state === 'open';
    this.#withdraw();
    this.#state = 'asked';
    if (wasOpen) this.#context.page.waits(-1);
  }

  override onError(error: LoaderError, atMs: number): void {
    const wasOpen = this.#state === 'open';
    const isAvoidable = wasOpen && avoidable.has(error.code);
    if (this.#isPlain) {
      this.handler.onError(error, atMs);
    } else if (wasOpen && (this.#opened?.hasDocument || this.#document.done)) {
      // The document has arrived; a stop of the load still fails it, since it may be being decoded.
      if (this.#isStopped) this.handler.onError(error, atMs);
      this.#close();
    } else if (this.#state === 'refused' || isAvoidable) {
      this.#askDocument();
      if (wasOpen) this.#context.page.waits(-1);
    } else {
      this.#state = 'over';
      clearTimeout(this.#stall);
      this.handler.onError(error, atMs);
      this.#release();
      if (wasOpen) this.#context.page.waits(-1);
    }
  }

  get #isPlain(): boolean {
    return this.#state === 'plain' || this.#state === 'alone';
  }

  /** Returns a reader for a combined response; null: it is just the document; `unusable`: it is to be discarded. */
  #readerOf({ status, headers }: ResponseHead): MultipartReader | 'unusable' | null {
    if (refusals.has(status)) return 'unusable';
    const contentType = fieldValue(headers, 'content-type');
    if (status !== 200 || !/^multipart\/mixed\b/i.test(contentType)) return null;
    if (parseGetAll(fieldValue(headers, 'get-all')) === null) return null;
    const boundary = boundaryOf(contentType);
    if (boundary === null || fieldValue(headers, 'content-encoding') !== '') return 'unusable';
    const { maxResourceBytes: maxPartBytes } = this.#context.page.context.options.limits;
    return new MultipartReader(boundary, { maxFieldBytes, maxParts, maxPartBytes });
  }

  /**
   * Handles an event of the multipart reader.
   * @returns A function that passes the event on to the document's handler; null: the event belongs to another part
   */
  #read(opened: EnvelopeParts, event: PartEvent): (() => void | Promise<void>) | null {
    const { reading } = opened;
    if (event.kind === 'fields') {
      if (reading === 'none') return this.#beginDocument(opened, event);
      opened.begin(event.fields, event.bytes);
    } else if (reading === 'document') {
      return this.#readDocument(opened, event);
    } else if (reading !== null && reading !== 'none') {
      if (event.kind === 'data') {
        const { maxPageBytes } = this.#context.page.context.options.limits;
        if (opened.receive(reading, event.bytes) > maxPageBytes) {
          this.#fail(`parts over ${maxPageBytes} bytes, four times limits.maxResourceBytes`);
        }
      } else {
        const unanswered = opened.complete(reading);
        if (unanswered !== null) this.#askAlone([unanswered]);
      }
    }
    return null;
  }

  #beginDocument(
    opened: EnvelopeParts,
    { fields, bytes }: PartEvent & { kind: 'fields' },
  ): () => void {
    const { head } = opened;
    opened.reading = 'document';
    opened.documentBytes += bytes;
    this.#document.isDelimited = true;
    const headers = documentHeaders(head.headers, fields);
    return () => this.handler.onHeaders({ ...head, headers, bytes: headBytes(head) + bytes });
  }

  #readDocument(
    opened: EnvelopeParts,
    event: Exclude<PartEvent, { kind: 'fields' }>,
  ): () => void | Promise<void> {
    if (event.kind === 'data') {
      opened.documentBytes += event.bytes.length;
      return () => this.handler.onData(event.bytes);
    }
    opened.hasDocument = true;
    // The document has arrived: the transport must not request it again if the rest of the combined response is lost.
    this.#document.exchange?.cancel();
    const endedAt = performance.now();
    return () => this.handler.onEnd(endedAt);
  }

  /** Runs the function that `#read` returned. If it throws, the document fails, and no more of the response is read. */
  #run(step: () => void | Promise<void>): Promise<void> | undefined {
    const fail = (error: unknown): never => {
      this.handler.onError(asLoaderError(error), performance.now());
      throw error;
    };
    try {
      return step()?.catch(fail);
    } catch (error) {
      return fail(error);
    }
  }

  /** Stops reading at a fault. @throws LoaderError, which makes the transport cancel the response. */
  #fail(fault: string): never {
    this.#document.exchange?.cancel();
    throw faultOf(fault);
  }

  #isSilent(): void {
    const opened = this.#opened;
    if (opened === null) return;
    opened.isSilent = true;
    const { exchange } = this.#document;
    const error = new LoaderError('response-timeout', 'no part of the page comes (Get-All)');
    if (opened.hasDocument && exchange !== null) {
      this.#context.page.context.transport.cancel([exchange], error);
    }
    this.#release();
  }

  /** Requests the resources that wait for a part of the combined response which has not arrived. */
  #release(): void {
    const waiting = [...this.#waiting].filter(([url]) => !this.#opened?.has(url));
    for (const [url] of waiting) this.#waiting.delete(url);
    if (waiting.length > 0) this.#askAlone(waiting.map(([, waiter]) => waiter));
  }

  /** Requests these resources from the network in one batch, each by itself. */
  #askAlone(waiters: Waiter[]): void {
    const { page, dispatch } = this.#context;
    page.batch(() => {
      for (const { request, handler } of waiters) {
        if (page.stopped === null) dispatch(request, handler);
        else handler.onError(page.stopped, performance.now());
      }
    });
  }

  #close(): void {
    this.#state = 'over';
    clearTimeout(this.#stall);
    if (this.#opened !== null) this.#opened.isRead = true;
    this.#release();
    this.#context.page.waits(-1);
  }

  /** Requests the document again, without the Get-All field. */
  #askDocument(): void {
    this.#withdraw();
    this.#state = 'alone';
    const { page, dispatch, request } = this.#context;
    if (page.stopped === null) dispatch(request, this);
    else this.onError(page.stopped, performance.now());
    this.#release();
  }

  /** Goes back to the state before the response began: resources that had got a part of it wait again. */
  #withdraw(): void {
    clearTimeout(this.#stall);
    const opened = this.#opened;
    if (opened === null) return;
    this.#context.page.recorder.discarded(opened.unusedBytes + opened.otherBytes);
    this.#opened = null;
    this.#document.isDelimited = false;
    if (opened.reading !== 'none') this.handler.onRestart();
    for (const [url, waiter] of opened.withdraw()) this.#waiting.set(url, waiter);
  }
}

function faultOf(fault: string): LoaderError {
  return new LoaderError('malformed-response', `the parts of the page (Get-All): ${fault}`);
}
