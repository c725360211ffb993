// Whether the requests that a part of the HTML leads to wait for its end. They then leave in one write, which
// acknowledges all of it. That is worth a wait: nginx with `sendfile` and `tcp_nopush` (Debian's default) holds the
// short last segment of what it sends until the short one before is acknowledged (Nagle), and a client that just sent
// something delays that by 40 ms. Two writes within a round trip stall it likewise.
//
// It is given up as soon as the pace so far says that the end comes too late.

/** What follows without a pause: the initial window of a connection, ten segments (RFC 6928 2). */
const windowBytes = 10 * 1460;
/** A shorter wait is not worth a timer. */
const leastMs = 1;

export class EndWait {
  /** What was missing when the wait for a response began, and when that was; null: none has begun. */
  #start: { response: number; missingBytes: number; atMs: number } | null = null;

  /**
   * To be asked when a part of it was read.
   * @param response Its place on the connection
   * @param missingBytes 0: none, or nobody knows
   * @param mostMs of the whole wait
   * @param nowMs monotonic
   * @returns How long to wait yet, ms; 0: not at all
   */
  leftMs(response: number, missingBytes: number, mostMs: number, nowMs: number): number {
    if (missingBytes === 0 || missingBytes > windowBytes || mostMs < leastMs) return 0;
    if (this.#start?.response !== response) this.#start = { response, missingBytes, atMs: nowMs };
    const waitedMs = nowMs - this.#start.atMs;
    const leftMs = Math.max(0, mostMs - waitedMs);
    const came = this.#start.missingBytes - missingBytes;
    return came > 0 && (missingBytes * waitedMs) / came > leftMs ? 0 : leftMs;
  }
}
