// When a connection last brought something for anybody else: streams of HTTP/2 share the line, and one that
// waits while others are served is not to blame.

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

  /** Monotonic time, ms, of the last progress of anybody but `me`. */
  othersAt(me: object): number {
    return me === this.#by ? this.#otherAt : this.#at;
  }
}
