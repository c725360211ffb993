// One row of the page: a request, and what is done with its bytes as they come. It follows the
// exchange through the transport, takes the content coding off, and hands the bytes to whoever
// reads them: the scanner for the page, the size probe for an image, nobody else.

import { ContentDecoder } from './content-coding.ts';
import { LoaderError } from './errors.ts';
import type { LimitOptions } from './options.ts';
import type { HeaderPair, ResourceRecord } from './page-load.ts';
import { ImageSizeProbe } from './scan/image-size.ts';
import type { Batch, Exchange, ExchangeHandler, ResponseHead } from './transport/exchange.ts';

/** The page, as far as a resource needs it. */
export interface ResourceHost {
  readonly limits: LimitOptions;
  /** From a monotonic time to ms from navigation start. */
  time(at: number): number;
  sent(batch: Batch): void;
  storeCookie(setCookie: string, url: string): void;
  responseStarted(resource: Resource): void;
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
  readonly hops: number;
  exchange: Exchange | null = null;
  batch: Batch | null = null;
  done = false;
  /** Monotonic time at which its width and height were known, or known to stay unknown; null: not yet. */
  sizedAt: number | null = null;

  readonly #page: ResourceHost;
  #decoder: ContentDecoder | null = null;
  #probe: ImageSizeProbe | null = null;
  #headerBytes = 0;
  /** The body is of no use any more, but the connection is: read on, keep nothing. */
  #refused: LoaderError | null = null;
  /** Counts restarts: work begun for an earlier attempt finds out that it is stale. */
  #attempt = 0;

  /** @param hops redirects that led here. */
  constructor(page: ResourceHost, row: ResourceRecord, hops: number) {
    this.#page = page;
    this.row = row;
    this.hops = hops;
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
    row.mimeType = (this.header('content-type').split(';')[0] ?? '').trim().toLowerCase();
    // Status line and fields as HTTP/1.1 writes them; HTTP/2's own encoding of them is not visible here.
    this.#headerBytes = `HTTP/1.1 ${head.status} ${head.statusText}\r\n\r\n`.length;
    for (const [name, value] of head.headers) this.#headerBytes += name.length + value.length + 4;
    row.transferBytes = this.#headerBytes;
    for (const [name, value] of head.headers) {
      if (name.toLowerCase() === 'set-cookie') this.#page.storeCookie(value, row.url);
    }
    this.#page.responseStarted(this);
    this.#openBody();
  }

  onData(chunk: Buffer): void | Promise<void> {
    const { row } = this;
    row.encodedBytes += chunk.length;
    row.transferBytes += chunk.length;
    if (row.encodedBytes > this.#page.limits.maxResourceBytes) throw this.#tooLarge();
    if (this.#refused !== null) return undefined;
    return this.#decode(chunk);
  }

  onEnd(endedAt: number): void {
    const attempt = this.#attempt;
    this.row.responseEndMs = this.#page.time(endedAt);
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
    this.#refused = null;
    this.sizedAt = null;
    this.#page.bodyTakenBack(row.bodyBytes);
    row.bodyBytes = row.encodedBytes = row.transferBytes = 0;
    row.status = row.responseStartMs = row.responseEndMs = row.width = row.height = null;
    row.statusText = row.mimeType = '';
    row.responseHeaders = [];
    row.redirectUrl = null;
    row.error = null;
    const hadEnded = this.done;
    this.done = false;
    this.#page.restarted(this, hadEnded);
  }

  onError(error: LoaderError, atMs: number): void {
    if (this.done) return;
    this.#attempt++;
    this.#decoder?.destroy();
    this.row.responseEndMs = this.#page.time(atMs);
    this.row.error = { code: error.code, message: error.message };
    this.done = true;
    this.sizedAt ??= atMs;
    this.#page.ended(this, atMs);
  }

  /** Value of a response header, lists joined; '' when it is absent. */
  header(name: string): string {
    const values = this.row.responseHeaders.filter(([key]) => key.toLowerCase() === name);
    return values.map(([, value]: HeaderPair) => value).join(', ');
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
      this.#refused = error as LoaderError;
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
    row.bodyBytes += bytes.length;
    if (row.bodyBytes > this.#page.limits.maxResourceBytes) throw this.#tooLarge();
    this.#page.bodyGrew(bytes.length);
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
    if (this.#probe?.end()) this.#sized();
    this.sizedAt ??= endedAt;
    if (this.#refused !== null) {
      row.error = { code: this.#refused.code, message: this.#refused.message };
    } else if ((row.status ?? 0) >= 400) {
      row.error = { code: 'http-status', message: `${row.status} ${row.statusText}`.trim() };
    }
    this.done = true;
    this.#page.ended(this, endedAt);
  }
}
