// The client side of one HTTP/1.x connection: undici's client with exactly one socket. undici parses and frames
// messages; other files decide which requests are sent where, and about pipelining depth, timeouts and retries. On the
// socket this file groups writes into batches, and observes what undici does not report: the server's HTTP version,
// surplus bytes, an endless status line, and a status line of another protocol that undici's parser accepts (HTTP/2.0,
// RTSP/1.0, ICE/1.0). It also pauses for a busy handler: undici would destroy a paused parser at the server's FIN, even
// with the rest of the body received. Here the bytes stay in the socket, followed by the end of the stream.

import type { Socket } from 'node:net';
import type { Client, Dispatcher } from 'undici';
import symbols from 'undici/lib/core/symbols.js';
import { LoaderError } from '../../errors.ts';
import type { Carrier, Exchange } from '../exchange.ts';
import type { TransportOptions } from '../transport-options.ts';
import { BatchingSocket } from './batching-socket.ts';
import type { WireRequest } from './http2-client.ts';
import type { InFlight } from './in-flight.ts';
import { StrictForm } from './strict-form.ts';

let loading: Promise<typeof Client> | null = null;

/**
 * Loads undici's client by its own path: all of undici takes about 120 ms to load, this part a third of that.
 * A loader imports it when its first page begins, before the page's clock starts.
 */
export function loadClient(): Promise<typeof Client> {
  loading ??= import('undici/lib/dispatcher/client.js').then((module) => module.default);
  return loading;
}

export interface Http1Events {
  /** The first response shows that the server speaks HTTP/1.0. */
  onVersion10(): void;
  /** Bytes arrived that answer no request. */
  onSurplus(): void;
  /** The connection cannot continue. @param culprit The exchange that `error` is about; null: it is about none. */
  onUnusable(error: LoaderError, culprit: Exchange | null): void;
}

/** Approximate maximum of one socket read, bytes; the read may begin with the end of another response. */
const readSize = 64 * 1024;
/** Number of characters at the start of a response that contain its HTTP version and its status. */
const firstBytes = 'HTTP/1.0 200'.length;

/** Matches the start of a status line, up to the first digit of the status (RFC 9112 4, RFC 9110 15). */
const isHttp1 = /^HTTP\/1\.\d [1-9]/;
/** Matches printable ASCII. If a response begins with other bytes, the parser's own error is more specific. */
const isText = /^[\x20-\x7e]+$/;

export class Http1Client {
  readonly isAlive = true;
  readonly maxStreams = 1;
  readonly writes: BatchingSocket;
  readonly #socket: Socket;
  readonly #client: Client;
  readonly #inFlight: InFlight;
  readonly #maxHeaderBytes: number;
  readonly #events: Http1Events;
  #isUsed = false;
  #pauses = 0;
  /** The exchange whose header section is measured, and the length of that section so far. */
  #measured: Exchange | null = null;
  #headBytes = 0;
  /** First bytes of a response while they are too few to tell its HTTP version; null: the version is known. */
  #begins: string | null = null;
  #isForeign = false;
  /** Corrects faults of the connection's only response for undici; null: undici gets responses as they come. */
  #form: StrictForm | null = null;

