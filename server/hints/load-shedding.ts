// How much of what comes a busy server still spends on hints. What the site would do without us goes first, so
// the work is cut to the time that is left: while the thread uses four fifths of the processor time that it could have,
// and has for a second (process/thread-load.ts), the share is halved at each look; while it is calm it grows again by
// half. In a server that answers all it can, nothing is left after two seconds and a half; in between the share stays
// where its time is nearly used up.
//
// The share is one of visitors and not of requests: half of the visitors, seen on each step, teach which page
// follows which; half of the steps of all of them do not.

import { textHash } from '../../prefetchd/model/tables/texts.ts';
import { calm, overload } from '../../process/thread-load.ts';

/** As often as the load is measured anew (process/thread-load.ts), ms. */
const lookMs = 250;
/** Less is none. */
const least = 1 / 32;

export class LoadShedding {
  readonly #load: () => number;
  #share = 1;
  #isOverloaded = false;
  #lookedMs = 0;

  /** @param load how busy the process is, 0..1 */
  constructor(load: () => number) {
    this.#load = load;
  }

  /** Of visitors, 0..1. */
  get share(): number {
    return this.#share;
  }

  /** No time for what nobody waits for. */
  get isBusy(): boolean {
    return this.#isOverloaded || this.#share < 1;
  }

  /** Measure; at each request. @param nowMs monotonic */
  look(nowMs: number): void {
    const load = this.#load();
    this.#isOverloaded = load >= overload;
    if (nowMs - this.#lookedMs < lookMs) return;
    this.#lookedMs = nowMs;
    if (this.#isOverloaded) {
      this.#share = this.#share > least ? this.#share / 2 : 0;
    } else if (load < calm) {
      this.#share = Math.min(1, Math.max(least, this.#share * 1.5));
    }
  }

  /** @param visitor anything that stays the same from one request of a visitor to the next */
  has(visitor: string): boolean {
    if (this.#share === 1) return true;
    return this.#share > 0 && textHash(visitor) / 2 ** 32 < this.#share;
  }
}
