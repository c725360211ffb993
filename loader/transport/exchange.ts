// One request and its response, with its timeouts: the unit of the transport. The transport decides when and on which
// connection the request is sent, resends it after a lost connection, and calls the handler in order: onSent,
// onHeaders, onData..., then exactly one of onEnd and onError. `onRestart` withdraws all earlier events: the response
// starts over.

import type { HeaderPair } from '../../http/header-pairs.ts';
import { isIdempotent } from '../../http/methods.ts';
import { LoaderError, type LoaderErrorCode } from '../errors.ts';
import type { ConnectTimes } from './connect/connector.ts';
import type { TransportTimeouts } from './transport-options.ts';

export type HttpVersion = ResponseHead['httpVersion'];

/** The connection that carries an exchange, as far as the exchange uses it. */
export interface Carrier {
  /** Number of the connection, from 1, unique within a loader. */
  readonly id: number;
  readonly origin: URL;
  readonly times: ConnectTimes;
  /** Monotonic time when the connection ended, ms; null while it is open. */
  readonly endedAt: number | null;
  readonly httpVersion: HttpVersion;
  readonly remoteAddress: string | null;
  /** Cancels one exchange; on HTTP/1.1 this closes the connection. */
  abort(exchange: Exchange, error: LoaderError): void;
  /** Called when a caller begins or stops to wait for an exchange on the connection. */
  waitedFor?(): void;
}

/** Requests sent in one write on one connection. */
export interface Batch {
  connection: Carrier;
  exchanges: Exchange[];
  /** Length of the heads of all requests of the batch together, bytes. */
  bytes: number;
  /** Monotonic time when the requests were written to the connection, ms (performance.now). */
  sentAt: number;
}

export interface ResponseHead {
  status: number;
  statusText: string;
  headers: HeaderPair[];
  /** The fields as the server sent them, set if a layer between connection and handler removed a content coding. */
  wireHeaders?: HeaderPair[];
  httpVersion: 'http/1.0' | 'http/1.1' | 'h2';
  /** Monotonic time of the first byte, ms. */
  startedAt: number;
  /** Length of the header section as sent, bytes; set only for a part of a combined response (Get-All). */
  bytes?: number;
}

export interface ExchangeHandler {
  onSent?(batch: Batch): void;
  onInterim?(status: number, headers: HeaderPair[]): void;
  onHeaders(head: ResponseHead): void;
  /**
   * Receives a chunk of the body. If it returns a promise, the next chunk is delivered once the promise has settled.
   * @param receivedBytes Length of the chunk on the wire, if a layer between connection and handler decoded it.
   */
  onData(chunk: Buffer, receivedBytes?: number): void | Promise<void>;
  onEnd(endedAt: number): void;
  onRestart(): void;
  /**
   * Whether the complete response answers another request than its own, judging by what is known of both requests.
   * @param others Returns the handlers of the other requests it may answer: those in flight at the same time, and those
   * answered before but not known to answer their own requests; perhaps many.
   */
  contradicts?(others: () => readonly ExchangeHandler[]): boolean;
  onError(error: LoaderError, atMs: number): void;
}

/** Properties of a request besides URL and fields. */
export interface ExchangeOptions {
  /** Whether the request is sent at once; false: it may wait to be written together with others. */
  urgent: boolean;
  /** Priority of the request; lower values are sent first. */
  priority: number;
  /** This is the first of many requests to its origin, so connections for the others may be opened with it. */
  leads?: boolean;
  /** Value of the Priority field (RFC 9218 4), which is sent over HTTP/2 only; '': the field is not sent. */
  urgency?: string;
  method?: string;
  /** Content of the request; the transport adds the fields that frame it (Content-Length). */
  body?: Uint8Array | null;
}

/** One transmission of a request, and its response so far. */
export class Attempt {
  connection: Carrier | null = null;
  pipelineIndex: number | null = null;
  batch: Batch | null = null;
  clock: ResponseClock | null = null;
  controller: { abort(reason: Error): void; pause(): void; resume(): void } | null = null;
  /**
   * The request was sent before all responses to earlier ones were complete, or as a test of the
   * loader's guess how many requests the server answers on one connection.
   */
  ahead = false;
  /** Monotonic time when the response became due, that is, the next one on its connection, ms; null: it is not due. */
  dueAt: number | null = null;
  startedAt: number | null = null;
  head: ResponseHead | null = null;
  /** Header fields that the connection added to the request, to ask the server to keep it open. */
  added: readonly HeaderPair[] = [];
  interims = 0;
  received = 0;
  /** CRC-32 of the body so far, if it is uncertain which request the response answers. */
  checksum = 0;
  /** Length of the body according to Content-Length, bytes; null: unknown. */
  expected: number | null = null;
  /** The body has Content-Length or is chunked, so a complete body is distinguishable from a truncated one. */
  framed = true;
  /** The server closes the connection after this response: it said so, or the body has no length. */
  isLast = false;
  refused = false;
  /** The response certainly answers this request: it is the first of its connection, and no other was outstanding. */
  certain = false;
  /**
   * The response is known to answer this request: it is `certain`, or its connection delivered exactly as many
   * responses as there were requests. Only such a response may be stored.
   */
  inStep = false;
  /** Descriptions of faults in the response that were tolerated. */
  readonly quirks: string[] = [];
}

