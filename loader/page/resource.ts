// One resource of the page (a row of its record): a request, and its response from network or cache. It follows the
// exchange through the transport, decides by the response's status and fields (`verdictOn`) whether the page gets its
// body or a stored one, and updates the row. The body reader handles the bytes.

import { fieldLines, fieldValue, type HeaderPair, withField } from '../../http/header-pairs.ts';
import { mediaType } from '../../http/media-type.ts';
import {
  type CacheRequest,
  type CacheResponse,
  cacheResponse,
  type StoredRange,
} from '../cache/entry.ts';
import type { CachedResponse } from '../cache/http-cache.ts';
import type { LoaderError } from '../errors.ts';
import { innermost } from '../layer.ts';
import type { LoaderLimits } from '../options.ts';
import {
  headBytes,
  noResponse,
  noteResponse,
  type PageClock,
  type ResourceRecord,
} from '../page-load.ts';
import { nothingStored, type RequestPlan } from '../request/request-plan.ts';
import { boundBody } from '../response/body-limit.ts';
import { inPlaceOf, statusFault, type Verdict, verdictOn } from '../response/verdict.ts';
import type { Size } from '../scan/image-size.ts';
import type { Naming } from '../scan/reference.ts';
import type { Batch, Exchange, ExchangeHandler, ResponseHead } from '../transport/exchange.ts';
import { BodyReader, type BodyReaderOptions } from './body-reader.ts';
import type { Discovery } from './discovery.ts';
import { isOfAnother } from './order-check.ts';
import type { PageCache } from './page-cache.ts';
import type { PageDocument } from './page-document.ts';

/** The functions and state of a page that its resources use. */
export interface ResourceHost {
  readonly limits: LoaderLimits;
  readonly clock: PageClock;
  readonly document: PageDocument;
  readonly discovery: Discovery;
  /** Reads and stores responses for the page; null: there is no cache. */
  readonly cache: PageCache | null;
  sent(batch: Batch): void;
  storeCookie(setCookie: string, resource: Resource): void;
  /** Reports by how many bytes the page's bodies grew; negative: some bytes no longer count. */
  bodyGrew(bytes: number): void;
  /** Whether the caller wants the decoded bodies (`onBody`). */
  readonly wantsBodies: boolean;
  /** Called when a body is complete, and once more if the response had to be requested again. */
  bodyCame(resource: Resource, body: Buffer): void;
  /** Called when the response starts over, as its request is resent. @param lost What was received and is discarded. */
  restarted(resource: Resource, lost: { hadEnded: boolean; transferBytes: number }): void;
  ended(resource: Resource, endedAt: number): void;
}

export class Resource implements ExchangeHandler {
  readonly row: ResourceRecord;
  /** The request as the cache knows it, without conditions and ranges. */
  readonly request: CacheRequest;
  plan: RequestPlan;
  /** Header fields that the page sees: those of the response or the stored ones. */
  headers: HeaderPair[] = [];
  readonly hops: number;
  /** How the page refers to the resource, and how it is to be fetched. */
  readonly how: Naming;
  /** The image whose missing bytes this request is for; null if the request is for a resource from its start. */
  readonly completes: Resource | null;
  exchange: Exchange | null = null;
  batch: Batch | null = null;
  done = false;
  /** Monotonic time when width and height became known, or known to be unavailable; null: not yet. */
  sizedAt: number | null = null;
  /** Status of the response that the page sees (the stored one after a 304); null if it sees no response yet. */
  status: number | null = null;
  /** The network's response, which is treated as `verdict` says; null if no response has arrived yet. */
  response: CacheResponse | null = null;
  verdict: Verdict | null = null;
  /** Whether the body came as a part of a combined response (Get-All), whose delimiters mark its end for sure. */
  isDelimited = false;
  /** The response is unusable, so the request is to be repeated without conditions and ranges. */
  mustAskAgain = false;

  readonly #page: ResourceHost;
  #body: BodyReader | null = null;
  /** The decoded body so far; null if the caller wants no bodies. */
  #decoded: Buffer[] | null = null;
  /** The stored response that answers the request; null if no stored response is used so far. */
  #stored: CachedResponse | null = null;
  /** Number of bodies discarded so far, by which work for an earlier body notices that it is stale. */
  #attempt = 0;

