// What a loader has learned about a server's connections, kept between pages. A connection that ends after k responses
// may indicate a limit of k requests, or a request that ends connections. So k is kept as a guess: single requests
// beyond it disprove it, a second end at the same number proves it. A break that no proven limit explains halves the
// depth of pipelines, down to one request at a time. Connections closed by us indicate nothing. Everything is forgotten
// after a while, because servers restart and limits change.

export class ServerProfile {
  /** Number of requests that one connection may carry, as far as is known or guessed. */
  perConnection = Number.POSITIVE_INFINITY;
  /** Two connections ended at `perConnection`. */
  isProven = false;
  /** No connection has gone beyond the guess `perConnection` yet; a single request may try. */
  mayTry = false;
  /** Maximum number of requests in flight on an HTTP/1.1 connection; halved when pipelines break. */
  depth = Number.POSITIVE_INFINITY;
  /** Maximum number of streams in flight on an HTTP/2 connection; halved when a connection breaks. */
  streamDepth = Number.POSITIVE_INFINITY;
  /** false: the server speaks HTTP/1.0, or answered in another order than that of the requests. */
  pipelines = true;
  /** Longest time from when a response became due to its first byte, ms. Not a reason to remember an origin. */
  slowestMs = 0;
  /** Number of streams that one HTTP/2 connection may carry, from a GOAWAY that refused some. */
  streamsPerConnection = Number.POSITIVE_INFINITY;
  /** Most requests that an HTTP/1.x connection answered while staying open. Not a reason to remember an origin. */
  mostServed = 0;
  /** The last HTTP/1.x connection had a long round trip. Not a reason to remember an origin. */
  isFar = false;
  /** The server requires HTTP/1.1 instead of HTTP/2 (RFC 9113 7, HTTP_1_1_REQUIRED). */
  needsHttp1 = false;
  #breaks = 0;
  #learnedAt: number | null = null;

  /** Whether nothing has been learned. */
  get isBlank(): boolean {
    return this.#learnedAt === null;
  }

  /** A connection ended for an unknown reason, so a new one is not pipelined to at once (RFC 9112 9.3.2). */
  get isCareful(): boolean {
    const isGuess = this.perConnection !== Number.POSITIVE_INFINITY && !this.isProven;
    return isGuess || this.depth !== Number.POSITIVE_INFINITY;
  }

  forgetOld(nowMs: number, relearnMs: number): void {
    if (this.#learnedAt === null || nowMs - this.#learnedAt < relearnMs) return;
    this.#forget();
    this.slowestMs = 0;
  }

  /** The server speaks HTTP/1.0 or does not answer in order, so requests go one at a time (RFC 9112 9.3.2). */
  mayNotPipeline(nowMs: number): void {
    this.pipelines = false;
    this.#learnedAt = nowMs;
  }

  /** The server reset a stream or the connection with HTTP_1_1_REQUIRED. */
  requiresHttp1(nowMs: number): void {
    this.needsHttp1 = true;
    this.#learnedAt = nowMs;
  }

  /** A connection has served `served` responses. @param isLast The server announced that it closes after this one. */
  serves(served: number, isLast: boolean): void {
    if (!isLast) this.mostServed = Math.max(this.mostServed, served);
    if (served > this.perConnection) this.#unlimited();
  }

  /** HTTP/2: the server processed only `taken` of the streams that were sent to it (RFC 9113 6.8). */
  tookStreams(taken: number, nowMs: number): void {
    // Zero means that the server is shutting down in any case.
    if (taken === 0) return;
    this.#learnedAt = nowMs;
    this.streamsPerConnection = taken;
  }

  /** An HTTP/2 connection broke, and it is unknown which of its streams in flight was the cause. */
  brokeStreams(inFlight: number, nowMs: number): void {
    this.#learnedAt = nowMs;
    this.streamDepth = Math.max(1, Math.floor(Math.min(this.streamDepth, inFlight) / 2));
  }

  /** An HTTP/2 connection has answered `served` requests and stays open. */
  servedStreams(served: number): void {
    if (served > this.streamsPerConnection) this.streamsPerConnection = Number.POSITIVE_INFINITY;
  }

  /** The server closed a connection after `served` responses as it had announced, or with nothing in flight. */
  closed(served: number, nowMs: number): void {
    this.#learnedAt = nowMs;
    if (served === this.perConnection) this.#prove();
    else if (!this.isProven) this.#guess(served);
  }

  /**
   * Called when a connection broke.
   * @param served Number of responses before, if it may be the server's limit; null: it cannot be the limit.
   * @param depth Maximum number of requests in flight on the connection.
   */
  broke(served: number | null, depth: number, nowMs: number): void {
    this.#learnedAt = nowMs;
    this.#breaks++;
    if (served === this.perConnection) {
      this.#prove();
      return;
    }
    this.depth = Math.max(1, Math.floor(Math.min(this.depth, depth) / 2));
    if (!this.isProven && served !== null) this.#guess(Math.max(1, served));
  }

  /** A connection gets a single request beyond its limit. */
  tries(): void {
    this.mayTry = false;
  }

  /** A request ended connections by itself, so the number of responses before it indicates no limit. */
  explained(): void {
    if (!this.isProven) this.#unlimited();
  }

  /** The pipeline had not stalled: its head was slow by itself. */
  wasSlow(): void {
    if (this.#breaks <= 1 && this.pipelines) this.#forget();
  }

  #guess(limit: number): void {
    this.perConnection = limit;
    this.mayTry = true;
  }

  /** Accepts the limit, which explains the breaks so far. */
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
    this.mostServed = 0;
    this.streamsPerConnection = Number.POSITIVE_INFINITY;
    this.depth = this.streamDepth = Number.POSITIVE_INFINITY;
    this.pipelines = true;
    this.needsHttp1 = false;
    this.#breaks = 0;
    this.#learnedAt = null;
  }
}
