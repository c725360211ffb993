// When a connection last delivered something for other streams. HTTP/2 streams share the connection, so one that
// waits while others make progress has not timed out.

export class InFlightProgress {
  #by: object | null = null;
  #at = Number.NEGATIVE_INFINITY;
  #otherAt = Number.NEGATIVE_INFINITY;

  mark(by: object): void {
    if (by !== this.#by) {
      this.#otherAt = this.#at;
      this.#by = by;
    }
    this.#at = performance.now();
  }

  /** Monotonic time of the last progress of any stream but `me`, ms. */
  othersAt(me: object): number {
    return me === this.#by ? this.#otherAt : this.#at;
  }
}