  /** @param hops Number of redirects before this request. */
  constructor(
    page: ResourceHost,
    row: ResourceRecord,
    request: CacheRequest,
    plan: RequestPlan,
    { hops, how, completes }: { hops: number; how: Naming; completes: Resource | null },
  ) {
    this.#page = page;
    this.row = row;
    this.request = request;
    this.plan = plan;
    this.hops = hops;
    this.how = how;
    this.completes = completes;
  }

  /** Changes how the request, which is not sent yet, uses the cache. */
  replan(plan: RequestPlan): void {
    this.plan = plan;
    this.row.requestHeaders = this.sent.headers;
  }

  /** The request with its conditions and ranges, as sent. */
  get sent(): CacheRequest {
    return { ...this.request, headers: [...this.request.headers, ...this.plan.fields] };
  }

  /** The range of bytes that a 206 response states; null if the page sees another response. */
  get contentRange(): StoredRange | null {
    return this.verdict?.kind === 'part' && !this.row.fromCache ? this.verdict.range : null;
  }

  /** Whether a length, chunks or a multipart delimiter tell a complete body from a truncated one. */
  get isFramed(): boolean {
    return this.isDelimited || (this.exchange?.attempt.framed ?? false);
  }

  /** Whether the body reaches to the end of the representation, from its start or from the bytes that were stored. */
  get isWhole(): boolean {
    const range = this.contentRange;
    if (range === null) return true;
    return range.last + 1 === range.total && (range.first === 0 || this.plan.prefix !== null);
  }

  /** The whole body, still in its content coding: what an earlier request had received of it, if anything, and behind
   *  that what this request received; null: it was not kept. */
  get encodedBody(): Buffer | null {
    return this.#body?.encoded ?? null;
  }

