// One socket to an origin with its client (undici's for HTTP/1.x, our own for HTTP/2), from connecting to closing.
// It batches writes, determines the HTTP version, and detects what undici does not report. It is used once and never
// reconnects. Other files decide which requests it carries and what their responses mean.

import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { LoaderError } from '../../errors.ts';
import type { Alpn, Connect } from '../connect/connector.ts';
import { type ConnectTimes, newTimes } from '../connect/open-tcp.ts';
import { loadClient, loadHttp2 } from '../connect/undici.ts';
import type { Batch, Carrier, Exchange } from '../exchange.ts';
import type { TransportOptions } from '../transport-options.ts';
import { type Arriving, BatchingSocket } from './batching-socket.ts';
import { isSurplus } from './explain-loss.ts';
import { type Http1Socket, watchHttp1 } from './http1-socket.ts';
import { Http2Client, type WireRequest } from './http2-client.ts';
import type { InFlight } from './in-flight.ts';
import { type OneSocketClient, oneSocketClient } from './one-socket-client.ts';
import { StrictForm } from './strict-form.ts';

export interface ClientSocketEvents {
  /** Requests may be dispatched. */
  onOpen(): void;
  /** HTTP/2: the server's limit of concurrent streams became known or changed. */
  onSettings(): void;
  /**
   * HTTP/2: the server accepts no more requests. @param taken Number it accepted; Infinity: not known (RFC 9113 6.8).
   */
  onGoaway(taken: number): void;
  /** The server requires HTTP/1.1. */
  onHttp1Required(): void;
  /** Bytes arrived that answer no request. */
  onSurplus(): void;
  /** The connection cannot continue after these bytes. */
  onUnusable(error: LoaderError, culprit: Exchange | null): void;
  /** The socket has closed. @param error Why it never connected; null: it was connected, see `failure`. */
  onClosed(error: LoaderError | null): void;
}

export class ClientSocket {
  httpVersion: 'http/1.0' | 'http/1.1' | 'h2' = 'http/1.1';
  remoteAddress: string | null = null;
  readonly times: ConnectTimes;
  /** The error of the system or undici that broke the connection; null: none. */
  failure: Error | null = null;

  readonly #connection: Carrier;
  readonly #inFlight: InFlight;
  readonly #options: TransportOptions;
  readonly #events: ClientSocketEvents;
  readonly #abortConnect: () => void;
  #socket: Socket | null = null;
  #client: OneSocketClient | Http2Client | null = null;
  /** Groups requests into batches; null: no socket yet. */
  #batching: BatchingSocket | H2Batch | null = null;
  /** null: the socket is not connected or speaks HTTP/2. */
  #http1: Http1Socket | null = null;
  #held = false;
  #closed = false;

  constructor(
    connection: Carrier,
    inFlight: InFlight,
    alpn: Alpn,
    connect: Connect,
    options: TransportOptions,
    events: ClientSocketEvents,
  ) {
    this.#connection = connection;
    this.#inFlight = inFlight;
    this.#options = options;
    this.#events = events;
    this.times = newTimes();
    // The client is loaded while the connection opens, so that it is available for the first request.
    const clients = alpn === 'h2' ? loadHttp2() : loadClient();
    clients.catch(() => {}); // the error is reported where the client is used
    const attempt = connect(connection.origin, alpn, this.times, (error, socket) => {
      if (error !== null || socket === null) {
        this.#closed = true;
        this.#events.onClosed(error);
        return;
      }
      // Cleartext connections negotiate nothing; they use the protocol they were opened for.
      const negotiated = (socket as Socket & { alpnProtocol?: string | null }).alpnProtocol;
      this.#adopt(socket, { isHttp2: (negotiated ?? alpn) === 'h2' });
      this.#open(socket);
    });
    this.#abortConnect = attempt.abort;
  }

