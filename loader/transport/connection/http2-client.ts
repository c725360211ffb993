// The client side of one HTTP/2 connection (RFC 9113) on node:http2. It reports responses to their handlers in the
// form that undici uses for HTTP/1.1, and never retries. Unlike in undici's HTTP/2, a stream that the server did not
// process (REFUSED_STREAM, or an id above the last of a GOAWAY) fails with RefusedStream, so that it may be resent with
// any method (RFC 9113 8.7), while lower streams complete. Header sections may use the full limit.

import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import type { Batch, Carrier, Exchange } from '../exchange.ts';
import { cancel, http2Error, http11Required, noError, refusedStream } from './explain-loss.ts';

/** A request as it is sent on the connection. */
export interface WireRequest {
  method: string;
  path: string;
  /** The fields as a flat list: name, value, name, value. */
  headers: string[];
  /** Value of the Priority field (RFC 9218 4), for HTTP/2; '': the field is not sent. */
  urgency: string;
  body: Uint8Array | null;
}

/** The error of a request that the server did not process, so that it may be resent. */
export class RefusedStream extends Error {
  readonly code = 'REFUSED_STREAM';
}

export interface Http2ClientOptions {
  /**
   * Called at a GOAWAY: the server accepts no more requests. @param taken Number of streams that it processes;
   * Infinity: the number is not known yet (RFC 9113 6.8).
   */
  onGoaway: (taken: number) => void;
  /** Called if the server requires HTTP/1.1 instead (HTTP_1_1_REQUIRED); null: only HTTP/2 may be used. */
  onHttp1Required: (() => void) | null;
  /** Called when the server's SETTINGS have become known or have changed. */
  onSettings: () => void;
}

type Http2 = typeof import('node:http2');
type Http2Controller = Dispatcher.DispatchController & { rawHeaders: unknown };

let loading: Promise<Http2> | null = null;

/** Loads node:http2, which is done only if a server speaks HTTP/2. */
export function loadHttp2(): Promise<Http2> {
  loading ??= import('node:http2');
  return loading;
}

/** Flow control windows per stream and per connection, bytes: 4 and 16 times the initial ones (RFC 9113 6.9.2). */
const streamWindow = 256 * 1024;
const connectionWindow = 1024 * 1024;
/**
 * Window of streams with the lowest urgency, bytes: a small one, as their bytes in transit delay later requests. The
 * session uses `streamWindow` once the response of one of them exceeds `smallBytes`, or a request has another urgency.
 */
const lastStreamWindow = 16 * 1024;
const smallBytes = 64 * 1024;
/**
 * node:http2 resets a stream whose header section exceeds these limits with ENHANCE_YOUR_CALM, as a busy server would.
 * They are therefore far above our own limit, which response-reader.ts applies (`limits.maxHeaderBytes`).
 */
const mostFieldBytes = 2 ** 24 - 1;
const mostFields = 2 ** 18;
/** Last stream id of a preliminary GOAWAY, after which requests in flight are still processed. */
const anyStream = 2 ** 31 - 1;
/** Time after which an idle connection is closed, the same as for HTTP/1.1, ms. */
const idleMs = 60_000;

export class Http2Client {
  /** The object that gathers requests into one write: this client itself; for HTTP/1.x it is a BatchingSocket. */
  readonly writes = this;
  readonly #session: ClientHttp2Session;
  readonly #connection: Carrier;
  readonly #onHttp1Required: (() => void) | null;
  #open = 0;
  /** Current flow control window of each stream, bytes; null: no request has been sent. */
  #window: number | null = null;
  /** Highest stream id that the server will process; null: no GOAWAY yet. */
  #lastStream: number | null = null;
  /** The error code of the last GOAWAY. */
  #errorCode = noError;
  /**
   * The batch of the requests made in this turn of the event loop, or found in one scanned chunk: nghttp2 collects
   * their frames until the turn ends. It does not report their size, so `bytes` stays 0. null: none has been made.
   */
  #batch: Batch | null = null;
  /** True while more requests will join the batch, so that it is not closed yet. */
  #isHeld = false;

