// One connection, used once: a socket with an undici client on it. It never reconnects by itself:
// undici would send the rest of a broken pipeline again at full depth, which RFC 9112 9.3.2 forbids.
// What was in flight when it ended goes back to the origin's pool, which decides.
//
// In step: HTTP/1.1 matches responses to requests by order alone, so one response too many or too
// few shifts every later body to a wrong URL. A response is certain only when it was the first of
// its connection and nothing else was asked when it came. All others stay `uncertain` until the
// connection was seen to end, or to stay quiet, exactly after the last response.

import type { Socket } from 'node:net';
import type { Client, Dispatcher } from 'undici';
import { LoaderError } from '../errors.ts';
import type { ResolvedOptions } from '../options.ts';
import type { HeaderPair } from '../page-load.ts';
import { BatchingSocket } from './batching-socket.ts';
import type { Alpn, Connect, ConnectTimes } from './connector.ts';
import { ResponseClock } from './deadlines.ts';
import type { Batch, Carrier, Exchange } from './exchange.ts';
import { explainLoss } from './explain-loss.ts';
import { loadClient } from './undici.ts';

export interface ConnectionEvents {
  onOpen(connection: Connection): void;
  /** The first response began: what the server speaks is known. */
  onHead(connection: Connection): void;
  /** A response ended: there may be room for more. */
  onFree(connection: Connection): void;
  /** One exchange failed and the connection goes on (HTTP/2), or the exchange alone is to blame. */
  onExchangeFailed(connection: Connection, exchange: Exchange, error: LoaderError): void;
  onClosed(connection: Connection, end: ConnectionEnd): void;
}

export interface ConnectionEnd {
  error: LoaderError;
  /** In flight when it ended, oldest first; [0] headed the pipeline. */
  lost: Exchange[];
  /** Ended responses that may stand under a wrong URL. */
  suspects: Exchange[];
  /** It had been open. */
  opened: boolean;
  /** The server had said that it would close (Connection: close, HTTP/1.0). */
  announced: boolean;
}

type Controller = Dispatcher.DispatchController;

export class Connection implements Carrier {
  readonly id: number;
  readonly origin: URL;
  readonly times: ConnectTimes;
  endedAt: number | null = null;
  httpVersion: 'http/1.0' | 'http/1.1' | 'h2' = 'http/1.1';
  remoteAddress: string | null = null;
  state: 'connecting' | 'open' | 'closed' = 'connecting';
  /** No more requests: either side will close it. */
  draining = false;
  /** The server said that it will (Connection: close, HTTP/1.0). */
  announced = false;
  readonly inFlight: Exchange[] = [];
  sent = 0;
  served = 0;

  readonly #options: ResolvedOptions;
  readonly #events: ConnectionEvents;
  readonly #abortConnect: () => void;
  #client: Client | null = null;
  #socket: Socket | null = null;
  #batching: BatchingSocket | null = null;
  #h2Batch: Batch | null = null;
  #uncertain: Exchange[] = [];
  #last: Exchange | null = null;
  /** A request left before the one ahead of it was answered. */
  #pipelined = false;
  #surplus = false;
  /** When a body last grew, on HTTP/2. */
  #progressAt = 0;
  /** Bytes read since the last header section was complete. */
  #headBytes = 0;
  #socketError: Error | null = null;
  #reason: LoaderError | null = null;
  #held = false;
  #closedWaiters: Array<() => void> = [];

