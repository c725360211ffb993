// Keeps a service that fails from costing anything: after some failures in a row it is left alone, and
// asked once in a while, without anybody waiting, whether it is back. No timer runs for it: the next
// question that comes after the pause is the one that finds out.

export interface BreakerOptions {
  /** Failures in a row after which it opens. */
  maxFailures?: number;
  /** Between two probes, ms. */
  probeIntervalMs?: number;
}

/** `ask`; `probe`: ask, but do not wait for the answer; `skip`: do not ask. */
export type Advice = 'ask' | 'probe' | 'skip';

export class Breaker {
  readonly #maxFailures: number;
  readonly #probeIntervalMs: number;
  #failures = 0;
  #probedMs = Number.NEGATIVE_INFINITY;

  constructor({ maxFailures = 3, probeIntervalMs = 1000 }: BreakerOptions = {}) {
    this.#maxFailures = maxFailures;
    this.#probeIntervalMs = probeIntervalMs;
  }

  get isOpen(): boolean {
    return this.#failures >= this.#maxFailures;
  }

  /** `nowMs` of a clock that never goes back. */
  advice(nowMs: number): Advice {
    if (!this.isOpen) return 'ask';
    if (nowMs - this.#probedMs < this.#probeIntervalMs) return 'skip';
    this.#probedMs = nowMs;
    return 'probe';
  }

  succeeded(): void {
    this.#failures = 0;
  }

  failed(nowMs: number): void {
    this.#failures++;
    if (this.#failures === this.#maxFailures) this.#probedMs = nowMs;
  }
}
