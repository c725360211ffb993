// May a prefetch be sent now? The process must be calm, the budget of the page not be spent, and robots.txt allow it,
// where it is obeyed.

import type { PrefetchJob } from './prefetch-job.ts';
import type { PrefetchOptions } from './prefetch-options.ts';
import type { RobotsFiles } from './robots-files.ts';
import type { PrefetchTarget } from './targets.ts';

/** `wait`: it will be told when to ask again. `never`: neither this nor what waits behind it. */
export type Admitted = 'yes' | 'wait' | 'never';

export class Admission {
  readonly #gate: LoadGate;
  readonly #robots: RobotsFiles | null;
  readonly #budget: Budget;

  /** @param robots null: robots.txt is not asked. @param onChange it is time to ask again. */
  constructor(
    maxLoad: number,
    load: () => number,
    robots: RobotsFiles | null,
    budget: Budget,
    onChange: () => void,
  ) {
    this.#gate = new LoadGate(maxLoad, load, onChange);
    this.#robots = robots;
    this.#budget = budget;
  }

  /** Robots.txt is being asked. */
  get isAsking(): boolean {
    return this.#robots?.isAsking ?? false;
  }

  /** For the next part of what has begun. */
  toGoOn(): Admitted {
    const gate = this.#gate.look();
    if (gate === 'calm') return 'yes';
    return gate === 'busy' ? 'wait' : 'never';
  }

  /** `no`: not for this one. */
  toBegin({ url }: PrefetchTarget): Admitted | 'no' {
    // What does not fit any more is not waited for.
    const answer = this.#budget.isSpent ? 'never' : this.toGoOn();
    if (answer !== 'yes' || this.#robots === null) return answer;
    if (this.#robots.allows(url)) return 'yes';
    return this.#robots.isAsking ? 'wait' : 'no';
  }

  /** Somebody waits for what it leads to: the process lives until then. */
  ref(): void {
    this.#gate.ref();
  }

  close(): void {
    this.#gate.close();
  }
}

/** How long to wait before looking again, ms. */
const lookAgainMs = 250;
const longestBusyMs = 10_000;

export class LoadGate {
  readonly #maxLoad: number;
  readonly #onLook: () => void;
  readonly #load: () => number;
  #timer: NodeJS.Timeout | null = null;
  #busySince: number | null = null;

  /**
   * @param maxLoad share of time it may be busy, 0..1; 1: never waits.
   * @param load how busy it is, 0..1.
   * @param onLook it is time to ask again.
   */
  constructor(maxLoad: number, load: () => number, onLook: () => void) {
    this.#maxLoad = maxLoad;
    this.#load = load;
    this.#onLook = onLook;
  }

  /** `busy`: `onLook` will be called. `given up`: it was busy for too long, or never may do anything. */
  look(): 'calm' | 'busy' | 'given up' {
    // A load of 1 is no more than 1: whoever allows it never waits.
    if (this.#maxLoad === 1 || this.#load() < this.#maxLoad) {
      this.#busySince = null;
      return 'calm';
    }
    this.#busySince ??= performance.now();
    if (this.#maxLoad === 0 || performance.now() - this.#busySince >= longestBusyMs) {
      this.#busySince = null;
      return 'given up';
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#onLook();
    }, lookAgainMs).unref();
    return 'busy';
  }

  /** Somebody waits for what it leads to: the process lives until then. */
  ref(): void {
    this.#timer?.ref();
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

export class Budget {
  readonly #options: Required<PrefetchOptions>;
  #requests = 0;
  #bytes = 0;

  constructor(options: Required<PrefetchOptions>) {
    this.#options = options;
  }

  /** A page has loaded. @param room of the cache for what waits, bytes. */
  renew(room: number): void {
    this.#requests = this.#options.maxRequests;
    this.#bytes = Math.min(this.#options.maxBytes, room);
  }

  /** Nothing more may be begun. */
  get isSpent(): boolean {
    return this.#requests <= 0 || this.#bytes <= 0;
  }

  /** Bytes that its body may have, as far as is known before they come. */
  most(job: PrefetchJob): number {
    return Math.min(this.#bytes, this.#mostOfOne(job));
  }

  /** It is begun. */
  countRequest(): void {
    this.#requests--;
  }

  /** @returns false: these were too many. */
  countBytes(job: PrefetchJob, bytes: number): boolean {
    this.#bytes -= bytes;
    return this.#bytes >= 0 && job.bytes <= this.#mostOfOne(job);
  }

  /** What can come whole only is on its way all at once, in front of what a page that begins asks for. */
  #mostOfOne(job: PrefetchJob): number {
    const { maxResourceBytes, maxWholeBytes } = this.#options;
    return job.mayBeInParts ? maxResourceBytes : Math.min(maxResourceBytes, maxWholeBytes);
  }
}