export class Exchange {
  readonly url: URL;
  readonly path: string;
  readonly method: string;
  readonly body: Uint8Array | null;
  /** The request's fields after Host and Connection, as a flat list: name, value, name, value. */
  readonly headers: string[];
  readonly urgent: ExchangeOptions['urgent'];
  readonly priority: ExchangeOptions['priority'];
  readonly leads: boolean;
  readonly urgency: string;
  readonly handler: ExchangeHandler;

  /** Number of times that the request has been sent. */
  attempts = 0;
  /** The request needs its own connection: it may have broken one, or got a faulty response, or another's response. */
  alone = false;
  /** The response may have faults that browsers tolerate; its request gets its own connection. Nothing is stored. */
  isTolerant = false;
  /** The request was sent again because its first response may have answered another request. */
  verified = false;
  done = false;
  /** The handler was told that the response ended or failed; a busy handler is told only after `done` is set. */
  told = false;
  /** The exchange was cancelled by the code that submitted it, so it is not retried. */
  cancelled = false;
  /** A caller waits for the response; until it has arrived, the process keeps running. */
  isWaitedFor = true;
  /** Number of times that a server refused the request without processing it (HTTP/2, RFC 9113 8.7). */
  refusals = 0;
  /** Monotonic time when the previous attempt was abandoned, ms; null: there was none. */
  lostAt: number | null = null;
  /** Reason why the previous attempt was abandoned; null: there was none. */
  lostBy: LoaderErrorCode | null = null;
  /** Number of times that the request was taken for the cause when its connection broke or its stream failed. */
  breaks = 0;

  /** State of the current attempt to send the request; that of earlier attempts is dropped. */
  attempt = new Attempt();

  constructor(url: URL, headers: string[], options: ExchangeOptions, handler: ExchangeHandler) {
    this.url = url;
    this.path = url.pathname + url.search;
    this.method = options.method ?? 'GET';
    this.body = options.body ?? null;
    this.headers = headers;
    this.urgent = options.urgent;
    this.priority = options.priority;
    this.leads = options.leads ?? false;
    this.urgency = options.urgency ?? '';
    this.handler = handler;
  }

  /** Whether the request may be resent after a lost connection (RFC 9110 9.2.2). */
  get isIdempotent(): boolean {
    return isIdempotent(this.method);
  }

  /** Records that the server refused the current attempt without processing it. */
  refuse(): void {
    this.attempt.refused = true;
    this.refusals++;
  }

  /** Ends the exchange with an error. */
  fail(error: LoaderError): void {
    this.attempt.clock?.stop();
    this.done = this.told = true;
    this.handler.onError(error, performance.now());
  }

  /** Records whether a caller waits for the response, or for more of it, which keeps the process running. */
  wait(isWaitedFor: boolean): void {
    this.isWaitedFor = isWaitedFor;
    this.attempt.clock?.keep(isWaitedFor);
    this.attempt.connection?.waitedFor?.();
  }

  /** Resets the exchange to the state before it was sent. @param lostBy Why the attempt is abandoned. */
  rewind(lostBy: LoaderErrorCode): void {
    this.attempt.clock?.stop();
    if (this.attempt.batch !== null) [this.lostAt, this.lostBy] = [performance.now(), lostBy];
    this.attempt = new Attempt();
    this.done = this.told = false;
  }

  /** Marks the exchange as cancelled by the code that submitted it, so that it is not resent. */
  cancel(): void {
    this.cancelled = true;
  }

  /** Withdraws `cancel`, so that the exchange may be resent if its response turns out to answer another request. */
  revive(): void {
    this.cancelled = false;
  }
}

