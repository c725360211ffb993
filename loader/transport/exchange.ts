// One request and what comes back for it: the unit the transport moves. The transport decides when
// and on which connection it goes, sends it again when a connection broke under it, and tells the
// handler everything in order: onSent, onHeaders, onData..., then exactly one of onEnd and onError.
// `onRestart` takes back all that was told before: the same response comes again from its start.

import type { HeaderPair } from '../../http/header-pairs.ts';
import { isIdempotent } from '../../http/methods.ts';
import type { LoaderError } from '../errors.ts';
import type { ConnectTimes } from './connect/connector.ts';
import type { ResponseClock } from './connection/deadlines.ts';

/** What an exchange knows of the connection that carries it. */
export interface Carrier {
  /** From 1, unique within a loader. */
  readonly id: number;
  readonly origin: URL;
  readonly times: ConnectTimes;
  /** Monotonic time, ms; null while open. */
  readonly endedAt: number | null;
  readonly httpVersion: 'http/1.0' | 'http/1.1' | 'h2';
  readonly remoteAddress: string | null;
  /** Give up one exchange; on HTTP/1.1 the connection goes with it. */
  abort(exchange: Exchange, error: LoaderError): void;
}

/** One write of requests on one connection. */
export interface Batch {
  connection: Carrier;
  exchanges: Exchange[];
  /** Bytes of the request heads. */
  bytes: number;
  /** Monotonic time of the write, ms (performance.now). */
  sentAt: number;
}

export interface ResponseHead {
  status: number;
  statusText: string;
  headers: HeaderPair[];
  httpVersion: 'http/1.0' | 'http/1.1' | 'h2';
  /** Monotonic time of the first byte, ms. */
  startedAt: number;
}

export interface ExchangeHandler {
  onSent?(batch: Batch): void;
  onInterim?(status: number, headers: HeaderPair[]): void;
  onHeaders(head: ResponseHead): void;
  /** A promise holds back the next chunk of this connection until it settles. */
  onData(chunk: Buffer): void | Promise<void>;
  onEnd(endedAt: number): void;
  onRestart(): void;
  onError(error: LoaderError, atMs: number): void;
}

/** What a request is besides its URL and fields. */
export interface ExchangeOptions {
  /** Leaves at once; false: waits for its batch. */
  urgent: boolean;
  /** Lower goes first. */
  priority: number;
  /** It is the first of many to its origin: connections for those that follow may be opened with it. */
  leads?: boolean;
  method?: string;
  /** Content of the request; its framing is set by the transport. */
  body?: Uint8Array | null;
}

/** One time that a request is on the wire, and what came back. */
export class Attempt {
  connection: Carrier | null = null;
  pipelineIndex: number | null = null;
  batch: Batch | null = null;
  clock: ResponseClock | null = null;
  controller: { abort(reason: Error): void; pause(): void; resume(): void } | null = null;
  /** It was sent before the one ahead of it was answered, or to see whether the server serves one more. */
  ahead = false;
  /** Its response was due, monotonic time, ms. */
  dueAt: number | null = null;
  startedAt: number | null = null;
  head: ResponseHead | null = null;
  interims = 0;
  received = 0;
  /** CRC-32 of what came, where its place in the order is in doubt. */
  checksum = 0;
  /** From Content-Length; null when the header does not tell. */
  expected: number | null = null;
  /** Content-Length or chunked: the end can be told from a cut. */
  framed = true;
  refused = false;
  /** In-step for sure: it was the first request of its connection, answered while nothing else was asked. */
  certain = false;
  /** Known to be the answer to this request: certain, or its connection was seen to answer no more, and no
   *  less, than it was asked. Only such a response may be stored. */
  inStep = false;
}

export class Exchange {
  readonly url: URL;
  readonly path: string;
  readonly method: string;
  readonly body: Uint8Array | null;
  /** Name, value, name, value: what goes on the wire after Host and Connection. */
  readonly headers: string[];
  /** Leaves at once; false: waits for its batch. */
  readonly urgent: boolean;
  /** Lower goes first. */
  readonly priority: number;
  /** See ExchangeOptions. */
  readonly leads: boolean;
  readonly handler: ExchangeHandler;

  /** Times it was put on the wire. */
  attempts = 0;
  /** It headed a pipeline that broke: from then on it goes alone on a connection of its own. */
  alone = false;
  /** Its body stood in doubt once, and was fetched again. */
  verified = false;
  done = false;
  /** The handler was told the end: after `done`, when it was still busy with what had come. */
  told = false;
  /** Given up from outside: no retry. */
  cancelled = false;
  /** How often a server said that it had not processed it (HTTP/2, RFC 9113 8.7). */
  refusals = 0;
  /** When the attempt before the present one was given up, monotonic time, ms; null: there was none. */
  lostAt: number | null = null;
  /** Why it must be sent again; what it fails with when it cannot be. Null before it was sent. */
  failure: LoaderError | null = null;

  /** The present one; what an earlier one showed counts no more. */
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
    this.handler = handler;
  }

  /** May be sent again when its connection ended under it (RFC 9110 9.2.2). */
  get isIdempotent(): boolean {
    return isIdempotent(this.method);
  }

  /** The present attempt was refused: what it asks for was not done. */
  refuse(): void {
    this.attempt.refused = true;
    this.refusals++;
  }

  /** Nothing more comes for it. */
  fail(error: LoaderError): void {
    this.attempt.clock?.stop();
    this.done = this.told = true;
    this.handler.onError(error, performance.now());
  }

  /** Back to the state before it was sent. */
  rewind(): void {
    this.attempt.clock?.stop();
    if (this.attempt.batch !== null) this.lostAt = performance.now();
    this.attempt = new Attempt();
    this.done = this.told = false;
  }

  /** Given up from outside: it is not sent again. */
  cancel(): void {
    this.cancelled = true;
  }
}
