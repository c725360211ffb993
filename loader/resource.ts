// One row of the page: a request, and what answers it, whether the network brings it or the cache. It
// follows the exchange through the transport and notes what it sees; the bytes are the body reader's.

import { BodyReader } from './body-reader.ts';
import type { CacheRequest, CacheResponse, StoredRange } from './cache/entry.ts';
import type { CachedResponse } from './cache/http-cache.ts';
import { isUnder } from './cache/if-range.ts';
import { soundRange } from './cache/ranges.ts';
import { answersRange } from './content-range.ts';
import { LoaderError } from './errors.ts';
import type { LimitOptions } from './options.ts';
import type { HeaderPair, ResourceRecord } from './page-load.ts';
import { nothingStored, type RequestPlan } from './request-plan.ts';
import type { Size } from './scan/image-size.ts';
import type { Batch, Exchange, ExchangeHandler, ResponseHead } from './transport/exchange.ts';

/** The page, as far as a resource needs it. */
export interface ResourceHost {
  readonly limits: LimitOptions;
  /** From a monotonic time to ms from navigation start. */
  time(at: number): number;
  /** From a monotonic time to the wall clock, ms since the epoch. */
  wallTime(at: number): number;
  sent(batch: Batch): void;
  storeCookie(setCookie: string, url: string): void;
  responseStarted(resource: Resource): void;
  /** An interim response (103) named what the page will need. */
  hinted(resource: Resource, headers: HeaderPair[]): void;
  /** A 304 came: what it stands for; null when that is gone. */
  notModified(resource: Resource): CachedResponse | null;
  /** Is its body worth gathering? */
  mayStore(resource: Resource): boolean;
  /** A decoded piece of a document's body. */
  scan(resource: Resource, bytes: Uint8Array): void;
  bodyGrew(bytes: number): void;
  bodyTakenBack(bytes: number): void;
  /** Its response comes again from the start. */
  restarted(resource: Resource, hadEnded: boolean): void;
  ended(resource: Resource, endedAt: number): void;
}

export class Resource implements ExchangeHandler {
  readonly row: ResourceRecord;
  /** As a cache sees it: without conditions and ranges. */
  readonly request: CacheRequest;
  readonly plan: RequestPlan;
  readonly hops: number;
  exchange: Exchange | null = null;
  batch: Batch | null = null;
  done = false;
  /** Monotonic time at which its width and height were known, or known to stay unknown; null: not yet. */
  sizedAt: number | null = null;
  /** Of the response the page sees: the stored one's behind a 304; null: none yet. */
  status: number | null = null;
  /** What the network answered; null: nothing yet. */
  response: CacheResponse | null = null;
  /** The part of the representation that a 206 brought. */
  contentRange: StoredRange | null = null;
  /** It cannot be used as it came: ask for it again, without conditions and ranges. */
  mustAskAgain = false;

  readonly #page: ResourceHost;
  #headers: HeaderPair[] = [];
  #body: BodyReader | null = null;
  /** What answers it out of the cache; null: nothing so far. */
  #stored: CachedResponse | null = null;
  /** Decoded bytes to come that another row accounts for. */
  #uncounted = 0;
  /** Counts restarts: work begun for an earlier attempt finds out that it is stale. */
  #attempt = 0;

  /** @param hops redirects that led here. */
  constructor(
    page: ResourceHost,
    row: ResourceRecord,
    request: CacheRequest,
    plan: RequestPlan,
    hops: number,
  ) {
    this.#page = page;
    this.row = row;
    this.request = request;
    this.plan = plan;
    this.hops = hops;
  }

  /** The request with the conditions and ranges it was sent with. */
  get sent(): CacheRequest {
    return { ...this.request, headers: [...this.request.headers, ...this.plan.fields] };
  }

  /** Nothing of the representation is missing. */
  get isWhole(): boolean {
    const range = this.contentRange;
    if (range === null) return true;
    return range.last + 1 === range.total && (range.first === 0 || this.plan.prefix !== null);
  }

  /** The body as it came, what was known of it before included; null when it was not gathered. */
  get encodedBody(): Buffer | null {
    return this.#body?.encoded ?? null;
  }

  /** What it got out of the cache; null: nothing. */
  get stored(): CachedResponse | null {
    return this.row.fromCache ? this.#stored : null;
  }

  /** Answer it out of the cache; nothing was asked. */
  serve(response: CachedResponse): void {
    const { row } = this;
    if (response === nothingStored) {
      this.#missed();
      return;
    }
    row.status = response.status;
    row.statusText = response.statusText;
    row.responseHeaders = response.headers;
    row.responseStartMs = this.#page.time(performance.now());
    this.#useStored(response);
  }