  /**
   * Whether a 304 or 206 may complete bytes that were received before. If its request was repeated because the first
   * response had faults of syntax, it may have such faults itself, and is not trusted that far.
   */
  get #mayConfirm(): boolean {
    return !this.exchange?.isTolerant;
  }

  /** The response that the resource got from the cache; null if it got none from there. */
  get stored(): CachedResponse | null {
    return this.row.fromCache ? this.#stored : null;
  }

  /** Returns the value of a header field that the page sees, lines joined; '' if it is absent. */
  header(name: string): string {
    return fieldValue(this.headers, name);
  }

  /** Answers from the cache, without a request. */
  serve(response: CachedResponse): void {
    const { row } = this;
    const now = performance.now();
    if (response !== nothingStored) {
      noteResponse(row, response, this.#page.clock.time(now));
      this.#useStored(response);
      return;
    }
    // The cache mode is `only-if-cached`, and no usable response is stored: the status is 504 (RFC 9111 5.2.1.7).
    row.status = response.status;
    row.statusText = response.statusText;
    const message = 'no usable response is stored (cacheMode: only-if-cached)';
    row.error = { code: 'http-status', message };
    row.responseEndMs = this.#page.clock.time(now);
    this.#close(now);
  }

  /** Takes over the size of an image that the request for its remaining bytes has found. */
  takeSize({ sizedAt, row }: Resource): void {
    this.sizedAt ??= sizedAt;
    this.row.width ??= row.width;
    this.row.height ??= row.height;
  }

  /** Returns the monotonic time `at`, or the time when the resource was found if that is later, ms. */
  notBeforeFound(at: number): number {
    return Math.max(at, this.#page.clock.startedAt + this.row.startMs);
  }

  /** Notes that the response is a part of the document's (Get-All), whose exchange and row are given. */
  carriedBy(exchange: Exchange | null, { url, connection }: ResourceRecord): void {
    this.exchange = exchange;
    this.isDelimited = true;
    this.row.partOf = url;
    this.row.connection = connection;
  }

  onSent(batch: Batch): void {
    const { row } = this;
    this.#noteLost(batch.sentAt);
    this.batch = batch;
    row.attempts++;
    row.requestStartMs = this.#page.clock.time(batch.sentAt);
    row.connection = batch.connection.id;
    const { pipelineIndex = null, added = [] } = this.exchange?.attempt ?? {};
    row.pipelineIndex = pipelineIndex;
    for (const [name, value] of added) {
      row.requestHeaders = withField(row.requestHeaders, name, value);
    }
    this.#page.sent(batch);
  }

  /** Records the previous attempt of the request in `lostAttempts` before a new one replaces it. */
  #noteLost(sentAgainAt: number): void {
    const { requestStartMs, connection, pipelineIndex, lostAttempts } = this.row;
    if (requestStartMs === null || connection === null) return;
    const endMs = this.#page.clock.time(this.exchange?.lostAt ?? sentAgainAt);
    const code = this.exchange?.lostBy ?? 'connection-lost';
    lostAttempts.push({ requestStartMs, endMs, connection, pipelineIndex, code });
  }

  onInterim(_status: number, headers: HeaderPair[]): void {
    this.#page.document.hinted(this, headers);
  }

  onHeaders(head: ResponseHead): void {
    const { row, plan } = this;
    const { clock, cache } = this.#page;
    const { status, headers, startedAt } = head;
    // A response that was prefetched, or is a part (Get-All), may be older than the row: the later time counts.
    noteResponse(row, head, Math.max(row.startMs, clock.time(startedAt)));
    row.httpVersion = head.httpVersion;
    row.transferBytes = head.bytes ?? headBytes(head);
    const batch = this.batch ?? this.exchange?.attempt.batch;
    this.response = cacheResponse(head, batch?.sentAt);
    for (const cookie of fieldLines(headers, 'set-cookie')) this.#page.storeCookie(cookie, this);
    const verdict = verdictOn(plan, head);
    this.verdict = verdict;
    if (verdict.kind === 'not-modified' || verdict.kind === 'stale-if-error') return;
    this.#begin(status, headers);
    const completes = verdict.kind === 'part' && plan.prefix !== null;
    this.mustAskAgain = verdict.kind === 'unusable' || (completes && !this.#mayConfirm);
    if (this.mustAskAgain) return;
    const prefix = verdict.kind === 'part' ? plan.prefix : null;
    this.#open({ gather: !this.isWhole || (cache?.mayStore(this) ?? false), prefix });
  }

  onData(chunk: Buffer, receivedBytes = chunk.length): void | Promise<void> {
    const { row } = this;
    row.encodedBytes += receivedBytes;
    row.transferBytes += receivedBytes;
    boundBody(row.encodedBytes, this.#page.limits);
    return this.#body?.write(chunk);
  }

  onEnd(endedAt: number): void {
    this.row.responseEndMs = this.#page.clock.time(endedAt);
    const range = this.contentRange;
    // The body of a 206 has as many bytes as its Content-Range says, however it is framed (RFC 9110 14.4).
    if (range !== null && this.row.encodedBytes !== range.last - range.first + 1) {
      this.mustAskAgain = true;
    }
    if (this.verdict?.kind === 'not-modified') this.#validated();
    else this.#endBody(() => endedAt);
  }

  contradicts(others: () => readonly ExchangeHandler[]): boolean {
    return isOfAnother(this, () =>
      others()
        .map(innermost)
        .filter((other) => other instanceof Resource),
    );
  }

  onRestart(): void {
    const { row } = this;
    this.#drop();
    this.headers = [];
    this.sizedAt = this.status = this.response = this.verdict = null;
    this.mustAskAgain = false;
    this.#page.bodyGrew(-row.bodyBytes);
    const lost = { hadEnded: this.done, transferBytes: row.transferBytes };
    Object.assign(row, noResponse());
    this.done = false;
    this.#page.restarted(this, lost);
  }

  onError(error: LoaderError, atMs: number): void {
    if (this.done) return;
    const { row, plan } = this;
    const stored = row.fromCache ? null : inPlaceOf(error, plan);
    this.#drop();
    row.responseEndMs = this.#page.clock.time(atMs);
    if (stored !== null) {
      this.#useStored(stored);
      return;
    }
    row.error = { code: error.code, message: error.message };
    this.#close(atMs);
  }

  #validated(): void {
    const stored = this.#mayConfirm ? (this.#page.cache?.notModified(this) ?? null) : null;
    if (stored === null) {
      this.mustAskAgain = true;
      this.#finish(performance.now());
    } else {
      this.#useStored(stored);
    }
  }

  /** Uses the stored body instead of the network's response. */
  #useStored(stored: CachedResponse): void {
    const { row } = this;
    this.#drop();
    this.#page.bodyGrew(-row.bodyBytes);
    row.bodyBytes = row.encodedBytes = 0;
    row.fromCache = true;
    this.#stored = stored;
    this.#begin(stored.status, stored.headers);
    const body = this.#open({ gather: false, prefix: null });
    const write = async () => await body.write(stored.body);
    write().then(
      () => body === this.#body && this.#endBody(() => performance.now()),
      (error: LoaderError) => body === this.#body && this.onError(error, performance.now()),
    );
  }

  /** Starts processing the response that the page sees: the network's or, after a 304, the stored one. */
  #begin(status: number, headers: HeaderPair[]): void {
    this.status = status;
    this.headers = headers;
    [this.row.mimeType = ''] = mediaType(headers).split(';');
    this.#page.document.began(this);
    this.#page.document.hinted(this, headers);
  }

  #open(how: Pick<BodyReaderOptions, 'gather' | 'prefix'>): BodyReader {
    this.#decoded = this.#page.wantsBodies ? [] : null;
    this.#body = new BodyReader({
      contentEncoding: this.header('content-encoding'),
      maxCodings: this.#page.limits.maxCodings,
      isImage: this.row.kind === 'image',
      ...how,
      // A request for the rest of an image does not count its first bytes: the request that fetched them has counted.
      isPrefixCounted: this.row.purpose !== 'rest',
      onDecoded: (bytes, counted) => this.#append(bytes, counted),
      onSized: (size) => this.#sized(size),
    });
    return this.#body;
  }

  #append(bytes: Buffer, counted: number): void {
    this.row.bodyBytes += counted;
    boundBody(this.row.bodyBytes, this.#page.limits);
    // Chunks are copied, because they are slices of a larger buffer.
    this.#decoded?.push(Buffer.from(bytes));
    this.#page.bodyGrew(counted);
    this.#page.discovery.read(this, bytes);
  }

  #sized(size: Size | null): void {
    this.sizedAt = performance.now();
    this.row.width = size?.width ?? null;
    this.row.height = size?.height ?? null;
  }

  /** Discards the body so far. */
  #drop(): void {
    this.#attempt++;
    this.#body?.destroy();
    this.#body = null;
  }

  /** Ends the body, whose bytes are complete, and finishes the resource once they are decoded. */
  #endBody(endedAt: () => number): void {
    const attempt = this.#attempt;
    Promise.resolve(this.#body?.end()).then(() => {
      if (attempt !== this.#attempt || this.done) return;
      const at = endedAt();
      this.row.responseEndMs = this.#page.clock.time(at);
      this.#finish(at);
    });
  }

  #finish(endedAt: number): void {
    const { row, verdict } = this;
    if (verdict?.kind === 'stale-if-error' && !row.fromCache) {
      this.#useStored(verdict.stored);
      return;
    }
    if (this.isWhole && !this.mustAskAgain) {
      this.#body?.sizeUp();
      // The last byte tells the size, however long it is looked for.
      this.sizedAt = Math.min(this.sizedAt ?? endedAt, endedAt);
    }
    const refused = this.#body?.refused ?? null;
    row.quirks = [...(this.exchange?.attempt.quirks ?? []), ...(this.#body?.quirks ?? [])];
    if (this.mustAskAgain) this.#body = null;
    else if (refused !== null) {
      row.error = { code: refused.code, message: refused.message };
    } else if ((this.status ?? 0) >= 400) {
      row.error = { code: 'http-status', message: statusFault(row.status ?? 0, row.statusText) };
    }
    this.done = true;
    if (this.#decoded !== null && row.error === null && this.isWhole && !this.mustAskAgain) {
      this.#page.bodyCame(this, Buffer.concat(this.#decoded));
    }
    this.#decoded = null;
    this.#page.ended(this, endedAt);
  }

  /** Ends the load of the resource. From now on nothing waits for the width and height of its image (`sizedAt`). */
  #close(at: number): void {
    this.done = true;
    this.sizedAt ??= at;
    this.#page.ended(this, at);
  }
}
