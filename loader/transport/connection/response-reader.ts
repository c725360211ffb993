// One arriving response: undici's events become the exchange's head, bytes and end, within limits that undici does
// not enforce. The connection decides what the response means for itself.

import { crc32 } from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { HeaderPair } from '../../../http/header-pairs.ts';
import { LoaderError } from '../../errors.ts';
import type { Attempt, Carrier, Exchange } from '../exchange.ts';
import type { TransportLimits } from '../transport-options.ts';
import { BodyPace, type Pausable } from './body-pace.ts';
import { asLoaderError } from './explain-loss.ts';
import { boundHeaders, framingOf, headerPairs } from './head-semantics.ts';
import { RefusedStream } from './http2-client.ts';
import type { InFlight } from './in-flight.ts';

/** Events of a response for its connection. */
export interface ResponseEvents {
  /** The request will be written next. */
  onStart(exchange: Exchange): void;
  /** A response arrived before its request had been sent. */
  onUnasked(): void;
  /** The header section has arrived. @param closes The server closes the connection after the response. */
  onHead(exchange: Exchange, closes: boolean, headers: readonly HeaderPair[]): void;
  /** The response seems complete. @returns false: it is truncated, or answers another request. */
  onEnd(exchange: Exchange): boolean;
  /** undici has aborted the exchange. */
  onLost(exchange: Exchange, error: Error): void;
}

/** The part of a connection that all its responses share. */
export interface ResponseContext {
  connection: Pick<Carrier, 'httpVersion' | 'abort'>;
  line: InFlight;
  limits: TransportLimits;
  /** What is paused for a busy reader: the connection on HTTP/1.x; null: only the stream, on HTTP/2. */
  flow(): Pausable | null;
  events: ResponseEvents;
}

type Controller = Dispatcher.DispatchController;

export class ResponseReader implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange;
  /** The attempt that this response answers; events for an earlier attempt are ignored. */
  readonly #attempt: Attempt;
  readonly #connection: Pick<Carrier, 'httpVersion' | 'abort'>;
  readonly #inFlight: InFlight;
  readonly #limits: TransportLimits;
  readonly #events: ResponseEvents;
  readonly #pace: BodyPace;

  readonly #flow: () => Pausable | null;

  constructor(exchange: Exchange, { connection, line, limits, flow, events }: ResponseContext) {
    this.#exchange = exchange;
    this.#attempt = exchange.attempt;
    this.#connection = connection;
    this.#inFlight = line;
    this.#limits = limits;
    this.#events = events;
    this.#flow = flow;
    this.#pace = new BodyPace(exchange, (error) => this.#fail(error));
  }

  onRequestStart(controller: Controller): void {
    if (!this.#isAwaited) {
      controller.abort(new LoaderError('connection-lost', 'ended'));
      return;
    }
    this.#attempt.controller = controller;
    this.#events.onStart(this.#exchange);
  }

  onResponseStarted(): void {
    this.#attempt.startedAt = performance.now();
  }

  onResponseStart(
    controller: Controller,
    status: number,
    headers: unknown,
    statusText?: string,
  ): void {
    const exchange = this.#exchange;
    if (!this.#isAwaited) return;
    if (this.#attempt.batch === null) {
      this.#events.onUnasked();
      return;
    }
    this.#inFlight.progressed(exchange);
    const pairs = headerPairs(controller.rawHeaders ?? headers);
    this.#guard(() => {
      if (status < 200) this.#interim(status, pairs);
      else this.#begin(status, statusText ?? '', pairs);
    });
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (!this.#isAwaited) return;
    const exchange = this.#exchange;
    this.#attempt.received += chunk.length;
    if (!this.#attempt.certain || exchange.verified)
      this.#attempt.checksum = crc32(chunk, this.#attempt.checksum);
    this.#inFlight.progressed(exchange);
    this.#attempt.clock?.progress(chunk.length);
    this.#guard(() => this.#pace.take(chunk, this.#flow() ?? controller));
  }

  onResponseEnd(): void {
    if (!this.#isAwaited) return;
    const endedAt = performance.now();
    const exchange = this.#exchange;
    const { expected, received } = this.#attempt;
    if (expected !== null && expected !== received) {
      const message = `a body of ${received} bytes where Content-Length says ${expected}`;
      this.#fail(new LoaderError('length-mismatch', message));
      return;
    }
    if (this.#events.onEnd(exchange)) this.#pace.end(endedAt);
  }

  onResponseError(_controller: Controller, error: Error): void {
    if (error instanceof RefusedStream) this.#exchange.refuse();
    this.#events.onLost(this.#exchange, error);
  }

  get #isAwaited(): boolean {
    return this.#exchange.attempt === this.#attempt && this.#inFlight.has(this.#exchange);
  }

  #interim(status: number, headers: HeaderPair[]): void {
    const { maxInterimResponses } = this.#limits;
    if (++this.#attempt.interims > maxInterimResponses) {
      const message = `more than ${maxInterimResponses} interim (1xx) responses`;
      throw new LoaderError('too-many-interim-responses', message);
    }
    boundHeaders(headers, this.#limits.maxHeaderBytes);
    this.#exchange.handler.onInterim?.(status, headers);
  }

  #begin(status: number, statusText: string, headers: HeaderPair[]): void {
    boundHeaders(headers, this.#limits.maxHeaderBytes);
    const exchange = this.#exchange;
    const { httpVersion } = this.#connection;
    const { expected, framed, closes } = framingOf(status, headers, httpVersion);
    const isHead = exchange.method === 'HEAD';
    this.#attempt.expected = isHead ? null : expected;
    this.#attempt.framed = framed || isHead;
    this.#events.onHead(exchange, closes, headers);
    this.#attempt.clock?.responded();
    const startedAt = this.#attempt.startedAt ?? performance.now();
    this.#attempt.head = { status, statusText, headers, httpVersion, startedAt };
    exchange.handler.onHeaders(this.#attempt.head);
  }

  /** Runs work; an error of the reader or an exceeded limit ends the response. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#connection.abort(this.#exchange, asLoaderError(error));
  }
}