  constructor(
    id: number,
    origin: URL,
    alpn: Alpn,
    connect: Connect,
    options: ResolvedOptions,
    events: ConnectionEvents,
  ) {
    this.id = id;
    this.origin = origin;
    this.#options = options;
    this.#events = events;
    this.times = {
      startedAt: performance.now(),
      lookupEndedAt: null,
      connectedAt: null,
      securedAt: null,
    };
    const client = loadClient();
    const attempt = connect(origin, alpn, this.times, (error, socket) => {
      if (error !== null || socket === null) {
        this.#reason ??= error;
        this.#closed();
        return;
      }
      this.#adopt(socket);
      client.then((Client) => this.#open(Client, socket));
    });
    this.#abortConnect = attempt.abort;
  }

  /** It takes requests. */
  get usable(): boolean {
    return this.state === 'open' && !this.draining && this.#socket?.destroyed === false;
  }

  /**
   * Hand one request to the wire.
   * @param how `more`: others may follow; `last`: none will, and what comes behind the response is
   * looked at; `close`: none will, and the server is told (Connection: close).
   */
  send(exchange: Exchange, how: 'more' | 'last' | 'close'): void {
    exchange.connection = this;
    const shared = this.httpVersion === 'h2' ? () => this.#progressAt : null;
    exchange.clock = new ResponseClock(this.#options.timeouts, shared, (error) =>
      this.abort(exchange, error),
    );
    if (this.inFlight.length > 0) this.#pipelined = true;
    this.inFlight.push(exchange);
    if (how !== 'more') this.draining = true;
    const dispatch = {
      method: 'GET',
      path: exchange.path,
      headers: exchange.headers,
      blocking: false,
      ...(how === 'close' ? { reset: true } : {}),
    } as Dispatcher.DispatchOptions;
    this.#client?.dispatch(dispatch, this.#handler(exchange));
  }

  hold(): void {
    this.#held = true;
    this.#batching?.hold();
  }

  release(): void {
    this.#held = false;
    this.#batching?.release();
    this.#sealH2Batch();
  }

  flush(): void {
    this.#batching?.flush();
    this.#sealH2Batch();
  }

  /** Give up one exchange. On HTTP/1.1 the connection ends with it, and the others are lost. */
  abort(exchange: Exchange, error: LoaderError): void {
    const place = this.inFlight.indexOf(exchange);
    if (place === -1) return;
    if (this.httpVersion !== 'h2') {
      this.destroy(error);
      return;
    }
    this.inFlight.splice(place, 1);
    exchange.clock?.stop();
    exchange.controller?.abort(error);
    this.#events.onExchangeFailed(this, exchange, error);
  }

  /** End it now; what is in flight is lost with `error`. */
  destroy(error: LoaderError): void {
    if (this.state === 'closed') return;
    this.#reason ??= error;
    this.draining = true;
    if (this.#socket === null) {
      this.#abortConnect();
      this.#closed();
    } else {
      this.#socket.destroy();
      this.#closed();
    }
    this.#client?.destroy().catch(() => {});
  }

  /** It has served what it can: let the server end it, and do so ourselves if it does not. */
  retire(): void {
    this.settle(true).then(() => this.destroy(new LoaderError('connection-lost', 'ended')));
  }

  /**
   * Wait until the responses so far are known to be in step: the connection has ended, or stayed
   * quiet. Surplus bytes meanwhile make suspects (`onClosed`).
   * @param last no more requests will follow: half-close, and the server's own end is the proof.
   */
  async settle(last: boolean): Promise<void> {
    if (this.state !== 'open' || this.httpVersion === 'h2') return;
    if (this.inFlight.length > 0 || this.#last === null) return;
    const { settleMs } = this.#options.pipeline;
    const roundTripMs = (this.times.connectedAt ?? 0) - this.times.startedAt;
    const waitMs = last ? settleMs : Math.min(settleMs, Math.max(1, roundTripMs));
    if (last) {
      this.draining = true;
      this.#socket?.end();
    } else if (this.#uncertain.length === 0) {
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.#closedWaiters.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    if (this.#surplus || this.inFlight.length > 0) return;
    this.#uncertain = [];
    this.#last = null;
  }

  #adopt(socket: Socket): void {
    this.#socket = socket;
    this.remoteAddress = socket.remoteAddress ?? null;
    const alpn = (socket as Socket & { alpnProtocol?: string }).alpnProtocol;
    if (alpn === 'h2') this.httpVersion = 'h2';
    socket.on('error', (error) => {
      this.#socketError ??= error;
      if (this.inFlight.length === 0 && isSurplus(error)) this.#surplus = true;
    });
    socket.once('close', () => this.#closed());
    if (this.httpVersion === 'h2') return;
    // Bytes behind the last response of a connection that is being closed: undici puts them back.
    const unshift = socket.unshift.bind(socket);
    socket.unshift = (chunk: Uint8Array, encoding?: BufferEncoding) => {
      if (this.inFlight.length === 0 && chunk.length > 0) this.#surplus = true;
      unshift(chunk, encoding);
    };
    const read = socket.read.bind(socket);
    socket.read = (size?: number) => {
      const chunk = read(size) as Buffer | null;
      // undici does not tell the version, and an HTTP/1.0 server must not be pipelined to.
      if (chunk !== null && this.served === 0 && chunk.subarray(0, 8).equals(http10)) {
        this.httpVersion = 'http/1.0';
      }
      if (chunk !== null && this.inFlight[0]?.head === null) this.#countHead(chunk.length);
      return chunk;
    };
    this.#batching = new BatchingSocket(socket, this, this.#options.batch, (batch) =>
      this.#onBatch(batch),
    );
    if (this.#held) this.#batching.hold();
  }

  /** undici bounds header fields, not the status line before them. */
  #countHead(bytes: number): void {
    this.#headBytes += bytes;
    const { maxHeaderBytes } = this.#options.limits;
    if (this.#headBytes <= maxHeaderBytes + readSize) return;
    const error = new LoaderError(
      'headers-too-large',
      `header section over limits.maxHeaderBytes (${maxHeaderBytes})`,
    );
    queueMicrotask(() => this.destroy(error)); // undici is about to parse these bytes
  }

  #open(UndiciClient: typeof Client, socket: Socket): void {
    if (this.state === 'closed') return;
    let used = false;
    this.#client = new UndiciClient(this.origin.origin, {
      connect: (
        _options: unknown,
        callback: (error: Error | null, socket: Socket | null) => void,
      ) => {
        const ended = new LoaderError('connection-lost', 'the server ended the connection');
        if (used) {
          // It wants to go on elsewhere (HTTP/2 GOAWAY leaves the socket open): that is the pool's to
          // say. Not in a microtask: undici would ask again in the next one, for ever.
          setImmediate(() => {
            this.destroy(ended);
            callback(ended, null);
          });
          return;
        }
        used = true;
        queueMicrotask(() => (socket.destroyed ? callback(ended, null) : callback(null, socket)));
      },
      pipelining: 100_000, // how many is the pool's to say
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 60_000,
      maxHeaderSize: this.#options.limits.maxHeaderBytes,
      allowH2: this.httpVersion === 'h2',
    } as unknown as Client.Options);
    this.state = 'open';
    this.#events.onOpen(this);
  }

