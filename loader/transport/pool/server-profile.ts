// What a loader has learned about a server's connections, kept between pages. A pipeline that breaks after k
// responses shows that k requests fit on a connection; an earlier second break shows that pipelining does not work.
// Connections closed by us show nothing. Everything is forgotten after a while, because servers restart and limits
// change.

export class ServerProfile {
  /** Requests that one connection may carry. */
  perConnection = Number.POSITIVE_INFINITY;
  /** Longest time from a response being due to its first byte, ms. Not a reason to remember an origin. */
  slowestMs = 0;
  /** Streams that one HTTP/2 connection may carry, from a GOAWAY that refused some. */
  streamsPerConnection = Number.POSITIVE_INFINITY;
  /** Requests that an HTTP/1.x connection answered and stayed open. Not a reason to remember an origin. */
  mostServed = 0;
  /** Its last HTTP/1.x connection had a long round trip. Not a reason to remember an origin. */
  isFar = false;
  /** A connection confirmed `perConnection`: several may be opened at a time. */
  proven = true;
  /** Requests may be pipelined. */
  pipelines = true;
  /**
   * `perConnection` comes from a stalled pipeline: one more request, alone on a connection, distinguishes a limit
   * from a server that drops pipelines.
   */
  mayTry = false;
  /** The server closed a connection after one response: until one serves two, it is not pipelined to. */
  probing = false;
  /** It wants HTTP/1.1 instead of HTTP/2 (RFC 9113 7, HTTP_1_1_REQUIRED). */
  needsHttp1 = false;
  #breaks = 0;
  #learnedAt: number | null = null;

  /** Nothing has been learned. */
  get isBlank(): boolean {
    return this.#learnedAt === null;
  }

  forgetOld(nowMs: number, relearnMs: number): void {
    if (this.#learnedAt === null || nowMs - this.#learnedAt < relearnMs) return;
    this.#forget();
    this.slowestMs = 0;
  }

  /** The server speaks HTTP/1.0, which is not pipelined (RFC 9112 9.3.2). */
  speaksHttp10(nowMs: number): void {
    this.pipelines = false;
    this.#learnedAt = nowMs;
  }

  requiresHttp1(nowMs: number): void {
    this.needsHttp1 = true;
    this.#learnedAt = nowMs;
  }

  /** A connection ended after its first response, as announced. */
  servedOne(nowMs: number): void {
    this.#learnedAt = nowMs;
    if (this.probing) this.perConnection = 1;
    this.probing = true;
  }

  /**
   * A connection has served `served` responses. @param isLast The server announced that it closes after this one.
   */
  serves(served: number, isLast: boolean): void {
    if (!isLast) this.mostServed = Math.max(this.mostServed, served);
    if (served > 1) this.probing = false;
    if (served >= this.perConnection) this.proven = true;
    if (served > this.perConnection) this.perConnection = Number.POSITIVE_INFINITY;
  }

  /** HTTP/2: the server processed only `taken` of the streams it was sent (RFC 9113 6.8). */
  tookStreams(taken: number, nowMs: number): void {
    // Zero means that it is going away in any case.
    if (taken === 0) return;
    this.#learnedAt = nowMs;
    this.streamsPerConnection = taken;
  }

  /** An HTTP/2 connection has answered `served` requests and stays open. */
  servedStreams(served: number): void {
    if (served > this.streamsPerConnection) this.streamsPerConnection = Number.POSITIVE_INFINITY;
  }

  /** The server closed a pipeline after `served` responses. */
  broke(served: number, nowMs: number): void {
    this.#learnedAt = nowMs;
    this.#breaks++;
    const seen = Math.max(1, served);
    if (this.#breaks > 1 && seen < this.perConnection) this.pipelines = false;
    this.perConnection = Math.min(this.perConnection, seen);
    this.proven = this.#breaks > 1;
  }

  /**
   * The server reset a connection with `asked` requests and `served` responses. A reset may lose responses: if more
   * was requested than the known limit, a lower number is not evidence.
   */
  reset(served: number, asked: number, nowMs: number): void {
    const isKnown = this.perConnection !== Number.POSITIVE_INFINITY;
    if (!isKnown || asked <= this.perConnection) {
      this.broke(served, nowMs);
      return;
    }
    this.#learnedAt = nowMs;
    this.#breaks++;
    this.perConnection = Math.max(this.perConnection, served);
    this.proven = true;
  }

  /**
   * A pipeline fell silent after `served` responses: the server either limits requests per connection or drops
   * pipelines.
   */
  stalled(served: number, nowMs: number): void {
    this.#learnedAt = nowMs;
    this.pipelines = false;
    this.perConnection = Math.min(this.perConnection, Math.max(1, served));
    // Other requests must not wait for the one that seemed slow.
    this.proven = this.mayTry = true;
  }

  /** A connection that was silent in a pipeline gets one more request, alone. */
  tries(): void {
    this.mayTry = false;
  }

  /** It was silent again: the limit was the cause, not the pipeline. */
  triedInVain(): void {
    this.pipelines = true;
  }

  /** The pipeline had not stalled: its head is slow by itself. */
  wasSlow(): void {
    if (this.#breaks <= 1) this.#forget();
  }

  #forget(): void {
    this.mostServed = 0;
    this.streamsPerConnection = Number.POSITIVE_INFINITY;
    this.perConnection = Number.POSITIVE_INFINITY;
    this.proven = true;
    this.pipelines = true;
    this.mayTry = false;
    this.probing = false;
    this.needsHttp1 = false;
    this.#breaks = 0;
    this.#learnedAt = null;
  }
}
