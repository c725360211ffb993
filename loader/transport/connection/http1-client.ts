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
import type { Batch, Carrier, Exchange } from '../exchange.ts';
import type { TransportOptions } from '../transport-options.ts';
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
  /** Called when the first response shows that the server speaks HTTP/1.0. */
  onVersion10(): void;
  /** Called when bytes arrive that answer no request. */
  onSurplus(): void;
  /** Called when the connection cannot continue. @param culprit The exchange that `error` is about; null: none. */
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
    // By default undici closes a connection after HEAD, unless `reset` is false.
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
    // undici calls `unshift` with bytes that follow the last response of a closing connection: they answer no request.
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
      // undici limits the length of the fields, but not that of the status line: here all bytes are counted.
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

type WriteCallback = (error?: Error | null) => void;
type WriteArguments = [chunk: string | Buffer, encoding: BufferEncoding, callback?: WriteCallback];

/** Longest time, ms, for which requests are held back until the page's HTML ends, if `maxEndWaitMs` sets no limit. */
const longestEndWaitMs = 25;

/** Bytes that a server sends without a pause: the initial window of a connection, ten segments (RFC 6928 2). */
const windowBytes = 10 * 1460;
/** Shortest wait that is worth a timer, ms. */
const leastMs = 1;

/**
 * A write buffer in front of one connection's socket, so that requests found together are sent together (Nielsen,
 * Gettys et al. 1997, "Pipelining" and "Buffer Tuning"). undici writes each request head separately; the buffer
 * collects them for one writev. In order of precedence: a full buffer is written at once; an urgent request is
 * written with everything before it; the requests of one HTML chunk are written after its scan or, if the end of the
 * HTML is near, together with the remaining ones; others are written after a delay.
 */
class BatchingSocket {
  readonly #socket: Socket;
  readonly #connection: Carrier;
  readonly #inFlight: InFlight;
  readonly #options: TransportOptions['batch'];
  readonly #isHttp10: boolean;
  /** The HTML document for whose end requests were held back last, and since when (ms); null: none so far. */
  #endWait: { html: Exchange; sinceMs: number } | null = null;
  readonly #write: Socket['write'];
  #chunks: WriteArguments[] = [];
  #exchanges: Exchange[] = [];
  #bytes = 0;
  /** The exchange whose request head undici writes next to this socket; null: the next write is no request head. */
  #next: Exchange | null = null;
  #held = false;
  #scheduled = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    socket: Socket,
    connection: Carrier,
    inFlight: InFlight,
    { batch, protocol }: Pick<TransportOptions, 'batch' | 'protocol'>,
  ) {
    this.#socket = socket;
    this.#connection = connection;
    this.#inFlight = inFlight;
    this.#options = batch;
    this.#isHttp10 = protocol === 'http1.0';
    this.#write = socket.write.bind(socket) as Socket['write'];
    socket.write = ((...args: unknown[]) => this.#buffer(args)) as Socket['write'];
    socket.once('close', () => this.#clearTimer());
  }

  /** Declares that the next write on the socket is the request head of this exchange. */
  announce(exchange: Exchange): void {
    this.#next = exchange;
  }

  /** Holds back the requests found in a chunk of HTML until its scan is complete (`release`). */
  hold(): void {
    this.#held = true;
  }

  /** Ends `hold`. If `flush` is `segment`, the requests are written now, or when the HTML ends if that is near. */
  release(): void {
    this.#held = false;
    if (this.#options.flush !== 'segment' || this.#chunks.length === 0) return;
    const leftMs = this.#endWaitMs();
    if (leftMs === 0) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), leftMs);
  }

  /**
   * Returns how long the requests found in a chunk of the HTML wait for the end of the HTML, ms; 0: not at all. They
   * then leave in one write, which acknowledges all of the HTML. The wait pays off: nginx with `sendfile` and
   * `tcp_nopush` (Debian's default) holds back the short last segment until the previous short one is acknowledged
   * (Nagle), and a client that has just sent something delays that acknowledgment by 40 ms. Two writes within a round
   * trip stall nginx in the same way.
   */
  #endWaitMs(): number {
    const { head: html, missingBytes } = this.#inFlight;
    if (html?.leads !== true || 'encrypted' in this.#socket) return 0;
    const { roundTripMs, connectedAt, startedAt } = this.#connection.times;
    const tripMs = roundTripMs ?? (connectedAt ?? 0) - startedAt;
    const mostMs = this.#options.maxEndWaitMs ?? Math.min(tripMs / 4, longestEndWaitMs);
    if (missingBytes === 0 || missingBytes > windowBytes || mostMs < leastMs) return 0;
    const nowMs = performance.now();
    if (this.#endWait?.html !== html) this.#endWait = { html, sinceMs: nowMs };
    return Math.max(0, mostMs - (nowMs - this.#endWait.sinceMs));
  }

  /** Writes all buffered requests to the kernel at once. */
  flush(): void {
    this.#clearTimer();
    if (this.#chunks.length === 0) return;
    const [chunks, exchanges, bytes] = [this.#chunks, this.#exchanges, this.#bytes];
    this.#chunks = [];
    this.#exchanges = [];
    this.#bytes = 0;
    if (this.#socket.destroyed) return;
    const batch: Batch = {
      connection: this.#connection,
      exchanges,
      bytes,
      sentAt: performance.now(),
    };
    this.#inFlight.wrote(batch);
    this.#socket.cork();
    for (const args of chunks) this.#write(...args);
    this.#socket.uncork();
  }

  #buffer(args: unknown[]): boolean {
    const [given, second, third] = args as [string | Buffer, unknown, unknown];
    // undici always writes HTTP/1.1 as the version, which becomes HTTP/1.0 here if the option asks for that.
    const isOld = this.#isHttp10 && this.#next !== null && typeof given === 'string';
    const chunk = isOld ? given.replace(' HTTP/1.1\r\n', ' HTTP/1.0\r\n') : given;
    const encoding = (typeof second === 'string' ? second : 'utf8') as BufferEncoding;
    const callback = (typeof second === 'function' ? second : third) as WriteCallback | undefined;
    const bytes = typeof chunk === 'string' ? Buffer.byteLength(chunk, encoding) : chunk.length;
    const { maxBytes, flush: rule } = this.#options;
    // The buffered requests are written first if this chunk would make the buffer exceed its limit.
    if (maxBytes !== null && this.#bytes + bytes > maxBytes) this.flush();
    const exchange = this.#next;
    this.#next = null;
    if (exchange !== null) this.#exchanges.push(exchange);
    this.#chunks.push(callback === undefined ? [chunk, encoding] : [chunk, encoding, callback]);
    this.#bytes += bytes;
    if (maxBytes !== null && this.#bytes >= maxBytes) this.flush();
    // Only requests that a scan of HTML found wait in the buffer for others to join them. A request that is resent, or
    // that waited for a free connection, is written at once, as no others can be expected.
    else if (exchange === null || exchange.urgent || !this.#held) this.#soon();
    else if (typeof rule === 'number') this.#timer ??= setTimeout(() => this.flush(), rule);
    return true;
  }

  /** Flushes once the other requests of this turn of the event loop are buffered. */
  #soon(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.flush();
    });
  }

  #clearTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