  #handler(exchange: Exchange): Dispatcher.DispatchHandler {
    let tail: Promise<void> | null = null; // the handler's unfinished work on earlier chunks
    const current = () => exchange.connection === this && this.inFlight.includes(exchange);
    const guard = (work: () => void): void => {
      try {
        work();
      } catch (error) {
        this.abort(exchange, asLoaderError(error));
      }
    };
    return {
      onRequestStart: (controller: Controller) => {
        if (!current()) return controller.abort(new LoaderError('connection-lost', 'ended'));
        exchange.controller = controller;
        exchange.pipelineIndex = this.sent++;
        if (this.httpVersion === 'h2') this.#joinH2Batch(exchange);
        else this.#batching?.announce(exchange);
        if (this.httpVersion === 'h2' || this.inFlight[0] === exchange) this.#startClock(exchange);
      },
      onResponseStarted: () => {
        exchange.startedAt = performance.now();
      },
      onResponseStart: (controller, status, headers, statusText) => {
        if (!current()) return;
        if (exchange.batch === null) {
          this.#surplus = true; // an answer to what was not asked yet
          return this.destroy(new LoaderError('out-of-step', 'a response came before its request'));
        }
        const pairs = headerPairs(controller.rawHeaders ?? headers);
        if (status < 200) guard(() => this.#interim(exchange, status, pairs));
        else guard(() => this.#begin(exchange, status, statusText ?? '', pairs));
      },
      onResponseData: (controller, chunk) => {
        // undici resumes a paused parser with an empty chunk: answered like any other, it would pause
        // and resume in microtasks for ever, and no deadline could fire.
        if (!current() || chunk.length === 0) return;
        exchange.received += chunk.length;
        if (this.httpVersion === 'h2') this.#progressAt = performance.now();
        exchange.clock?.progress(chunk.length);
        guard(() => {
          const work =
            tail === null
              ? exchange.handler.onData(chunk)
              : tail.then(() => exchange.handler.onData(chunk));
          if (work === undefined) return;
          controller.pause();
          const mine = work.then(
            () => {
              if (tail !== mine) return;
              tail = null;
              if (current()) controller.resume();
            },
            (error) => this.abort(exchange, asLoaderError(error)),
          );
          tail = mine;
        });
      },
      onResponseEnd: () => {
        if (!current()) return;
        const endedAt = performance.now();
        if (!exchange.framed && this.#socketError !== null) return; // cut, not ended: `close` follows
        const { expected, received } = exchange;
        if (expected !== null && expected !== received) {
          const message = `a body of ${received} bytes where Content-Length says ${expected}`;
          return this.abort(exchange, new LoaderError('length-mismatch', message));
        }
        this.#finish(exchange);
        if (tail === null) exchange.handler.onEnd(endedAt);
        else tail.then(() => exchange.done && exchange.handler.onEnd(endedAt));
      },
      onResponseError: (_controller, error) => {
        // With the connection goes all that is in flight; else this exchange alone is to blame.
        queueMicrotask(() => {
          if (!current() || this.state === 'closed' || this.#socket?.destroyed) return;
          const reason = explainLoss(error, exchange);
          if (endsSession(error)) return this.destroy(reason);
          this.inFlight.splice(this.inFlight.indexOf(exchange), 1);
          exchange.clock?.stop();
          this.#events.onExchangeFailed(this, exchange, reason);
          // undici gives up the whole session over one body of another length than it declared.
          if (reason.code === 'length-mismatch') {
            this.destroy(new LoaderError('connection-lost', 'HTTP/2: the session was given up'));
          }
        });
      },
    };
  }

  #interim(exchange: Exchange, status: number, headers: HeaderPair[]): void {
    const { maxInterimResponses } = this.#options.limits;
    if (++exchange.interims > maxInterimResponses) {
      const message = `more than ${maxInterimResponses} interim (1xx) responses`;
      this.abort(exchange, new LoaderError('too-many-interim-responses', message));
      return;
    }
    this.#boundHeaders(headers);
    exchange.handler.onInterim?.(status, headers);
  }

  #begin(exchange: Exchange, status: number, statusText: string, headers: HeaderPair[]): void {
    const value = (name: string) =>
      headers
        .filter(([key]) => key.toLowerCase() === name)
        .map(([, text]) => text)
        .join(',');
    this.#boundHeaders(headers);
    const chunked = /(?:^|[,\s])chunked\s*$/i.test(value('transfer-encoding'));
    const length = value('content-length');
    const bodiless = status === 204 || status === 304;
    exchange.expected = !bodiless && !chunked && /^\d+$/.test(length) ? Number(length) : null;
    exchange.framed =
      bodiless || chunked || exchange.expected !== null || this.httpVersion === 'h2';
    exchange.certain =
      this.httpVersion === 'h2' || (exchange.pipelineIndex === 0 && this.inFlight.length === 1);
    const connection = value('connection').toLowerCase();
    const keeps = this.httpVersion !== 'http/1.0' || connection.includes('keep-alive');
    if (this.httpVersion !== 'h2' && (connection.includes('close') || !keeps)) {
      this.draining = this.announced = true;
    }
    // Without a length it ends with the connection (RFC 9112 6.3).
    if (!exchange.framed) this.draining = this.announced = true;
    this.#headBytes = 0;
    if (this.served === 0) this.#events.onHead(this);
    exchange.clock?.responded();
    const startedAt = exchange.startedAt ?? performance.now();
    const { httpVersion } = this;
    exchange.head = { status, statusText, headers, httpVersion, startedAt };
    exchange.handler.onHeaders(exchange.head);
  }

  /** undici holds this limit for HTTP/1.1 only. */
  #boundHeaders(headers: HeaderPair[]): void {
    const { maxHeaderBytes } = this.#options.limits;
    let bytes = 0;
    for (const [name, value] of headers) bytes += name.length + value.length;
    if (bytes <= maxHeaderBytes) return;
    const message = `header section over limits.maxHeaderBytes (${maxHeaderBytes})`;
    throw new LoaderError('headers-too-large', message);
  }