  constructor(http2: Http2, socket: Socket, connection: Carrier, options: Http2ClientOptions) {
    this.#connection = connection;
    this.#onHttp1Required = options.onHttp1Required;
    const session = http2.connect(connection.origin.origin, {
      createConnection: () => socket,
      settings: {
        enablePush: false,
        initialWindowSize: streamWindow,
        maxHeaderListSize: mostFieldBytes,
      },
      maxHeaderListPairs: mostFields,
    });
    this.#session = session;
    session.once('connect', () => session.setLocalWindowSize(connectionWindow));
    session.on('goaway', (code: number, lastStream: number) => {
      this.#lastStream = lastStream;
      this.#errorCode = code;
      if (code === http11Required) options.onHttp1Required?.();
      // Streams of the client have odd ids only, so half of the ids up to the last one are requests.
      options.onGoaway(lastStream === anyStream ? Number.POSITIVE_INFINITY : (lastStream + 1) >> 1);
    });
    session.on('remoteSettings', options.onSettings);
    // Nothing is done here: the streams report errors to their handlers, the end of the socket to the connection.
    session.on('error', () => {});
    session.setTimeout(idleMs, () => {
      if (this.#open === 0) session.destroy();
    });
    session.unref();
  }

  /** Whether the HTTP/2 session is open; if it is not, all its streams have ended. */
  get isAlive(): boolean {
    return !this.#session.destroyed;
  }

  /** The server's limit on concurrent streams (RFC 9113 5.1.2), as far as known. */
  get maxStreams(): number {
    // On a closed session `remoteSettings` is undefined.
    return this.#session.remoteSettings?.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
  }

  dispatch(request: WireRequest, handler: Dispatcher.DispatchHandler): void {
    let stream: ClientHttp2Stream | null = null;
    let reason: Error | null = null;
    // The controller has only the part of undici's interface that the handlers use.
    const controller = {
      rawHeaders: null,
      abort(error: Error): void {
        reason ??= error;
        stream?.close(cancel);
      },
      pause: () => void stream?.pause(),
      resume: () => void stream?.resume(),
    } as unknown as Http2Controller;
    handler.onRequestStart?.(controller, null);
    if (reason !== null) return;
    this.#limit(request.urgency === 'u=7' ? (this.#window ?? lastStreamWindow) : streamWindow);
    try {
      stream = this.#session.request(this.#fields(request), { endStream: request.body === null });
    } catch (error) {
      // The session is closing or closed, so nothing was sent.
      handler.onResponseError?.(controller, new RefusedStream('not sent', { cause: error }));
      return;
    }
    if (request.body !== null) stream.end(request.body);
    if (this.#open++ === 0) this.#session.ref();
    this.#listen(stream, handler, controller, () => reason);
  }

  /** Sets the flow control window of each stream, bytes, including those that are open (RFC 9113 6.9.2). */
  #limit(windowBytes: number): void {
    const before = this.#window ?? streamWindow;
    this.#window = windowBytes;
    if (windowBytes !== before && this.isAlive)
      this.#session.settings({ initialWindowSize: windowBytes });
  }

  /** Adds an exchange, whose frames are being written, to the batch (requests sent in one write), or to a new one. */
  announce(exchange: Exchange): void {
    if (this.#batch === null) {
      this.#batch = { connection: this.#connection, exchanges: [], bytes: 0, sentAt: 0 };
      if (!this.#isHeld) queueMicrotask(() => this.flush());
    }
    this.#batch.exchanges.push(exchange);
    exchange.attempts++;
    exchange.attempt.batch = this.#batch;
  }

  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.flush();
  }

  /** Closes the batch (requests in one write), and reports its requests as sent. */
  flush(): void {
    const batch = this.#batch;
    if (batch === null) return;
    this.#batch = null;
    batch.sentAt = performance.now();
    for (const exchange of batch.exchanges) exchange.handler.onSent?.(batch);
  }

  /** Sets whether the connection keeps the process running. */
  keep(isKept: boolean): void {
    if (isKept) this.#session.ref();
    else this.#session.unref();
  }

  destroy(): void {
    this.#session.destroy();
  }

  #listen(
    stream: ClientHttp2Stream,
    handler: Dispatcher.DispatchHandler,
    controller: Http2Controller,
    reason: () => Error | null,
  ): void {
    let [hasStarted, hasHead, hasEnded, isWhole] = [false, false, false, false];
    let failure: Error | null = null;
    const onHead = (headers: IncomingHttpHeaders, _flags: number, raw: unknown): void => {
      if (!hasStarted) (handler as { onResponseStarted?(): void }).onResponseStarted?.();
      hasStarted = true;
      const status = Number(headers[':status']);
      hasHead = status >= 200;
      controller.rawHeaders = raw as string[];
      handler.onResponseStart?.(controller, status, {}, '');
    };
    stream.on('headers', onHead); // node:http2 emits this for 1xx responses
    stream.on('response', onHead);
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > smallBytes) this.#limit(streamWindow);
      handler.onResponseData?.(controller, chunk);
    });
    // A reset, even with NO_ERROR, ends the readable side after the stream has closed; END_STREAM ends it before. A
    // response is complete only with END_STREAM (RFC 9113 8.1), for which node:http2 has no event.
    const push = stream.push.bind(stream);
    stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
      if (chunk === null) isWhole ||= !stream.closed;
      return push(chunk, encoding);
    };
    stream.once('end', () => {
      if (!hasHead || !isWhole || reason() !== null || stream.rstCode !== 0) return;
      hasEnded = true;
      handler.onResponseEnd?.(controller, {});
    });
    stream.on('error', (error) => {
      failure ??= error;
    });
    stream.once('close', () => {
      if (--this.#open === 0) this.#session.unref();
      if (!hasEnded) handler.onResponseError?.(controller, reason() ?? this.#why(stream, failure));
    });
  }

  #why({ id, rstCode }: ClientHttp2Stream, failure: Error | null): Error {
    const code = this.#errorCode || rstCode;
    if (code === http11Required) this.#onHttp1Required?.();
    const isElsewhere = code === http11Required && this.#onHttp1Required !== null;
    const isAbove = this.#lastStream !== null && id !== undefined && id > this.#lastStream;
    if (rstCode === refusedStream || isAbove || id === undefined || isElsewhere) {
      return new RefusedStream(http2Error(refusedStream, failure).message);
    }
    return http2Error(code, failure);
  }

  /** Returns the header section of a request (RFC 9113 8.3.1); fields of the same name are combined. */
  #fields({ method, path, headers, urgency, body }: WireRequest): Record<string, string> {
    const { host, protocol } = this.#connection.origin;
    const fields: Record<string, string> = {
      ':method': method,
      ':authority': host,
      ':scheme': protocol.slice(0, -1),
      ':path': path,
    };
    for (let index = 0; index + 1 < headers.length; index += 2) {
      const name = (headers[index] as string).toLowerCase();
      const value = headers[index + 1] as string;
      const before = fields[name];
      const separator = name === 'cookie' ? '; ' : ', ';
      fields[name] = before === undefined ? value : `${before}${separator}${value}`;
    }
    if (urgency !== '') fields.priority ??= urgency;
    if (body !== null) fields['content-length'] = String(body.byteLength);
    return fields;
  }
}