  /** `only-if-cached`, and nothing may be used (RFC 9111 5.2.1.7). */
  #missed(): void {
    const { row } = this;
    row.status = nothingStored.status;
    row.statusText = nothingStored.statusText;
    const message = 'nothing that may be used is stored for it (cacheMode: only-if-cached)';
    row.error = { code: 'http-status', message };
    this.done = true;
    const now = performance.now();
    this.sizedAt ??= now;
    row.responseEndMs = this.#page.time(now);
    this.#page.ended(this, now);
  }

  onSent(batch: Batch): void {
    const { row } = this;
    this.batch = batch;
    row.attempts++;
    row.requestStartMs = this.#page.time(batch.sentAt);
    row.connection = batch.connection.id;
    row.pipelineIndex = this.exchange?.pipelineIndex ?? null;
    this.#page.sent(batch);
  }

  onInterim(_status: number, headers: HeaderPair[]): void {
    this.#page.hinted(this, headers);
  }

  onHeaders(head: ResponseHead): void {
    const { row } = this;
    row.status = head.status;
    row.statusText = head.statusText;
    row.httpVersion = head.httpVersion;
    // What was prefetched may have begun before this page did.
    row.responseStartMs = Math.max(row.startMs, this.#page.time(head.startedAt));
    row.responseHeaders = head.headers;
    this.response = {
      status: head.status,
      statusText: head.statusText,
      headers: head.headers,
      requestedAtMs: this.#page.wallTime(this.batch?.sentAt ?? head.startedAt),
      receivedAtMs: this.#page.wallTime(head.startedAt),
    };
    // Status line and fields as HTTP/1.1 writes them; HTTP/2's own encoding of them is not visible here.
    row.transferBytes = `HTTP/1.1 ${head.status} ${head.statusText}\r\n\r\n`.length;
    for (const [name, value] of head.headers) {
      row.transferBytes += name.length + value.length + 4;
      if (name.toLowerCase() === 'set-cookie') this.#page.storeCookie(value, row.url);
    }
    if (this.#isNotModified || (head.status >= 500 && this.#stale !== null)) return;
    this.#begin(head.status, head.headers);
    this.#takeRange(head.status);
    const isPart = this.contentRange !== null && !this.isWhole;
    const prefix = this.contentRange === null ? null : this.plan.prefix;
    if (prefix !== null && row.purpose === 'rest') this.#uncounted = prefix.length;
    if (!this.mustAskAgain) this.#open(isPart || this.#page.mayStore(this), prefix);
  }

  onData(chunk: Buffer): void | Promise<void> {
    const { row } = this;
    row.encodedBytes += chunk.length;
    row.transferBytes += chunk.length;
    if (row.encodedBytes > this.#page.limits.maxResourceBytes) throw this.#tooLarge();
    return this.#body?.write(chunk);
  }

  onEnd(endedAt: number): void {
    this.row.responseEndMs = this.#page.time(endedAt);
    if (this.#isNotModified) this.#validated();
    else this.#end(() => endedAt);
  }

  onRestart(): void {
    const { row } = this;
    this.#drop();
    this.#uncounted = 0;
    this.sizedAt = null;
    this.response = null;
    this.status = null;
    this.contentRange = null;
    this.mustAskAgain = false;
    this.#page.bodyTakenBack(row.bodyBytes);
    row.bodyBytes = row.encodedBytes = row.transferBytes = 0;
    row.status = row.responseStartMs = row.responseEndMs = row.width = row.height = null;
    row.statusText = row.mimeType = '';
    row.responseHeaders = this.#headers = [];
    row.fromCache = false;
    row.redirectUrl = null;
    row.error = null;
    const hadEnded = this.done;
    this.done = false;
    this.#page.restarted(this, hadEnded);
  }

  onError(error: LoaderError, atMs: number): void {
    if (this.done) return;
    const stale = this.row.fromCache ? null : this.#stale;
    this.#drop();
    this.row.responseEndMs = this.#page.time(atMs);
    if (stale !== null && meansUnreachable(error)) {
      this.#useStored(stale);
      return;
    }
    this.row.error = { code: error.code, message: error.message };
    this.done = true;
    this.sizedAt ??= atMs;
    this.#page.ended(this, atMs);
  }

  /** Header fields the page sees: the response's, or the stored ones. */
  get headers(): readonly HeaderPair[] {
    return this.#headers;
  }

  /** Value of a header field the page sees, lists joined; '' when it is absent. */
  header(name: string): string {
    const values = this.#headers.filter(([key]) => key.toLowerCase() === name);
    return values.map(([, value]: HeaderPair) => value).join(', ');
  }

  get #isNotModified(): boolean {
    return this.row.status === 304 && this.plan.validation !== null;
  }

  /** What may be used when the server fails. */
  get #stale(): CachedResponse | null {
    return this.plan.validation?.staleIfError ?? null;
  }

  #validated(): void {
    const stored = this.#page.notModified(this);
    if (stored === null) {
      this.mustAskAgain = true;
      this.#finish(performance.now());
    } else {
      this.#useStored(stored);
    }
  }

  /** The body comes out of the cache, whatever the network said or did not say. */
  #useStored(stored: CachedResponse): void {
    const { row } = this;
    this.#drop();
    this.#page.bodyTakenBack(row.bodyBytes);
    row.bodyBytes = row.encodedBytes = 0;
    row.fromCache = true;
    this.#stored = stored;
    this.contentRange = null;
    this.#begin(stored.status, stored.headers);
    this.#open(false, null);
    const body = this.#body;
    const write = async () => await body?.write(stored.body);
    write().then(
      () => body === this.#body && this.#end(() => performance.now()),
      (error: LoaderError) => body === this.#body && this.onError(error, performance.now()),
    );
  }

  /** The body is there; what is decoded of it may still be on its way. */
  #end(endedAt: () => number): void {
    const attempt = this.#attempt;
    Promise.resolve(this.#body?.end()).then(() => {
      if (attempt !== this.#attempt || this.done) return;
      const at = endedAt();
      this.row.responseEndMs = this.#page.time(at);
      this.#finish(at);
    });
  }

  /** Whatever was begun counts no more. */
  #drop(): void {
    this.#attempt++;
    this.#body?.destroy();
    this.#body = null;
  }

  #begin(status: number, headers: HeaderPair[]): void {
    this.status = status;
    this.#headers = headers;
    this.row.mimeType = (this.header('content-type').split(';')[0] ?? '').trim().toLowerCase();
    this.#page.responseStarted(this);
    this.#page.hinted(this, headers);
  }

  /** What was asked for in part came in part, whole, or not at all (RFC 9110 14.2, 15.5.17). */
  #takeRange(status: number): void {
    const { range, total, ifRange } = this.plan;
    if (range === null) return;
    if (status === 206) {
      const came = soundRange(this.#headers);
      const same = ifRange === null || isUnder(ifRange, this.#headers);
      if (came !== null && same && answersRange(came, range, total)) this.contentRange = came;
      else this.mustAskAgain = true;
    } else if (status === 416) {
      this.mustAskAgain = true;
    }
  }

  #open(gather: boolean, prefix: Buffer | null): void {
    this.#body = new BodyReader({
      contentEncoding: this.header('content-encoding'),
      maxCodings: this.#page.limits.maxCodings,
      isImage: this.row.kind === 'image',
      gather,
      prefix,
      onDecoded: (bytes) => this.#take(bytes),
      onSized: (size) => this.#sized(size),
    });
  }

  #take(bytes: Buffer): void {
    const { row } = this;
    const known = Math.min(this.#uncounted, bytes.length);
    this.#uncounted -= known;
    row.bodyBytes += bytes.length - known;
    if (row.bodyBytes > this.#page.limits.maxResourceBytes) throw this.#tooLarge();
    this.#page.bodyGrew(bytes.length - known);
    if (row.kind === 'document') this.#page.scan(this, bytes);
  }

  #tooLarge(): LoaderError {
    const { maxResourceBytes } = this.#page.limits;
    return new LoaderError(
      'body-too-large',
      `body over limits.maxResourceBytes (${maxResourceBytes})`,
    );
  }

  #sized(size: Size | null): void {
    this.sizedAt = performance.now();
    this.row.width = size?.width ?? null;
    this.row.height = size?.height ?? null;
  }

  #finish(endedAt: number): void {
    const { row } = this;
    const stale = this.#stale;
    if (stale !== null && !row.fromCache && (row.status ?? 0) >= 500) {
      this.#useStored(stale);
      return;
    }
    const isPart = this.contentRange !== null && !this.isWhole;
    if (!isPart && !this.mustAskAgain) {
      this.#body?.sizeUp();
      this.sizedAt ??= endedAt;
    }
    const refused = this.#body?.refused ?? null;
    if (this.mustAskAgain) this.#body = null;
    else if (refused !== null) {
      row.error = { code: refused.code, message: refused.message };
    } else if ((this.status ?? 0) >= 400) {
      row.error = { code: 'http-status', message: `${row.status} ${row.statusText}`.trim() };
    }
    this.done = true;
    this.#page.ended(this, endedAt);
  }
}

/** RFC 9111 4.2.4: disconnected; what we gave up ourselves is not. */
function meansUnreachable({ code }: LoaderError): boolean {
  return !['aborted', 'page-timeout', 'loader-closed'].includes(code);
}