  constructor(
    UndiciClient: typeof Client,
    socket: Socket,
    connection: Carrier,
    inFlight: InFlight,
    options: TransportOptions,
    events: Http1Events,
  ) {
    this.#socket = socket;
    this.#inFlight = inFlight;
    this.#maxHeaderBytes = options.limits.maxHeaderBytes;
    this.#events = events;
    this.#watch();
    this.writes = new BatchingSocket(socket, connection, inFlight, options);
    this.#client = new UndiciClient(connection.origin.origin, {
      connect: (_options: unknown, callback: Connected) => this.#connect(callback),
      pipelining: 100_000, // the pool limits the depth
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 60_000,
      // keep-alive.ts handles the server's Keep-Alive; undici would delay requests after timeout=1, and close after 0.
      keepAliveTimeoutThreshold: -60_000,
      maxHeaderSize: this.#maxHeaderBytes,
      allowH2: false,
    } as unknown as Client.Options);
  }

  /**
   * Sends the request of the exchange; `handler` gets the events of its response.
   * @param isLast Whether to announce to the server that no request follows.
   */
  dispatch(
    request: WireRequest,
    handler: Dispatcher.DispatchHandler,
    exchange: Exchange,
    isLast: boolean,
  ): void {
    const { isTolerant, method, attempt } = exchange;
    if (isTolerant) {
      this.#form = new StrictForm(method === 'HEAD', this.#maxHeaderBytes, attempt.quirks);
    }
    // By default undici closes a connection after HEAD (`reset`).
    const options = { ...request, blocking: false, reset: isLast };
    this.#client.dispatch(options as unknown as Dispatcher.DispatchOptions, handler);
  }

  /** Sets whether the connection keeps the process running. */
  keep(isKept: boolean): void {
    if (isKept) this.#socket.ref();
    else this.#socket.unref();
  }

  destroy(): void {
    this.#client.destroy().catch(() => {});
  }

  /** Stops reading the socket until `resume` has been called as often as `pause`. */
  pause(): void {
    this.#pauses++;
  }

  resume(): void {
    this.#pauses--;
    // While reading was paused, undici's reads returned nothing, so undici is told to read again. This is deferred
    // because the parser may be delivering the end of the body right now.
    queueMicrotask(() => {
      if (this.#pauses === 0 && !this.#socket.destroyed) this.#socket.emit('readable');
    });
  }

  /** Gives the socket to undici; only the first call does, as undici must not open another connection. */
  #connect(callback: Connected): void {
    const socket = this.#socket;
    const ended = () => new LoaderError('connection-lost', 'the server ended the connection');
    if (this.#isUsed) {
      // Reports the loss to the pool, which decides whether to reconnect. It must be a macrotask: in a microtask,
      // undici would ask for a socket again in the next microtask, forever.
      setImmediate(() => {
        const error = ended();
        this.#events.onUnusable(error, null);
        callback(error, null);
      });
      return;
    }
    this.#isUsed = true;
    queueMicrotask(() => {
      if (socket.destroyed) return callback(ended(), null);
      callback(null, socket);
      takeContinue(socket);
    });
  }

  #watch(): void {
    const socket = this.#socket;
    // undici puts back bytes that follow the last response of a closing connection: they answer no request.
    const unshift = socket.unshift.bind(socket);
    socket.unshift = (chunk: Uint8Array, encoding?: BufferEncoding) => {
      if (this.#inFlight.length === 0 && chunk.length > 0) this.#events.onSurplus();
      unshift(chunk, encoding);
    };
    const read = socket.read.bind(socket);
    socket.read = (size?: number) => {
      if (this.#pauses > 0) return null;
      let chunk = read(size) as Buffer | null;
      while (chunk !== null && this.#form !== null) {
        chunk = this.#form.write(chunk);
        if (chunk.length > 0) break;
        chunk = read(size) as Buffer | null;
      }
      return chunk !== null && this.#accepts(chunk) ? chunk : null;
    };
  }

  /** Checks bytes before undici reads them. @returns Whether undici may read them. */
  #accepts(chunk: Buffer): boolean {
    if (this.#isForeign) return false;
    const { head } = this.#inFlight;
    if (head?.attempt.startedAt === null) this.#begins = '';
    if (this.#begins !== null) this.#checkBeginning(chunk);
    if (this.#isForeign) return false;
    if (head !== this.#measured) [this.#measured, this.#headBytes] = [head, 0];
    if (head?.attempt.head === null) {
      // undici limits the length of the fields, but not that of the status line.
      this.#headBytes += chunk.length;
      if (this.#headBytes > this.#maxHeaderBytes + readSize) {
        const message = `header section over ${this.#maxHeaderBytes} bytes`;
        this.#fail(new LoaderError('headers-too-large', message));
      }
    }
    return true;
  }

  #checkBeginning(chunk: Buffer): void {
    // Line breaks before a status line are ignored (RFC 9112 2.2).
    const begins = `${this.#begins}${chunk.toString('latin1', 0, 64)}`.replace(/^[\r\n]+/, '');
    this.#begins = begins;
    if (begins.length < firstBytes) return;
    this.#begins = null;
    const begun = begins.slice(0, firstBytes);
    const version = begun.slice(0, 'HTTP/1.0'.length);
    if (version === 'HTTP/1.0') this.#events.onVersion10();
    this.#isForeign = isText.test(version) && !isHttp1.test(begun);
    if (!this.#isForeign) return;
    const message = `not a valid HTTP response: it begins with "${begun}", which is not an HTTP/1.x status line`;
    this.#fail(new LoaderError('malformed-response', message));
  }

  /** Ends the connection with this error. This is deferred because undici is about to parse the bytes just read. */
  #fail(error: LoaderError): void {
    queueMicrotask(() => this.#events.onUnusable(error, this.#inFlight.head));
  }
}

type Connected = (error: Error | null, socket: Socket | null) => void;

interface Parser {
  onHeadersComplete(status: number, ...rest: unknown[]): number;
}

/**
 * Makes undici's parser accept a 100 (Continue) that was not asked for, as a client must (RFC 9110 15.2): undici would
 * end the connection. The 100 is passed on as a 102, which undici reports like any interim response.
 */
function takeContinue(socket: Socket): void {
  const parser = (socket as unknown as Record<symbol, Parser | null>)[symbols.kParser];
  if (!parser) return;
  const complete = parser.onHeadersComplete.bind(parser);
  parser.onHeadersComplete = (status, ...rest) => complete(status === 100 ? 102 : status, ...rest);
}
