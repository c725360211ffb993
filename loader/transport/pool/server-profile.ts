// What a loader has learned about a server from its connections: how many responses they deliver before they end,
// whether it pipelines, how far it is. It is kept between pages. A connection that ends after k responses may indicate
// a limit of k requests, or a request that ends connections. So k is a guess: it is dropped if the server answers a
// single request that is sent beyond it, and proven if a second connection ends after k responses. A break that no
// proven limit explains halves the depth of pipelines, down to one request at a time. A connection closed by this side
// indicates nothing, unless it stalled. Everything is forgotten after a while: servers restart and limits change.

import type { Connection, ConnectionEnd } from '../connection/connection.ts';
import type { Exchange } from '../exchange.ts';

/**
 * Round trip, ms, from which on six connections load a page as fast as one or faster: a new connection may send about
 * 14 KB before it waits for a round trip (RFC 6928). lab/page-loads/connections.ts measures it.
 */
const farMs = 2;

type ServedConnection = Pick<Connection, 'httpVersion' | 'served'>;

export class ServerProfile {
  /** Number of requests after which the server closes an HTTP/1.x connection, as known or guessed. */
  perConnection = Number.POSITIVE_INFINITY;
  /** Two connections ended after `perConnection` requests, so that number is taken for the server's limit. */
  isProven = false;
  /** `perConnection` is a guess that has not been tested yet: one request may be sent beyond it as a test. */
  mayTry = false;
  /** Limit on requests in flight on one HTTP/1.1 connection to this server; halved when a pipeline breaks. */
  depth = Number.POSITIVE_INFINITY;
  /** Limit on streams in flight on one HTTP/2 connection to this server; halved when a connection breaks. */
  streamDepth = Number.POSITIVE_INFINITY;
  /** Requests may be pipelined; false: the server speaks HTTP/1.0, or answered in another order than it was asked. */
  pipelines = true;
  /** Longest time so far from when a response was the next one due on its connection to its first byte, ms. This alone
   *  is no reason to remember the server. */
  slowestMs = 0;
  /** Number of streams that one HTTP/2 connection may carry, learned from a GOAWAY that refused some. */
  streamsPerConnection = Number.POSITIVE_INFINITY;
  /** Most requests answered on one open HTTP/1.x connection. This alone is no reason to remember the server. */
  mostServed = 0;
  /** The last HTTP/1.x connection had a long round trip. This alone is no reason to remember the server. */
  isFar = false;
  /** The server requires HTTP/1.1 instead of HTTP/2 (RFC 9113 7, HTTP_1_1_REQUIRED). */
  needsHttp1 = false;
  readonly #isPipelined: boolean;
  readonly #stallMs: number;
  /** First unanswered request of the latest pipeline that seems to have stalled; null: none has. */
  #stalled: Exchange | null = null;
  #breaks = 0;
  #learnedAt: number | null = null;

  /**
   * @param isPipelined Whether the options let requests be pipelined; if not, ends of connections teach nothing.
   * @param stallMs How long a pipeline may be silent before it counts as stalled.
   */
  constructor(isPipelined: boolean, stallMs: number) {
    this.#isPipelined = isPipelined;
    this.#stallMs = stallMs;
  }

  /** Whether nothing has been learned about the server that is a reason to remember it. */
  get isBlank(): boolean {
    return this.#learnedAt === null;
  }

  /** Whether a connection ended for an unknown reason, so a new one does not pipeline at once (RFC 9112 9.3.2). */
  get isCareful(): boolean {
    const isGuess = this.perConnection !== Number.POSITIVE_INFINITY && !this.isProven;
    return isGuess || this.depth !== Number.POSITIVE_INFINITY;
  }

