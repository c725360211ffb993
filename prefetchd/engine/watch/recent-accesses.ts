// The latest accesses for the dashboard: URL, time and visitor, so that what-if.ts can compute what other settings
// would have given. Every access is recorded, watched or not, so it is only five numbers in typed arrays: a URL by
// its hash, a visitor by its slot in the history (recent-urls.ts), which is reused and has no meaning elsewhere.
//
// Invariant: at most `mostAccesses`, 22 bytes each; the arrays grow on demand.

import type { AccessKind } from '../../access.ts';
import { growArray } from '../../model/tables/grow-array.ts';

/** How an access came about: `hinted`: as a hint said; `prefetched`: shown from a prefetch that was not hinted; `hit`:
 *  from one that was. */
export const outcomes = ['none', 'hinted', 'prefetched', 'hit'] as const;
export type Outcome = (typeof outcomes)[number];

export const mostAccesses = 20_000;
const first = 512;

/** No hints were requested, or nobody was watching. */
export const unknownHints = 255;
const mostHints = 254;
/** Pages whose hints were requested before their access was learned, as a web server in front does. */
const mostWaiting = 1024;

/** Parallel columns, oldest access first. */
export interface AccessColumns {
  length: number;
  /** textHash of the URL. */
  urls: Uint32Array;
  /** Equal numbers denote the same visitor while it is remembered. */
  visitors: Uint32Array;
  timesMs: Float64Array;
  /** Bytes of the response body; 0: unknown. */
  bytes: Uint32Array;
  /** 1: an embedded object. */
  objects: Uint8Array;
  /** Hints given on it; 255: unknown. */
  hints: Uint8Array;
  /** Positions in `outcomes`. */
  outcomes: Uint8Array;
}

export class RecentAccesses {
  /** Accesses recorded so far, including overwritten ones. */
  noted = 0;
  /** While watched, hints requested ahead of their access are remembered. */
  isWatched = false;
  #urls = new Uint32Array(first);
  #visitors = new Uint32Array(first);
  #timesMs = new Float64Array(first);
  #bytes = new Uint32Array(first);
  #kinds = new Uint8Array(first);
  #hints = new Uint8Array(first);
  #outcomes = new Uint8Array(first);
  #last = '';
  readonly #waiting = new Map<string, number>();

  /**
   * @param url normalised
   * @param client its pseudonym
   */
  add(
    url: string,
    hash: number,
    visitor: number,
    client: string,
    timeMs: number,
    kind: AccessKind,
    bytes: number,
    outcome: Outcome = 'none',
  ): void {
    if (this.noted === this.#urls.length && this.noted < mostAccesses) this.#grow();
    const at = this.noted++ % this.#urls.length;
    this.#urls[at] = hash;
    this.#visitors[at] = visitor;
    this.#timesMs[at] = timeMs;
    this.#bytes[at] = bytes;
    this.#kinds[at] = kind === 'object' ? 1 : 0;
    this.#outcomes[at] = outcomes.indexOf(outcome);
    this.#hints[at] = this.isWatched ? this.#takeWaiting(client, url) : unknownHints;
    this.#last = url;
  }

  /** Record the number of hints a client got on a page; its access came just before or is still to come. */
  hinted(url: string, client: string, count: number): void {
    if (this.noted > 0 && url === this.#last) {
      this.#hints[(this.noted - 1) % this.#urls.length] = Math.min(count, mostHints);
      return;
    }
    if (!this.isWatched) return;
    if (this.#waiting.size >= mostWaiting) this.#waiting.clear();
    this.#waiting.set(`${client}\n${url}`, count);
  }

  /** A copy of the latest accesses. */
  last(most: number): AccessColumns {
    const length = Math.min(most, this.noted, this.#urls.length);
    const columns: AccessColumns = {
      length,
      urls: new Uint32Array(length),
      visitors: new Uint32Array(length),
      timesMs: new Float64Array(length),
      bytes: new Uint32Array(length),
      objects: new Uint8Array(length),
      hints: new Uint8Array(length),
      outcomes: new Uint8Array(length),
    };
    const start = (this.noted - length) % this.#urls.length;
    const head = Math.min(length, this.#urls.length - start);
    const copy = <T extends Uint32Array | Float64Array | Uint8Array>(from: T, to: T) => {
      to.set(from.subarray(start, start + head));
      to.set(from.subarray(0, length - head), head);
    };
    copy(this.#urls, columns.urls);
    copy(this.#visitors, columns.visitors);
    copy(this.#timesMs, columns.timesMs);
    copy(this.#bytes, columns.bytes);
    copy(this.#kinds, columns.objects);
    copy(this.#hints, columns.hints);
    copy(this.#outcomes, columns.outcomes);
    return columns;
  }

  /** Forget everything, because visitors can no longer be matched. */
  clear(): void {
    this.noted = 0;
    this.forgetWaiting();
  }

  /** Call when nobody is watching any more. */
  forgetWaiting(): void {
    this.#waiting.clear();
    this.#last = '';
  }

  #takeWaiting(client: string, url: string): number {
    const key = `${client}\n${url}`;
    const count = this.#waiting.get(key);
    if (count === undefined) return unknownHints;
    this.#waiting.delete(key);
    return Math.min(count, mostHints);
  }

  #grow(): void {
    const length = Math.min(mostAccesses, this.#urls.length * 2);
    this.#urls = growArray(this.#urls, new Uint32Array(length));
    this.#visitors = growArray(this.#visitors, new Uint32Array(length));
    this.#timesMs = growArray(this.#timesMs, new Float64Array(length));
    this.#bytes = growArray(this.#bytes, new Uint32Array(length));
    this.#kinds = growArray(this.#kinds, new Uint8Array(length));
    this.#hints = growArray(this.#hints, new Uint8Array(length));
    this.#outcomes = growArray(this.#outcomes, new Uint8Array(length));
  }
}
