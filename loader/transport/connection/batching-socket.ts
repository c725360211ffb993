// A write buffer in front of one connection's socket, so that requests found together are sent together (Nielsen,
// Gettys et al. 1997, "Pipelining" and "Buffer Tuning"). undici writes each request head separately; the buffer
// collects them for one writev. In order of precedence: a full buffer is written at once; an urgent request is
// written with everything before it; the requests of one HTML chunk are written after its scan or, if the end of the
// HTML is near, together with the remaining ones; others are written after a delay.

import type { Socket } from 'node:net';
import type { Batch, Carrier, Exchange } from '../exchange.ts';
import type { TransportOptions } from '../transport-options.ts';
import type { InFlight } from './in-flight.ts';

type WriteCallback = (error?: Error | null) => void;
type WriteArguments = [chunk: string | Buffer, encoding: BufferEncoding, callback?: WriteCallback];

/** Longest time, ms, for which requests are held back until the page's HTML ends, if `maxEndWaitMs` sets no limit. */
const longestEndWaitMs = 25;

/** Bytes that a server sends without a pause: the initial window of a connection, ten segments (RFC 6928 2). */
const windowBytes = 10 * 1460;
/** Shortest wait that is worth a timer, ms. */
const leastMs = 1;

export class BatchingSocket {
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
    // undici always writes HTTP/1.1 as the version, so it is replaced for HTTP/1.0.
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
