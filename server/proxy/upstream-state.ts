// Does the upstream answer? Says when it begins to fail and when it answers again, and nothing of the requests between.
// A site that fails now and then must not be news each time: each return within a minute of the last one needs twice as
// many answers in a row before it counts.

/** The upstream began to fail, or answers again. */
export type UpstreamChange =
  | { readonly isAnswering: false; readonly error: unknown }
  | {
      readonly isAnswering: true;
      /** From the first failed request to the answer that showed the return, ms. */
      readonly failedForMs: number;
      /** Requests that failed meanwhile. */
      readonly failedRequests: number;
    };

const quietMs = 60_000;

export class UpstreamState {
  readonly #onChange: (change: UpstreamChange) => void;
  readonly #nowMs: () => number;
  /** Undefined while it answers. */
  #failing: { sinceMs: number; requests: number; answersInRow: number } | undefined;
  /** Answers in a row that make a return. */
  #answersNeeded = 1;
  #returnedMs = Number.NEGATIVE_INFINITY;

  constructor(onChange: (change: UpstreamChange) => void, nowMs = () => performance.now()) {
    this.#onChange = onChange;
    this.#nowMs = nowMs;
  }

  /** A request got no whole response. */
  failed(error: unknown): void {
    const nowMs = this.#nowMs();
    if (this.#failing !== undefined) {
      this.#failing.requests++;
      this.#failing.answersInRow = 0;
      return;
    }
    const isSoon = nowMs - this.#returnedMs < quietMs;
    this.#answersNeeded = isSoon ? this.#answersNeeded * 2 : 1;
    this.#failing = { sinceMs: nowMs, requests: 1, answersInRow: 0 };
    this.#onChange({ isAnswering: false, error });
  }

  /** The head of a response came, whatever its status. */
  answered(): void {
    const failing = this.#failing;
    if (failing === undefined || ++failing.answersInRow < this.#answersNeeded) return;
    this.#returnedMs = this.#nowMs();
    this.#failing = undefined;
    this.#onChange({
      isAnswering: true,
      failedForMs: this.#returnedMs - failing.sinceMs,
      failedRequests: failing.requests,
    });
  }
}
