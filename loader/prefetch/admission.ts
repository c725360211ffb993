// May a request be sent for what nobody asked for, now? The process must be calm, what may be spent behind a page
// not be spent, and robots.txt allow it, where it is obeyed.

import type { Budget } from './budget.ts';
import { LoadGate } from './load-gate.ts';
import type { PrefetchTarget } from './prefetch-target.ts';
import type { RobotsFiles } from './robots-files.ts';

/** `wait`: it will be told when to ask again. `never`: neither this nor what waits behind it. */
export type Admitted = 'yes' | 'wait' | 'never';

export class Admission {
  readonly #calm: LoadGate;
  readonly #robots: RobotsFiles | null;
  readonly #allowance: Budget;

  /** @param robots null: robots.txt is not asked. @param onChange it is time to ask again. */
  constructor(
    maxLoad: number,
    load: () => number,
    robots: RobotsFiles | null,
    allowance: Budget,
    onChange: () => void,
  ) {
    this.#calm = new LoadGate(maxLoad, load, onChange);
    this.#robots = robots;
    this.#allowance = allowance;
  }

  /** Robots.txt is being asked. */
  get isAsking(): boolean {
    return this.#robots?.isAsking ?? false;
  }

  /** For the next part of what has begun. */
  toGoOn(): Admitted {
    const calm = this.#calm.look();
    if (calm === 'calm') return 'yes';
    return calm === 'busy' ? 'wait' : 'never';
  }

  /** `no`: not for this one. */
  toBegin({ url }: PrefetchTarget): Admitted | 'no' {
    // What does not fit any more is not waited for.
    const answer = this.#allowance.isSpent ? 'never' : this.toGoOn();
    if (answer !== 'yes' || this.#robots === null) return answer;
    if (this.#robots.allows(url)) return 'yes';
    return this.#robots.isAsking ? 'wait' : 'no';
  }

  /** Somebody waits for what it leads to: the process lives until then. */
  ref(): void {
    this.#calm.ref();
  }

  close(): void {
    this.#calm.close();
  }
}
