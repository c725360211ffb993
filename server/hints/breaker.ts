// Breaks the circuit to a failing service, so that it costs nothing: after some failures in a row it is only probed
// from time to time, and nobody waits for a probe. No timer is needed: the first request after a pause is the probe.

export interface BreakerOptions {
  /** Consecutive failures after which the breaker opens. */
  maxFailures?: number;
  /** Time between two probes, ms. */
  probeIntervalMs?: number;
}

/** `ask`; `probe`: ask, but do not wait for the answer; `skip`: do not ask. */
export type BreakerAdvice = 'ask' | 'probe' | 'skip';

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

  /** What to do about a request. @param nowMs from a monotonic clock */
  advice(nowMs: number): BreakerAdvice {
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