  #finish(exchange: Exchange): void {
    this.inFlight.splice(this.inFlight.indexOf(exchange), 1);
    exchange.clock?.stop();
    exchange.done = true;
    this.served++;
    if (this.httpVersion !== 'h2') {
      this.#last = exchange;
      if (!exchange.certain) this.#uncertain.push(exchange);
      const [head] = this.inFlight;
      if (head !== undefined && head.batch !== null) this.#startClock(head);
      if (head === undefined && this.draining && !this.announced) this.retire();
    }
    queueMicrotask(() => this.#events.onFree(this));
  }

  #startClock(exchange: Exchange): void {
    const { responseMs } = this.#options.timeouts;
    const { stallMs } = this.#options.pipeline;
    // A server that served before and now says nothing to a pipeline may have dropped its rest.
    const stalls = this.httpVersion !== 'h2' && this.served > 0 && this.inFlight.length > 1;
    exchange.clock?.start(stalls ? Math.min(stallMs, responseMs) : responseMs);
  }

  #onBatch(batch: Batch): void {
    for (const exchange of batch.exchanges) {
      exchange.batch = batch;
      exchange.attempts++;
      exchange.handler.onSent?.(batch);
    }
    const [head] = this.inFlight;
    if (head !== undefined && head.batch === batch) this.#startClock(head);
  }

  /** HTTP/2 frames are gathered by nghttp2 until the turn ends; a batch is what one turn yielded. */
  #joinH2Batch(exchange: Exchange): void {
    if (this.#h2Batch === null) {
      this.#h2Batch = { connection: this, exchanges: [], bytes: 0, sentAt: 0 };
      if (!this.#held) queueMicrotask(() => this.#sealH2Batch());
    }
    this.#h2Batch.exchanges.push(exchange);
    exchange.attempts++;
    exchange.batch = this.#h2Batch;
  }

  #sealH2Batch(): void {
    const batch = this.#h2Batch;
    if (batch === null) return;
    this.#h2Batch = null;
    batch.sentAt = performance.now();
    for (const exchange of batch.exchanges) exchange.handler.onSent?.(batch);
  }

  #closed(): void {
    if (this.state === 'closed') return;
    const opened = this.state === 'open';
    const announced = this.announced && this.#reason === null;
    this.state = 'closed';
    this.endedAt = performance.now();
    const lost = this.inFlight.splice(0);
    for (const exchange of lost) exchange.clock?.stop();
    const error =
      this.#reason ?? explainLoss(this.#socketError ?? new Error('closed'), lost[0] ?? null);
    // Too few responses without a word, or too many: order no longer tells which is whose.
    const short = this.#pipelined && !announced && lost.some(({ batch }) => batch !== null);
    const suspects = this.#surplus || short ? [...this.#uncertain] : [];
    const last = this.#last;
    if (this.#surplus && last !== null && !suspects.includes(last)) suspects.push(last);
    this.#events.onClosed(this, { error, lost, suspects, opened, announced });
    for (const wake of this.#closedWaiters.splice(0)) wake();
    this.#client?.destroy().catch(() => {});
  }
}

