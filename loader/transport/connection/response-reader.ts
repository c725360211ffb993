// One arriving response: undici's events become the exchange's head, bytes and end, within limits that undici does not
// enforce, framed as RFC 9112 6.3 says. The body is delivered at the pace of its handler. The owner of the response, a
// connection, decides what follows for the connection.

import { crc32 } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { fieldValue, type HeaderPair, hasField } from '../../../http/header-pairs.ts';
import { LoaderError } from '../../errors.ts';
import type { Attempt, Carrier, Exchange, HttpVersion } from '../exchange.ts';
import type { TransportLimits } from '../transport-options.ts';
import { asLoaderError } from './explain-loss.ts';
import { RefusedStream } from './http2-client.ts';

/** The owner of a response: a connection, or the pool that stands for the connections of a user's undici Dispatcher. */
export interface ResponseOwner extends Pick<Carrier, 'httpVersion' | 'abort'> {
  readonly limits: TransportLimits;
  /** The HTTP/1.x connection, which is paused while a body's handler is busy; null: undici's controller is paused. */
  readonly flow: Pausable | null;
  /** Whether the exchange still waits for its response. */
  awaits(exchange: Exchange): boolean;
  /** Called right before the request is written to the connection. */
  onStart(exchange: Exchange): void;
  /** Called when a response arrives for a request that has not been sent yet. */
  onUnasked?(): void;
  /** Called when bytes of the response have arrived. */
  onProgress?(exchange: Exchange): void;
  /** Called with the header section. @param closes Whether the server closes the connection after the response. */
  onHead?(exchange: Exchange, closes: boolean, headers: readonly HeaderPair[]): void;
  /** Called when a response seems complete. @returns false: it is truncated, or answers another request. */
  onEnd(exchange: Exchange): boolean;
  /** Called when the exchange failed with this error of undici, of node:http2 or of the system. */
  onLost(exchange: Exchange, error: Error): void;
}

type Controller = Dispatcher.DispatchController;