  forgetOld(nowMs: number, relearnMs: number): void {
    if (this.#learnedAt === null || nowMs - this.#learnedAt < relearnMs) return;
    this.#forget();
    this.slowestMs = 0;
  }

  /** Learns whether the server is far away, by the round trip of the TCP handshake of an opened connection. */
  opened({ httpVersion, times }: Pick<Connection, 'httpVersion' | 'times'>): void {
    if (times.roundTripMs === null) return;
    this.isFar = httpVersion !== 'h2' && times.roundTripMs >= farMs;
  }

  /** Records that the server speaks HTTP/1.0 or answers out of order: requests go one at a time (RFC 9112 9.3.2). */
  mayNotPipeline(): void {
    this.pipelines = false;
    this.#learned();
  }

  /** Records that the server reset a stream or the connection with HTTP_1_1_REQUIRED. */
  requiresHttp1(): void {
    this.needsHttp1 = true;
    this.#learned();
  }

  /** Records that an HTTP/2 server processed only `taken` of the streams that were sent to it (RFC 9113 6.8). */
  tookStreams(taken: number): void {
    // A server that processed no stream is shutting down, which says nothing about a limit.
    if (taken === 0) return;
    this.#learned();
    this.streamsPerConnection = taken;
  }

  /** Records that a request beyond the guess `perConnection` is being sent as a test, so that no other one is. */
  tries(): void {
    this.mayTry = false;
  }

  /** Drops the guess `perConnection`: one particular request broke connections, whatever number it had on them. */
  explained(): void {
    if (!this.isProven) this.#unlimited();
  }

  /** Learns from a complete response how many requests a connection to the server may carry. */
  answered({ httpVersion, served }: ServedConnection, exchange: Exchange): void {
    const { attempt, alone } = exchange;
    if (httpVersion === 'h2') {
      if (served > this.streamsPerConnection) this.streamsPerConnection = Number.POSITIVE_INFINITY;
    } else if (this.#isPipelined && !alone) {
      if (!attempt.isLast) this.mostServed = Math.max(this.mostServed, served);
      if (served > this.perConnection) this.#unlimited();
      // The server has to close a connection after a body without a length, which shows no limit on requests.
      if (attempt.isLast && attempt.framed) this.#closedAt(served);
    }
    if (exchange !== this.#stalled) return;
    const tookMs = (attempt.head?.startedAt ?? 0) - (attempt.batch?.sentAt ?? 0);
    // The pipeline had not stalled: the response due was just slow, so what was learned from the break is forgotten.
    const wasSlow = tookMs >= this.#stallMs / 2;
    if (wasSlow && this.#breaks <= 1 && this.pipelines) this.#forget();
  }

  /**
   * Learns from the end of a connection how many requests the server takes on one, in total or in flight.
   * @param others The page's other connections.
   * @param depth Maximum number of requests in flight on the connection.
   */
  ended(
    connection: ServedConnection,
    end: ConnectionEnd,
    others: Iterable<ServedConnection>,
    depth: number,
  ): void {
    const { lost, byUs, announced, stalled, culprit } = end;
    const { httpVersion, served } = connection;
    const [head, ...behind] = lost.filter(({ attempt }) => attempt.batch !== null);
    if (byUs && !stalled) return;
    if (httpVersion === 'h2') {
      // It is unknown which of the streams in flight broke the connection, so fewer are sent at once from now on.
      if (culprit === null && behind.length > 0) {
        this.#learned();
        this.streamDepth = Math.max(1, half(Math.min(this.streamDepth, behind.length + 1)));
      }
      return;
    }
    if (!this.#isPipelined || announced || head?.alone) return;
    if (stalled) this.#stalled = head ?? null;
    const isIdle = behind.length === 0 && (head === undefined || head.attempt.head === null);
    if (isIdle && !stalled) {
      // The server may have closed it as idle: only an end after exactly `perConnection` requests supports that guess.
      if (served > 0 && served === this.perConnection) this.#closedAt(served);
      return;
    }
    // The break shows no limit on requests per connection if it cut off a body, or if another connection served more.
    const isCut = head?.attempt.head !== null || [...others].some((other) => other.served > served);
    // A server that drops pipelined requests gets no more of them (depth 1), as each time costs a timeout.
    this.#broke(isCut ? null : served, stalled ? 1 : depth);
  }

  /** Learns that the server closed a connection after `served` responses, as announced or with nothing in flight. */
  #closedAt(served: number): void {
    this.#learned();
    if (served === this.perConnection) this.#prove();
    else if (!this.isProven) this.#guess(served);
  }

  /**
   * Learns from a connection that broke with requests in flight.
   * @param served Number of responses before the break, if it may be the server's limit; null: it cannot be.
   */
  #broke(served: number | null, depth: number): void {
    this.#learned();
    this.#breaks++;
    if (served === this.perConnection) {
      this.#prove();
      return;
    }
    this.depth = Math.max(1, half(Math.min(this.depth, depth)));
    if (!this.isProven && served !== null) this.#guess(Math.max(1, served));
  }

  #learned(): void {
    this.#learnedAt = performance.now();
  }

  #guess(limit: number): void {
    this.perConnection = limit;
    this.mayTry = true;
  }

  /** Takes the guess `perConnection` for the server's real limit, which explains why connections broke so far. */
  #prove(): void {
    this.isProven = true;
    this.mayTry = false;
    this.depth = Number.POSITIVE_INFINITY;
  }

  #unlimited(): void {
    this.perConnection = Number.POSITIVE_INFINITY;
    this.isProven = this.mayTry = false;
  }

  #forget(): void {
    this.#unlimited();
    this.streamsPerConnection = Number.POSITIVE_INFINITY;
    this.depth = this.streamDepth = Number.POSITIVE_INFINITY;
    this.pipelines = true;
    this.needsHttp1 = false;
    this.#breaks = this.mostServed = 0;
    this.#learnedAt = null;
  }
}

const half = (most: number): number => Math.floor(most / 2);