/**
 * The timeouts of one response. undici's are idle timeouts, which a server evades by sending a byte or a 1xx now and
 * then. These start when the response is first in line on its connection, so that a small image is not blamed for a
 * large page before it, and end with the last byte. HTTP/2 streams share the connection, so their timeouts run only
 * while nothing arrives on it. Times are monotonic, because Node's timers do not follow the wall clock.
 */
export class ResponseClock {
  readonly #timeouts: TransportTimeouts;
  readonly #lastProgressAt: (() => number) | null;
  readonly #expire: (error: LoaderError) => void;
  readonly #timers = new Map<'response' | 'resource' | 'rate', NodeJS.Timeout>();
  #isKept = true;
  #bytesInWindow = 0;
  /** Whether the body's handler is busy with a chunk now (`#isHeld`), or was in this interval of the rate check. */
  #isHeld = false;
  #wasHeld = false;

  /**
   * @param lastProgressAt Returns when the connection last delivered data of another stream, ms (performance.now);
   * null: the connection is not shared.
   * @param expire Called once, with `response-timeout`, `resource-timeout` or `too-slow`.
   */
  constructor(
    timeouts: TransportTimeouts,
    lastProgressAt: (() => number) | null,
    expire: (error: LoaderError) => void,
  ) {
    this.#timeouts = timeouts;
    this.#lastProgressAt = lastProgressAt;
    this.#expire = expire;
  }

  /** Starts the timeouts when the response is first in line. `responseMs` is shorter if the pipeline may be stalled. */
  start(responseMs: number = this.#timeouts.responseMs): void {
    if (this.#timers.size > 0) return;
    this.#limit('response', responseMs, responseMs, `no response within ${responseMs} ms`);
    if (this.#lastProgressAt === null) this.#bound();
  }

  /** Ends the wait for the final header section, which has arrived; from now on the rate of the body is checked. */
  responded(): void {
    this.#clear('response');
    this.#bound();
    const { minRateBytes, minRateWindowMs } = this.#timeouts;
    if (minRateBytes === null || this.#timers.has('rate')) return;
    this.#bytesInWindow = 0;
    const check = (): void => {
      const tooFew = this.#bytesInWindow < minRateBytes && !this.#wasHeld;
      if (tooFew && this.#quietMs() >= minRateWindowMs) {
        const got = `${this.#bytesInWindow} bytes in ${minRateWindowMs} ms`;
        this.#timeOut('too-slow', `${got}, at least ${minRateBytes} expected`);
      }
      this.#bytesInWindow = 0;
      this.#wasHeld = this.#isHeld;
    };
    this.#timers.set('rate', setInterval(check, minRateWindowMs));
  }

  #bound(): void {
    const { resourceMs, minRateWindowMs } = this.#timeouts;
    if (this.#timers.has('resource')) return;
    this.#limit('resource', resourceMs, minRateWindowMs, `not complete after ${resourceMs} ms`);
  }

  /** Times the response out after `waitMs`, but not before other streams of the connection were quiet for `quietMs`. */
  #limit(what: 'response' | 'resource', waitMs: number, quietMs: number, message: string): void {
    const timer = setTimeout(() => {
      const leftMs = quietMs - this.#quietMs();
      if (leftMs > 0) this.#limit(what, leftMs, quietMs, message);
      else this.#timeOut(`${what}-timeout`, message);
    }, waitMs);
    if (!this.#isKept) timer.unref();
    this.#timers.set(what, timer);
  }

  /** Returns the time since the connection last delivered data of another stream, ms; infinite if it is not shared. */
  #quietMs(): number {
    return performance.now() - (this.#lastProgressAt?.() ?? Number.NEGATIVE_INFINITY);
  }

  progress(bytes: number): void {
    this.#bytesInWindow += bytes;
  }

  /** Sets whether the timers of these timeouts keep the process running; by default they do. */
  keep(isKept: boolean): void {
    this.#isKept = isKept;
    for (const timer of this.#timers.values()) {
      if (isKept) timer.ref();
      else timer.unref();
    }
  }

  /** Records that the handler is busy: an interval of the rate check with a busy handler does not count. */
  hold(): void {
    this.#isHeld = this.#wasHeld = true;
  }

  release(): void {
    this.#isHeld = false;
  }

  stop(): void {
    for (const what of [...this.#timers.keys()]) this.#clear(what);
  }

  #clear(what: 'response' | 'resource' | 'rate'): void {
    clearTimeout(this.#timers.get(what));
    this.#timers.delete(what);
  }

  #timeOut(code: 'response-timeout' | 'resource-timeout' | 'too-slow', message: string): void {
    this.stop();
    this.#expire(new LoaderError(code, message));
  }
}