  /** Whether the socket is connected and neither side has destroyed it. */
  get isAlive(): boolean {
    const hasSession = !(this.#client instanceof Http2Client) || this.#client.isAlive;
    return hasSession && this.#socket?.destroyed === false;
  }

  /** Time to connect, roughly one round trip, ms; negative until connected. */
  get connectMs(): number {
    return (this.times.connectedAt ?? 0) - this.times.startedAt;
  }

  /** HTTP/2: the server's limit on concurrent streams, as far as known. */
  get maxStreams(): number {
    return this.#client instanceof Http2Client ? this.#client.maxStreams : 1;
  }

  /** Tolerates faults that browsers tolerate in the connection's only response (HTTP/1.x). */
  tolerate({ method, attempt }: Exchange): void {
    const { maxHeaderBytes } = this.#options.limits;
    this.#http1?.tolerate(new StrictForm(method === 'HEAD', maxHeaderBytes, attempt.quirks));
  }

  /** @param isLast Announce to the server that no request follows (HTTP/1.1). */
  dispatch(request: WireRequest, isLast: boolean, handler: Dispatcher.DispatchHandler): void {
    this.#client?.dispatch(request, handler, isLast);
  }

  /** @param isKept Whether the connection keeps the process running while requests are in flight. */
  keep(isKept: boolean): void {
    const holder = this.#client instanceof Http2Client ? this.#client : this.#socket;
    if (isKept) holder?.ref();
    else holder?.unref();
  }

  hold(): void {
    this.#held = true;
    this.#batching?.hold();
  }

  release(): void {
    this.#held = false;
    this.#batching?.release();
  }

  flush(): void {
    this.#batching?.flush();
  }

  /** Declares that the next write is this exchange's head. */
  announce(exchange: Exchange): void {
    this.#batching?.announce(exchange);
  }

  /** Called when a complete header section has arrived. */
  headComplete(): void {
    this.#http1?.headComplete();
  }

  /** Stops reading until `resume` has been called as often (HTTP/1.x; HTTP/2 streams pause individually). */
  pause(): void {
    this.#http1?.pause();
  }

  resume(): void {
    this.#http1?.resume();
  }

  /** Ends the writing side: nothing more will be written, so the server may close. */
  halfClose(): void {
    this.#socket?.end();
  }

  /** Closes the socket now; `onClosed` may or may not follow. */
  destroy(): void {
    this.#closed = true;
    if (this.#socket === null) this.#abortConnect();
    else this.#socket.destroy();
    this.#client?.destroy().catch(() => {});
  }

  #adopt(socket: Socket, { isHttp2 }: { isHttp2: boolean }): void {
    this.#socket = socket;
    this.remoteAddress = socket.remoteAddress ?? null;
    if (isHttp2) this.httpVersion = 'h2';
    socket.on('error', (error) => {
      this.failure ??= error;
      if (this.#inFlight.length === 0 && isSurplus(error)) this.#events.onSurplus();
    });
    socket.once('close', () => {
      this.#closed = true;
      this.#events.onClosed(null);
      this.#client?.destroy().catch(() => {});
    });
    if (isHttp2) this.#batching = new H2Batch(this.#connection);
    else this.#batching = this.#watch(socket);
    if (this.#held) this.#batching.hold();
  }

  #watch(socket: Socket): BatchingSocket {
    const { batch, limits } = this.#options;
    const { maxHeaderBytes } = limits;
    const inFlight = this.#inFlight;
    this.#http1 = watchHttp1(socket, maxHeaderBytes, {
      waiting: () => inFlight.length,
      awaitsHead: () => inFlight.head?.attempt.head === null,
      awaitsFirstByte: () => inFlight.head?.attempt.startedAt === null,
      onForeign: (begins) => {
        const message = `not a valid HTTP response: it begins with "${begins}", which is not an HTTP/1.x status line`;
        const error = new LoaderError('malformed-response', message);
        queueMicrotask(() => this.#events.onUnusable(error, inFlight.head));
      },
      onVersion10: () => {
        this.httpVersion = 'http/1.0';
      },
      onSurplus: () => this.#events.onSurplus(),
      onEndlessHead: () => {
        const message = `header section over limits.maxHeaderBytes (${maxHeaderBytes})`;
        const error = new LoaderError('headers-too-large', message);
        // This is deferred because undici is about to parse these bytes.
        queueMicrotask(() => this.#events.onUnusable(error, inFlight.head));
      },
    });
    return new BatchingSocket(
      socket,
      this.#connection,
      batch,
      (written) => inFlight.wrote(written),
      this.#arriving(socket),
      this.#options.protocol === 'http1.0',
    );
  }

  #arriving(socket: Socket): Arriving {
    const inFlight = this.#inFlight;
    const isEncrypted = 'encrypted' in socket;
    return {
      roundTripMs: this.times.roundTripMs ?? this.connectMs,
      get response() {
        const { head } = inFlight;
        return isEncrypted || head?.leads !== true ? null : head.attempt.pipelineIndex;
      },
      get missingBytes() {
        return inFlight.missingBytes;
      },
    };
  }

  async #open(socket: Socket): Promise<void> {
    const { maxHeaderBytes } = this.#options.limits;
    const { origin } = this.#connection;
    if (this.httpVersion === 'h2') {
      const http2 = await loadHttp2();
      if (this.#closed) return;
      this.#client = new Http2Client(http2, origin, socket, {
        onHttp1Required:
          this.#options.protocol === 'h2' ? null : () => this.#events.onHttp1Required(),
        onGoaway: (taken) => this.#events.onGoaway(taken),
        onSettings: () => this.#events.onSettings(),
      });
    } else {
      const UndiciClient = await loadClient();
      if (this.#closed) return;
      this.#client = oneSocketClient(UndiciClient, origin, socket, maxHeaderBytes, (error) =>
        this.#events.onUnusable(error, null),
      );
    }
    this.#events.onOpen();
  }
}

/**
 * Batches of HTTP/2 requests: nghttp2 collects frames until the turn ends, so a batch is the requests of one turn or
 * one scanned chunk. nghttp2 does not report their size, so `bytes` stays 0.
 */
class H2Batch {
  readonly #connection: Carrier;
  #open: Batch | null = null;
  #held = false;

  constructor(connection: Carrier) {
    this.#connection = connection;
  }

  /** Keeps the batch open, because more requests will follow. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    this.flush();
  }

  /** Adds an exchange whose frames are being written to the buffer. */
  announce(exchange: Exchange): void {
    if (this.#open === null) {
      this.#open = { connection: this.#connection, exchanges: [], bytes: 0, sentAt: 0 };
      if (!this.#held) queueMicrotask(() => this.flush());
    }
    this.#open.exchanges.push(exchange);
    exchange.attempts++;
    exchange.attempt.batch = this.#open;
  }

  /** Closes the batch. */
  flush(): void {
    const batch = this.#open;
    if (batch === null) return;
    this.#open = null;
    batch.sentAt = performance.now();
    for (const exchange of batch.exchanges) exchange.handler.onSent?.(batch);
  }
}
