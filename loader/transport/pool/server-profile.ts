// What an origin's server has taught about its connections, kept by the loader from page to page. A
// pipeline that breaks after k responses teaches that k requests fit on a connection; a second,
// earlier break, that pipelining is no good here. What we ended ourselves teaches nothing. All of it
// is forgotten after a while: servers restart, limits are raised.

export class ServerProfile {
  /** Requests one connection may carry. */
  perConnection = Number.POSITIVE_INFINITY;
  /** The longest it took from a response being due to its first byte, ms. Nothing to keep an origin in mind for. */
  slowestMs = 0;
  /** Streams one connection of HTTP/2 may carry: what a GOAWAY left of more. */
  streamsPerConnection = Number.POSITIVE_INFINITY;
  /** Requests a connection of HTTP/1.x has answered, and gone on. Nothing to keep an origin in mind for. */
  mostServed = 0;
  /** Its last HTTP/1.x connection took a long round trip to open. Nothing to keep an origin in mind for. */
  isFar = false;
  /** One connection has shown that `perConnection` holds: more may be opened at a time. */
  proven = true;
  /** Requests may run ahead of responses. */
  pipelines = true;
  /** `perConnection` is what a stalled pipeline showed: one more request on a connection, alone, tells a limit from a
   *  server that drops pipelines. */
  mayTry = false;
  /** The server ended a connection after one response: until one serves two, it is not pipelined to. */
  probing = false;
  #breaks = 0;
  #learnedAt: number | null = null;

  /** Nothing was learned: as good as new. */
  get isBlank(): boolean {
    return this.#learnedAt === null;
  }

  forgetOld(nowMs: number, relearnMs: number): void {
    if (this.#learnedAt === null || nowMs - this.#learnedAt < relearnMs) return;
    this.#forget();
    this.slowestMs = 0;
  }

  /** It speaks HTTP/1.0, which is not pipelined (RFC 9112 9.3.2). */
  speaksHttp10(nowMs: number): void {
    this.pipelines = false;
    this.#learnedAt = nowMs;
  }

  /** A connection ended, as it had said, after its first response. */
  servedOne(nowMs: number): void {
    this.#learnedAt = nowMs;
    if (this.probing) this.perConnection = 1;
    this.probing = true;
  }

  /** A connection has served `served` responses. @param isLast it said that it ends behind this one. */
  serves(served: number, isLast: boolean): void {
    if (!isLast) this.mostServed = Math.max(this.mostServed, served);
    if (served > 1) this.probing = false;
    if (served >= this.perConnection) this.proven = true;
    if (served > this.perConnection) this.perConnection = Number.POSITIVE_INFINITY;
  }

  /** Of more streams on a connection the server took only `taken` (RFC 9113 6.8). */
  tookStreams(taken: number, nowMs: number): void {
    // None: it is going away, whatever it is asked.
    if (taken === 0) return;
    this.#learnedAt = nowMs;
    this.streamsPerConnection = taken;
  }

  /** A connection of HTTP/2 has answered `served` requests and goes on. */
  servedStreams(served: number): void {
    if (served > this.streamsPerConnection) this.streamsPerConnection = Number.POSITIVE_INFINITY;
  }

  /** The server ended a pipeline after `served` responses. */
  broke(served: number, nowMs: number): void {
    this.#learnedAt = nowMs;
    this.#breaks++;
    const seen = Math.max(1, served);
    if (this.#breaks > 1 && seen < this.perConnection) this.pipelines = false;
    this.perConnection = Math.min(this.perConnection, seen);
    this.proven = this.#breaks > 1;
  }

  /**
   * The server reset a connection that was asked for `asked` requests, and `served` responses came. With the reset some
   * may have been lost: where more was asked than it is known to serve, fewer than before say nothing.
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

  /** A pipeline fell silent after `served` responses: the server serves no more on a connection, or drops pipelines. */
  stalled(served: number, nowMs: number): void {
    this.#learnedAt = nowMs;
    this.pipelines = false;
    this.perConnection = Math.min(this.perConnection, Math.max(1, served));
    // What waits is not to wait for the one that seemed slow.
    this.proven = this.mayTry = true;
  }

  /** A connection that was silent in a pipeline is asked for one more than it served, alone. */
  tries(): void {
    this.mayTry = false;
  }

  /** And is silent again: it was the number, not the pipeline. */
  triedInVain(): void {
    this.pipelines = true;
  }

  /** The pipeline had not stalled: what it waited for is slow by itself. */
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
    this.#breaks = 0;
    this.#learnedAt = null;
  }
}
