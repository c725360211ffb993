// One request and its response: the unit of the transport. The transport decides when and on which connection it is
// sent, resends it after a lost connection, and calls the handler in order: onSent, onHeaders, onData..., then
// exactly one of onEnd and onError. `onRestart` withdraws all earlier events: the response starts over.

import type { HeaderPair } from '../../http/header-pairs.ts';
import { isIdempotent } from '../../http/methods.ts';
import type { LoaderError, LoaderErrorCode } from '../errors.ts';
import type { ConnectTimes } from './connect/open-tcp.ts';
import type { ResponseClock } from './connection/deadlines.ts';

/** The exchange's view of the connection that carries it. */
export interface Carrier {
  /** From 1, unique within a loader. */
  readonly id: number;
  readonly origin: URL;
  readonly times: ConnectTimes;
  /** Monotonic time, ms; null while open. */
  readonly endedAt: number | null;
  readonly httpVersion: 'http/1.0' | 'http/1.1' | 'h2';
  readonly remoteAddress: string | null;
  /** Cancels one exchange; on HTTP/1.1 this closes the connection. */
  abort(exchange: Exchange, error: LoaderError): void;
  /** Whether somebody waits for an exchange on it has changed. */
  waitedFor?(): void;
}

/** Requests sent in one write on one connection. */
export interface Batch {
  connection: Carrier;
  exchanges: Exchange[];
  /** Length of the request heads, bytes. */
  bytes: number;
  /** Monotonic time of the write, ms (performance.now). */
  sentAt: number;
}

export interface ResponseHead {
  status: number;
  statusText: string;
  headers: HeaderPair[];
  /** The fields as they were sent, if a layer below the handler removed a content coding. */
  wireHeaders?: HeaderPair[];
  httpVersion: 'http/1.0' | 'http/1.1' | 'h2';
  /** Monotonic time of the first byte, ms. */
  startedAt: number;
  /** Length of the header section, if it did not come as HTTP/1.1 writes it, bytes. */
  bytes?: number;
}

export interface ExchangeHandler {
  onSent?(batch: Batch): void;
  onInterim?(status: number, headers: HeaderPair[]): void;
  onHeaders(head: ResponseHead): void;
  /**
   * A promise delays the connection's next chunk until it settles.
   * @param receivedBytes Bytes of the body on the wire, if a layer below the handler removed a content coding.
   */
  onData(chunk: Buffer, receivedBytes?: number): void | Promise<void>;
  onEnd(endedAt: number): void;
  onRestart(): void;
  /**
   * Whether its response, which is complete, is one to another request, by what is known of both.
   * @param others In flight with it, or answered before it and not known to be in step. They may be thousands.
   */
  contradicts?(others: () => readonly ExchangeHandler[]): boolean;
  onError(error: LoaderError, atMs: number): void;
}

/** Properties of a request besides URL and fields. */
export interface ExchangeOptions {
  /** Sent at once; false: with its batch. */
  urgent: boolean;
  /** Lower values go first. */
  priority: number;
  /** First of many requests to its origin: connections for the others may be opened with it. */
  leads?: boolean;
  /** Value of the Priority field (RFC 9218 4), sent over HTTP/2; '': the default. */
  urgency?: string;
  method?: string;
  /** Content of the request; the transport sets its framing. */
  body?: Uint8Array | null;
}

/** One transmission of a request, and its response so far. */
export class Attempt {
  connection: Carrier | null = null;
  pipelineIndex: number | null = null;
  batch: Batch | null = null;
  clock: ResponseClock | null = null;
  controller: { abort(reason: Error): void; pause(): void; resume(): void } | null = null;
  /** Sent before the previous request was answered, or as a trial. */
  ahead = false;
  /** When its response became due: monotonic time, ms. */
  dueAt: number | null = null;
  startedAt: number | null = null;
  head: ResponseHead | null = null;
  /** Value of its Hold-Line field; null: it has none. */
  holdLine: string | null = null;
  interims = 0;
  received = 0;
  /** CRC-32 of the body so far, if its position in the order is uncertain. */
  checksum = 0;
  /** From Content-Length; null if unknown. */
  expected: number | null = null;
  /** Content-Length or chunked: a complete body is distinguishable from a truncated one. */
  framed = true;
  /** The server closes the connection after this response, as it said. */
  isLast = false;
  refused = false;
  /** Certainly in sync: the first request of its connection, with no other outstanding. */
  certain = false;
  /**
   * Known to answer this request: it is certain, or its connection gave exactly as many responses as requested. Only
   * such a response may be stored.
   */
  inStep = false;
  /** What was wrong with the response and passed over, in words. */
  readonly quirks: string[] = [];
}

export class Exchange {
  readonly url: URL;
  readonly path: string;
  readonly method: string;
  readonly body: Uint8Array | null;
  /** Name, value, name, value: the fields after Host and Connection. */
  readonly headers: string[];
  /** Sent at once; false: with its batch. */
  readonly urgent: boolean;
  /** Lower values go first. */
  readonly priority: number;
  /** See ExchangeOptions. */
  readonly leads: boolean;
  readonly urgency: string;
  readonly handler: ExchangeHandler;

  /** Number of transmissions. */
  attempts = 0;
  /** It headed a broken pipeline, so it is resent alone on a separate connection. */
  alone = false;
  /** Its response may have faults that browsers take; it goes alone, and nothing of it is stored. */
  isTolerant = false;
  /** Its body was in doubt once and was fetched again. */
  verified = false;
  done = false;
  /** The handler got the end. Later than `done` if the handler was still busy with earlier data. */
  told = false;
  /** Cancelled by its owner: no retry. */
  cancelled = false;
  /** Somebody waits for its response: until it is there, the process goes on. */
  isWaitedFor = true;
  /** Number of times a server refused it unprocessed (HTTP/2, RFC 9113 8.7). */
  refusals = 0;
  /** Monotonic time at which the previous attempt was given up, ms; null: there was none. */
  lostAt: number | null = null;
  /** Why it was given up; null: there was none. */
  lostBy: LoaderErrorCode | null = null;
  /** Number of connections that broke when its response was due. */
  breaks = 0;

  /** The current attempt; the state of earlier ones is dropped. */
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

  /** May be resent after a lost connection (RFC 9110 9.2.2). */
  get isIdempotent(): boolean {
    return isIdempotent(this.method);
  }

  /** The server refused the current attempt unprocessed. */
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

  /** @param isWaitedFor Somebody waits for its response, or for more of it. */
  wait(isWaitedFor: boolean): void {
    this.isWaitedFor = isWaitedFor;
    this.attempt.clock?.keep(isWaitedFor);
    this.attempt.connection?.waitedFor?.();
  }

  /** Resets it to the state before it was sent. @param lostBy Why what was sent is given up. */
  rewind(lostBy: LoaderErrorCode): void {
    this.attempt.clock?.stop();
    if (this.attempt.batch !== null) [this.lostAt, this.lostBy] = [performance.now(), lostBy];
    this.attempt = new Attempt();
    this.done = this.told = false;
  }

  /** Cancelled by its owner: it is not resent. */
  cancel(): void {
    this.cancelled = true;
  }

  /** It may be resent after all. */
  revive(): void {
    this.cancelled = false;
  }
}
