// How much of a body to ask for at a time. The first part fits into what a server sends at once on a new connection
// (ten segments, RFC 6928), header section included: most images and styles are no larger, and come whole. Those
// behind it take the line for a moment only, however fast the line is: this moment is what a page that begins may
// have to wait.

/** Ten segments of 1,460 bytes, less a header section. */
const firstBytes = 14_000;
/** From the first byte of a part to its last; docs/prefetching.md says what it costs a page. */
const wantedMs = 25;
/** Below it a part is mostly header sections and round trips; above it nothing is won. */
const leastBytes = 4 * 1024;
const mostBytes = 256 * 1024;

export class PartSize {
  #bytes = firstBytes;

  /** @param have bytes that are there. */
  behind(have: number): number {
    return have === 0 ? firstBytes : this.#bytes;
  }

  /** A part came. @param tookMs from its first byte to its last. */
  learn(bytes: number, tookMs: number): void {
    const fitting = Math.round((bytes * wantedMs) / Math.max(tookMs, wantedMs / 2));
    this.#bytes = Math.min(Math.max(fitting, leastBytes), mostBytes);
  }
}
