// Delays HTTP/2 streams that ask to be served last (RFC 9218 4.1, u=7: prefetches). They wait before each write while
// other streams of the session have bytes to send. A client that stops reading another stream delays them only for a
// while, and a stream without anything to send does not delay them. Other urgencies make no difference here.

import type { ServerHttp2Stream } from 'node:http2';

/**
 * Time between two checks whether streams of higher urgency still have bytes to send, ms. Those count as busy for so
 * long after they last had some, because a file is read from disk between writes.
 */
const checkMs = 5;
const mostHeldMs = 5_000;
const last = /(?:^|[,\s])u=7(?:$|[,;\s])/;

export class LastStreams {
  readonly #others = new Set<ServerHttp2Stream>();
  #held: Array<{ write: () => void; untilMs: number }> = [];
  #busyAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** Adds a stream, to be delayed if its urgency is 7 (the lowest). @param priority The request's Priority field */
  add(stream: ServerHttp2Stream, priority: string | undefined): void {
    if (last.test(priority ?? '')) this.#hold(stream);
    else {
      this.#others.add(stream);
      stream.once('close', () => this.#others.delete(stream));
    }
  }

  #hold(stream: ServerHttp2Stream): void {
    const write = stream._write.bind(stream);
    // Writes are passed one at a time, because what is written together would be sent together.
    (stream as { _writev?: unknown })._writev = undefined;
    stream._write = (chunk, encoding, done) => {
      const writeNow = () => (stream.destroyed ? done() : write(chunk, encoding, done));
      this.#held.push({ write: writeNow, untilMs: performance.now() + mostHeldMs });
      this.#writeDue();
    };
  }

  #writeDue(): void {
    clearTimeout(this.#timer);
    const nowMs = performance.now();
    if ([...this.#others].some(hasToSend)) this.#busyAtMs = nowMs;
    const isBusy = nowMs - this.#busyAtMs < checkMs;
    const [free, held] = [
      this.#held.filter(({ untilMs }) => !isBusy || untilMs <= nowMs),
      this.#held.filter(({ untilMs }) => isBusy && untilMs > nowMs),
    ];
    this.#held = held;
    if (held.length > 0) this.#timer = setTimeout(() => this.#writeDue(), checkMs).unref();
    for (const { write } of free) write();
  }
}

function hasToSend({
  destroyed,
  writableEnded,
  writableFinished,
  writableLength,
}: ServerHttp2Stream): boolean {
  return !destroyed && (writableLength > 0 || (writableEnded && !writableFinished));
}
