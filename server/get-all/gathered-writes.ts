// Sends small writes together: a part is often smaller than a segment, and a short segment fills a place in TCP's
// congestion window as a full one does (RFC 5681 3.1). If the site is slow to continue, bytes leave after a short time.

import type { Response } from '../listen/handler.ts';

/** Ten segments and a little: the initial window (RFC 6928). */
const enoughBytes = 16 * 1024;
const longestMs = 3;

export class GatheredWrites {
  readonly #res: Response;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Resolves when the client has read enough; null: there is room. */
  #isFull: Promise<void> | null = null;

  constructor(res: Response) {
    this.#res = res;
  }

  /** Resolves when there is room for more. @throws Error if the client is gone */
  async write(bytes: Buffer): Promise<void> {
    if (this.#res.destroyed) throw new Error('the client is gone');
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes >= enoughBytes) {
      this.flush();
      // Without this turn, parts in memory follow each other at once, and node:http holds them all to the end.
      await written();
    } else this.#timer ??= setTimeout(() => this.flush(), longestMs);
    if (this.#isFull !== null) await this.#isFull;
  }

  flush(): void {
    const bytes = this.#taken();
    const res = this.#res;
    if (bytes.length === 0 || res.destroyed || res.write(bytes) || res.destroyed) return;
    this.#isFull = new Promise<void>((resolve) => {
      const done = () => {
        res.removeListener('drain', done);
        res.removeListener('close', done);
        this.#isFull = null;
        resolve();
      };
      res.once('drain', done);
      res.once('close', done);
    });
  }

  end(bytes: Buffer): void {
    this.#res.end(Buffer.concat([this.#taken(), bytes]));
  }

  #taken(): Buffer {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#bytes = 0;
    return bytes;
  }
}

/** Resolves one turn of the event loop after the next tick, when node:http passes on what it was given. */
function written(): Promise<void> {
  return new Promise((resolve) => process.nextTick(setImmediate, resolve));
}
