// One row of the page: a request, and what is done with the bytes that answer it, whether the network
// brings them or the cache. It follows the exchange through the transport, takes the content coding off,
// and hands the bytes to whoever reads them: the scanner for the page, the size probe for an image.

import type { CacheRequest, CacheResponse } from './cache/entry.ts';
import type { CachedResponse } from './cache/http-cache.ts';
import { ContentDecoder } from './content-coding.ts';
import { answersRange, type ContentRange, parseContentRange } from './content-range.ts';
import { LoaderError } from './errors.ts';
import type { LimitOptions } from './options.ts';
import type { HeaderPair, ResourceRecord } from './page-load.ts';
import type { RequestPlan } from './request-plan.ts';
import { ImageSizeProbe } from './scan/image-size.ts';
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
  contentRange: ContentRange | null = null;
  /** It cannot be used as it came: ask for it again, without conditions and ranges. */
  mustAskAgain = false;

  readonly #page: ResourceHost;
  /** Header fields the page sees: the response's, or the stored ones. */
  #headers: HeaderPair[] = [];
  #decoder: ContentDecoder | null = null;
  #probe: ImageSizeProbe | null = null;
  /** The body as it came, gathered for the cache; null: not wanted there. */
  #gathered: Buffer[] | null = null;
  /** Known bytes to be read before those that come. */
  #prefix: Buffer | null = null;
  /** Bytes to come that another row accounts for. */
  #uncounted = 0;
  /** The body is of no use any more, but the connection is: read on, keep nothing. */
  #refused: LoaderError | null = null;
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

  /** Nothing of the representation is missing. */
  get isWhole(): boolean {
    const range = this.contentRange;
    if (range === null) return true;
    return range.last + 1 === range.total && (range.first === 0 || this.plan.prefix !== null);
  }

  /** The body as it came, what was known of it before included; null when it was not gathered. */
  get encodedBody(): Buffer | null {
    return this.#gathered === null ? null : Buffer.concat(this.#gathered);
  }

  /** Answer it out of the cache; nothing was asked. */
  serve(response: CachedResponse): void {
    const { row } = this;
    row.status = response.status;
    row.statusText = response.statusText;
    row.responseHeaders = response.headers;
    row.responseStartMs = this.#page.time(performance.now());
    this.#useStored(response);
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

  onHeaders(head: ResponseHead): void {
    const { row } = this;
    row.status = head.status;
    row.statusText = head.statusText;
    row.httpVersion = head.httpVersion;
    row.responseStartMs = this.#page.time(head.startedAt);
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
    this.#openBody();
    const isPart = this.contentRange !== null && !this.isWhole;
    const wanted = isPart || this.#page.mayStore(this);
    if (wanted && this.#refused === null) this.#gathered = [];
    if (this.contentRange !== null) this.#prefix = this.plan.prefix;
  }

  onData(chunk: Buffer): void | Promise<void> {
    const { row } = this;
    row.encodedBytes += chunk.length;
    row.transferBytes += chunk.length;
    if (row.encodedBytes > this.#page.limits.maxResourceBytes) throw this.#tooLarge();
    if (this.#refused !== null) return undefined;
    const prefix = this.#prefix;
    this.#prefix = null;
    if (prefix !== null && row.purpose === 'rest') this.#uncounted = prefix.length;
    const bytes = prefix === null ? chunk : Buffer.concat([prefix, chunk]);
    // A copy: a chunk is a piece of a buffer that may hold much else.
    this.#gathered?.push(bytes === chunk ? Buffer.from(chunk) : bytes);
    return this.#decode(bytes);
  }

  onEnd(endedAt: number): void {
    const attempt = this.#attempt;
    this.row.responseEndMs = this.#page.time(endedAt);
    if (this.#isNotModified) {
      this.#validated();
      return;
    }
    const decoded = this.#refused === null ? this.#decoder?.end() : undefined;
    Promise.resolve(decoded)
      .catch((error) => {
        if (attempt === this.#attempt) this.#refused ??= error as LoaderError;
      })
      .then(() => {
        if (attempt === this.#attempt && !this.done) this.#finish(endedAt);
      });
  }

  onRestart(): void {
    const { row } = this;
    this.#attempt++;
    this.#decoder?.destroy();
    this.#decoder = null;
    this.#probe = null;
    this.#gathered = null;
    this.#prefix = null;
    this.#uncounted = 0;
    this.#refused = null;
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
    const stale = this.#stale;
    this.#attempt++;
    this.#decoder?.destroy();
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
    const attempt = ++this.#attempt;
    this.#page.bodyTakenBack(row.bodyBytes);
    row.bodyBytes = row.encodedBytes = 0;
    row.fromCache = true;
    this.#refused = null;
    this.#gathered = null;
    this.contentRange = null;
    this.#begin(stored.status, stored.headers);
    this.#openBody();
    Promise.resolve(this.#refused === null ? this.#decode(stored.body) : undefined)
      .then(() => (this.#refused === null ? this.#decoder?.end() : undefined))
      .catch((error) => {
        if (attempt === this.#attempt) this.#refused ??= error as LoaderError;
      })
      .then(() => {
        if (attempt !== this.#attempt || this.done) return;
        const endedAt = performance.now();
        row.responseEndMs = this.#page.time(endedAt);
        this.#finish(endedAt);
      });
  }

  #begin(status: number, headers: HeaderPair[]): void {
    this.status = status;
    this.#headers = headers;
    this.row.mimeType = (this.header('content-type').split(';')[0] ?? '').trim().toLowerCase();
    this.#page.responseStarted(this);
  }

  /** What was asked for in part came in part, whole, or not at all (RFC 9110 14.2, 15.5.17). */
  #takeRange(status: number): void {
    const { range, total } = this.plan;
    if (range === null) return;
    if (status === 206) {
      const came = parseContentRange(this.header('content-range'));
      if (came !== null && answersRange(came, range, total)) this.contentRange = came;
      else this.mustAskAgain = true;
    } else if (status === 416) {
      this.mustAskAgain = true;
    }
    if (this.mustAskAgain) {
      this.#refused = new LoaderError('malformed-response', 'another range than asked for');
    }
  }

  #openBody(): void {
    const { row } = this;
    if (row.kind === 'image') this.#probe = new ImageSizeProbe();
    try {
      this.#decoder = new ContentDecoder(
        this.header('content-encoding'),
        this.#page.limits.maxCodings,
        (bytes) => this.#take(bytes),
      );
    } catch (error) {
      this.#refused ??= error as LoaderError;
    }
  }

  #decode(chunk: Buffer): undefined | Promise<void> {
    const attempt = this.#attempt;
    return this.#decoder?.write(chunk)?.catch((error) => {
      if (attempt !== this.#attempt) return;
      // A bomb must not be drained; a body that merely does not decode may be.
      if (error instanceof LoaderError && error.code === 'coding-broken') this.#refused = error;
      else throw error;
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
    else if (this.#probe?.write(bytes)) this.#sized();
  }

  #tooLarge(): LoaderError {
    const { maxResourceBytes } = this.#page.limits;
    return new LoaderError(
      'body-too-large',
      `body over limits.maxResourceBytes (${maxResourceBytes})`,
    );
  }

  #sized(): void {
    this.sizedAt = performance.now();
    this.row.width = this.#probe?.size?.width ?? null;
    this.row.height = this.#probe?.size?.height ?? null;
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
      if (this.#probe?.end()) this.#sized();
      this.sizedAt ??= endedAt;
    }
    if (this.mustAskAgain) this.#gathered = null;
    else if (this.#refused !== null) {
      row.error = { code: this.#refused.code, message: this.#refused.message };
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
