// The client's end of one HTTP/2 connection (RFC 9113), on node:http2: requests out, each response told to its
// handler as undici tells one of HTTP/1.1. It sends nothing twice. What it adds to undici's own HTTP/2: a stream that
// the server did not process (REFUSED_STREAM, or above the last one of a GOAWAY) fails with RefusedStream, so that
// it may go again whatever its method (RFC 9113 8.7), while the streams below end in peace; and header sections
// may be as long as the limit says.

import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';

/** What an exchange puts on the wire. */
export interface WireRequest {
  method: string;
  path: string;
  /** Name, value, name, value. */
  headers: string[];
  body: Uint8Array | null;
}

/** The server did no work for this request and says so: it may be sent again. */
export class RefusedStream extends Error {
  readonly code = 'REFUSED_STREAM';
}

export interface Http2ClientOptions {
  /** Header section of one response, bytes. */
  maxHeaderBytes: number;
  /** GOAWAY: no more requests. @param taken streams the server processes; Infinity: it has not said yet (RFC 9113 6.8). */
  onGoaway: (taken: number) => void;
  /** What the server allows became known, or changed. */
  onSettings: () => void;
}

type Http2 = typeof import('node:http2');

/** Bytes in flight a stream, and all together: twice and four times what servers offer as a rule. */
const streamWindow = 256 * 1024;
const connectionWindow = 1024 * 1024;
/** RST_STREAM code of a header section that node:http2 refused for its length. */
const enhanceYourCalm = 11;
const refused = 7;
const cancel = 8;
/** In the first GOAWAY of two: what is under way is still taken. */
const anyStream = 2 ** 31 - 1;
/** As for HTTP/1.1: an idle connection is not kept longer than this, ms. */
const idleMs = 60_000;

export class Http2Client {
  readonly #session: ClientHttp2Session;
  readonly #origin: URL;
  readonly #maxHeaderBytes: number;
  #open = 0;
  /** Highest stream the server will process; null: it has not said that it goes. */
  #lastStream: number | null = null;

  constructor(http2: Http2, origin: URL, socket: Socket, options: Http2ClientOptions) {
    this.#origin = origin;
    this.#maxHeaderBytes = options.maxHeaderBytes;
    const session = http2.connect(origin.origin, {
      createConnection: () => socket,
      settings: {
        enablePush: false,
        initialWindowSize: streamWindow,
        // Room for what the limit's own check measures and names, of many short fields too.
        maxHeaderListSize: Math.min(3 * options.maxHeaderBytes, 2 ** 24 - 1),
      },
      maxHeaderListPairs: Math.max(128, Math.ceil(options.maxHeaderBytes / 8)),
    });
    this.#session = session;
    session.once('connect', () => session.setLocalWindowSize(connectionWindow));
    session.on('goaway', (_code: number, lastStream: number) => {
      this.#lastStream = lastStream;
      // Those of a client have odd numbers.
      options.onGoaway(lastStream === anyStream ? Number.POSITIVE_INFINITY : (lastStream + 1) >> 1);
    });
    session.on('remoteSettings', options.onSettings);
    // Each stream tells its handler; the socket's end tells the connection.
    session.on('error', () => {});
    session.setTimeout(idleMs, () => {
      if (this.#open === 0) session.destroy();
    });
    session.unref();
  }

  /** false: all its streams ended with the session. */
  get isAlive(): boolean {
    return !this.#session.destroyed;
  }

  /** Streams the server takes at a time (RFC 9113 5.1.2), as far as is known. */
  get maxStreams(): number {
    // A connection that is over has none.
    return this.#session.remoteSettings?.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
  }

  dispatch(request: WireRequest, handler: Dispatcher.DispatchHandler): void {
    let stream: ClientHttp2Stream | null = null;
    let reason: Error | null = null;
    const controller = {
      rawHeaders: null as unknown,
      abort(error: Error): void {
        reason ??= error;
        stream?.close(cancel);
      },
      pause: () => void stream?.pause(),
      resume: () => void stream?.resume(),
    };
    // What a handler is given of undici's controller is what it uses.
    const given = controller as unknown as Dispatcher.DispatchController;
    handler.onRequestStart?.(given, null);
    if (reason !== null) return;
    try {
      stream = this.#session.request(this.#fields(request), { endStream: request.body === null });
    } catch (error) {
      // It goes, or has gone: nothing was sent.
      handler.onResponseError?.(given, new RefusedStream('not sent', { cause: error }));
      return;
    }
    if (request.body !== null) stream.end(request.body);
    if (this.#open++ === 0) this.#session.ref();
    this.#listen(stream, handler, controller, given, () => reason);
  }

  async destroy(): Promise<void> {
    this.#session.destroy();
  }

  #listen(
    stream: ClientHttp2Stream,
    handler: Dispatcher.DispatchHandler,
    controller: { rawHeaders: unknown },
    given: Dispatcher.DispatchController,
    reason: () => Error | null,
  ): void {
    let [hasStarted, hasHead, hasEnded] = [false, false, false];
    let failure: Error | null = null;
    const onHead = (headers: IncomingHttpHeaders, _flags: number, raw: unknown): void => {
      if (!hasStarted) (handler as { onResponseStarted?(): void }).onResponseStarted?.();
      hasStarted = true;
      const status = Number(headers[':status']);
      hasHead = status >= 200;
      controller.rawHeaders = raw;
      handler.onResponseStart?.(given, status, {}, '');
    };
    stream.on('headers', onHead); // 1xx
    stream.on('response', onHead);
    stream.on('data', (chunk: Buffer) => handler.onResponseData?.(given, chunk));
    stream.once('end', () => {
      // A reset ends the readable half, too.
      if (!hasHead || reason() !== null || stream.rstCode !== 0) return;
      hasEnded = true;
      handler.onResponseEnd?.(given, {});
    });
    stream.on('error', (error) => {
      failure ??= error;
    });
    stream.once('close', () => {
      if (--this.#open === 0) this.#session.unref();
      if (!hasEnded) handler.onResponseError?.(given, reason() ?? this.#why(stream, failure));
    });
  }

  #why(stream: ClientHttp2Stream, failure: Error | null): Error {
    const { id, rstCode } = stream;
    const isAbove = this.#lastStream !== null && id !== undefined && id > this.#lastStream;
    if (rstCode === refused || isAbove || id === undefined) {
      return new RefusedStream('HTTP/2: the server did not take this request');
    }
    if (rstCode === enhanceYourCalm && this.#lastStream === null) {
      const message = `header section far over limits.maxHeaderBytes (${this.#maxHeaderBytes})`;
      return Object.assign(new Error(message), { code: 'UND_ERR_HEADERS_OVERFLOW' });
    }
    return failure ?? new Error(`HTTP/2: stream closed with code ${rstCode}`);
  }

  /** RFC 9113 8.3.1; of several fields of one name one with all values. */
  #fields({ method, path, headers, body }: WireRequest): Record<string, string> {
    const { host, protocol } = this.#origin;
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
    if (body !== null) fields['content-length'] = String(body.byteLength);
    return fields;
  }
}