/** What one read of a socket holds at most, roughly: it may begin with the end of another response. */
const readSize = 64 * 1024;
const http10 = Buffer.from('HTTP/1.0');

/** undici's word for response bytes nobody asked for. */
function isSurplus(error: Error & { code?: string }): boolean {
  return error.message === 'bad response' || (error.code ?? '').startsWith('HPE_');
}

/** The HTTP/2 session is gone, though its socket may live on. */
function endsSession(error: Error & { code?: string }): boolean {
  return /^ERR_HTTP2_(INVALID_SESSION|GOAWAY_SESSION|SESSION_ERROR|ERROR)$/.test(error.code ?? '');
}

function asLoaderError(error: unknown): LoaderError {
  if (error instanceof LoaderError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new LoaderError('malformed-response', message, { cause: error });
}

function headerPairs(raw: unknown): HeaderPair[] {
  const pairs: HeaderPair[] = [];
  if (Array.isArray(raw)) {
    for (let index = 0; index + 1 < raw.length; index += 2) {
      pairs.push([text(raw[index]), text(raw[index + 1])]);
    }
  } else {
    for (const [name, value] of Object.entries(raw as Record<string, string | string[]>)) {
      if (name.startsWith(':')) continue;
      for (const each of Array.isArray(value) ? value : [value]) pairs.push([name, String(each)]);
    }
  }
  return pairs;
}

function text(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
}
