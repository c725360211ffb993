// Decides whether the requests found in a chunk of the HTML wait for the end of the HTML. They then leave in one write,
// which acknowledges all of the HTML. The wait pays off: nginx with `sendfile` and `tcp_nopush` (Debian's default)
// holds back the short last segment until the previous short one is acknowledged (Nagle), and a client that has just
// sent something delays that acknowledgment by 40 ms. Two writes within a round trip stall nginx in the same way.
//
// The wait ends as soon as the pace so far shows that the end would arrive too late.

/** Bytes that follow without a pause: the initial window of a connection, ten segments (RFC 6928 2). */
const windowBytes = 10 * 1460;
/** Shortest wait that is worth a timer, ms. */
const leastMs = 1;

export class EndWait {
  /** The bytes missing when the wait for a response began, and the time of that; null: no wait has begun. */
  #start: { response: number; missingBytes: number; atMs: number } | null = null;

  /**
   * Called when a chunk of the HTML has been read.
   * @param response Index of the response on the connection
   * @param missingBytes Bytes of the HTML still to come; 0: none, or unknown
   * @param mostMs Longest duration of the whole wait, ms
   * @param nowMs Monotonic time, ms
   * @returns How long to go on waiting, ms; 0: not at all
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