export class ResponseReader implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange;
  /** The attempt that this response answers; events for an earlier attempt are ignored. */
  readonly #attempt: Attempt;
  readonly #owner: ResponseOwner;
  readonly #pace: BodyPace;

  constructor(exchange: Exchange, owner: ResponseOwner) {
    this.#exchange = exchange;
    this.#attempt = exchange.attempt;
    this.#owner = owner;
    this.#pace = new BodyPace(exchange, (error) => this.#fail(error));
  }

  onRequestStart(controller: Controller): void {
    if (!this.#isAwaited) {
      controller.abort(new LoaderError('connection-lost', 'ended'));
      return;
    }
    this.#attempt.controller = controller;
    this.#owner.onStart(this.#exchange);
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
    if (!this.#isAwaited) return;
    if (this.#attempt.batch === null) {
      this.#owner.onUnasked?.();
      return;
    }
    this.#owner.onProgress?.(this.#exchange);
    const pairs = headerPairs(controller.rawHeaders ?? headers);
    this.#guard(() => {
      boundHeaders(pairs, this.#owner.limits.maxHeaderBytes);
      if (status < 200) this.#interim(status, pairs);
      else this.#begin(status, statusText ?? '', pairs);
    });
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (!this.#isAwaited) return;
    const attempt = this.#attempt;
    attempt.received += chunk.length;
    if (!attempt.certain || this.#exchange.verified)
      attempt.checksum = crc32(chunk, attempt.checksum);
    this.#owner.onProgress?.(this.#exchange);
    attempt.clock?.progress(chunk.length);
    this.#guard(() => this.#pace.deliver(chunk, this.#owner.flow ?? controller));
  }

  onResponseEnd(): void {
    if (!this.#isAwaited) return;
    const endedAt = performance.now();
    const { expected, received } = this.#attempt;
    if (expected !== null && expected !== received) {
      const message = `a body of ${received} bytes where Content-Length says ${expected}`;
      this.#fail(new LoaderError('length-mismatch', message));
      return;
    }
    if (this.#owner.onEnd(this.#exchange)) this.#pace.end(endedAt);
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (error instanceof RefusedStream) this.#exchange.refuse();
    this.#owner.onLost(this.#exchange, error);
  }

  get #isAwaited(): boolean {
    return this.#exchange.attempt === this.#attempt && this.#owner.awaits(this.#exchange);
  }

  #interim(status: number, headers: HeaderPair[]): void {
    const { maxInterimResponses } = this.#owner.limits;
    if (++this.#attempt.interims > maxInterimResponses) {
      const message = `more than ${maxInterimResponses} interim (1xx) responses`;
      throw new LoaderError('too-many-interim-responses', message);
    }
    this.#exchange.handler.onInterim?.(status, headers);
  }

  #begin(status: number, statusText: string, headers: HeaderPair[]): void {
    const [exchange, attempt, { httpVersion }] = [this.#exchange, this.#attempt, this.#owner];
    const { expected, framed, closes } = framingOf(status, headers, httpVersion);
    const isHead = exchange.method === 'HEAD';
    attempt.expected = isHead ? null : expected;
    attempt.framed = framed || isHead;
    attempt.startedAt ??= performance.now();
    this.#owner.onHead?.(exchange, closes, headers);
    attempt.clock?.responded();
    const { startedAt } = attempt;
    attempt.head = { status, statusText, headers, httpVersion, startedAt };
    exchange.handler.onHeaders(attempt.head);
  }

  /** Runs `work`; if it throws an error of the handler or of an exceeded limit, the exchange is aborted with it. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#owner.abort(this.#exchange, asLoaderError(error));
  }
}

/** A source of bytes that can be paused; each `pause` is followed by one `resume`. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

/**
 * Delivers one body at the pace of its handler. While the handler is busy, the connection is not read, the rate of the
 * body is not checked, and chunks that have arrived are queued together with the end of the body. Once the body has
 * arrived, its connection is free for other requests, however slow the handler is.
 */
class BodyPace {
  readonly #exchange: Exchange;
  readonly #onError: (error: unknown) => void;
  /** The handler's pending work on earlier chunks; null: the handler is not busy. */
  #tail: Promise<void> | null = null;
  /** The source that is paused while the handler is busy; null: none is. */
  #paused: Pausable | null = null;

  /** @param onError Called with an error that the handler threw, to tell the connection of it. */
  constructor(exchange: Exchange, onError: (error: unknown) => void) {
    this.#exchange = exchange;
    this.#onError = onError;
  }

  /** Gives a chunk to the handler once it has finished the earlier ones. @throws What the handler throws at once. */
  deliver(chunk: Buffer, source: Pausable): void {
    const { handler, attempt } = this.#exchange;
    const work =
      this.#tail === null ? handler.onData(chunk) : this.#tail.then(() => this.#hand(chunk));
    if (work === undefined) return;
    if (this.#paused === null) source.pause();
    this.#paused = source;
    attempt.clock?.hold();
    const mine = work.then(
      () => {
        if (this.#tail !== mine) return;
        this.#tail = null;
        this.#exchange.attempt.clock?.release();
        this.#resume();
      },
      (error) => {
        this.#resume();
        this.#onError(error);
      },
    );
    this.#tail = mine;
  }

  /** Tells the handler that the body is complete, once it has finished the chunks. */
  end(endedAt: number): void {
    this.#resume();
    if (this.#tail === null) this.#finish(endedAt);
    else this.#tail.then(() => this.#exchange.done && this.#finish(endedAt));
  }

  /** Delivers a queued chunk, unless the exchange has ended in the meantime. */
  #hand(chunk: Buffer): void | Promise<void> {
    return this.#exchange.told ? undefined : this.#exchange.handler.onData(chunk);
  }

  #finish(endedAt: number): void {
    if (this.#exchange.told) return;
    this.#exchange.told = true;
    this.#exchange.handler.onEnd(endedAt);
  }

  #resume(): void {
    this.#paused?.resume();
    this.#paused = null;
  }
}

interface Framing {
  /** Length of the body according to Content-Length, bytes; null: unknown. */
  expected: number | null;
  /** Whether a complete body is distinguishable from a truncated one. */
  framed: boolean;
  /** Whether the server closes the connection after the response. */
  closes: boolean;
}

/**
 * Returns how the body is framed and whether the connection closes (RFC 9112 6.3, 9.6).
 * @throws LoaderError `malformed-response` for an unsupported transfer coding: the bytes delivered and stored would not
 * be those of the resource.
 */
function framingOf(status: number, headers: HeaderPair[], httpVersion: HttpVersion): Framing {
  const isHttp2 = httpVersion === 'h2';
  const coding = isHttp2 ? null : transferCoding(headers);
  const isBodiless = status === 204 || status === 304;
  const length = fieldValue(headers, 'content-length');
  const isLong = !isBodiless && coding === null && /^\d+$/.test(length);
  const expected = isLong ? Number(length) : null;
  if (isHttp2) return { expected, framed: true, closes: false };
  const framed = isBodiless || coding === 'chunked' || expected !== null;
  const connection = fieldValue(headers, 'connection').toLowerCase();
  const keeps =
    httpVersion === 'http/1.1' || (connection.includes('keep-alive') && coding === null);
  // Without a length, the body ends with its connection.
  return { expected, framed, closes: !framed || !keeps || connection.includes('close') };
}

/** Parses Transfer-Encoding. No coding but `chunked` is allowed, because TE is not sent (RFC 9112 6.1). */
function transferCoding(headers: HeaderPair[]): 'chunked' | 'identity' | null {
  if (!hasField(headers, 'transfer-encoding')) return null;
  const coding = fieldValue(headers, 'transfer-encoding').toLowerCase();
  // `identity` (RFC 2616) means no coding: the body ends with the connection.
  if (coding === 'chunked' || coding === 'identity') return coding;
  const message = `Transfer-Encoding "${coding.slice(0, 60)}" was not requested and is not supported`;
  throw new LoaderError('malformed-response', message);
}

/**
 * Enforces the limit on the bytes of a header section, which undici does for HTTP/1.1 only.
 * @throws LoaderError `headers-too-large`
 */
function boundHeaders(headers: HeaderPair[], maxHeaderBytes: number): void {
  let bytes = 0;
  for (const [name, value] of headers) bytes += name.length + value.length;
  if (bytes <= maxHeaderBytes) return;
  const message = `header section over ${maxHeaderBytes} bytes`;
  throw new LoaderError('headers-too-large', message);
}

/** Converts raw headers, undici's flat list or HTTP/2's object, to pairs of name and value, without pseudo-headers. */
function headerPairs(raw: unknown): HeaderPair[] {
  const listed = Array.isArray(raw)
    ? raw.flatMap((name, at) => (at % 2 === 0 ? [[text(name), text(raw[at + 1])]] : []))
    : Object.entries(raw as Record<string, string | string[]>).flatMap(([name, values]) =>
        [values].flat().map((value) => [name, String(value)]),
      );
  return (listed as HeaderPair[]).filter(([name]) => !name.startsWith(':'));
}

function text(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
}
