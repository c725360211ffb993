// Limits how many streams of an HTTP/2 session may end by a reset (CVE-2023-44487, CVE-2025-8671): a reset makes room
// for the next stream at once, so maxConcurrentStreams alone limits nothing. Leaving a page may reset all its
// streams; a client that continues like that is disconnected. nghttp2 counts only the resets it reads from the
// client; this counts both sides'.

/** Per second, as a share of the streams that may be open at once. */
const share = 1 / 3;

export interface ResetLimits {
  readonly streamResetBurst: number;
  readonly streamResetRate: number;
}

export function resetLimits(maxConcurrentStreams: number): ResetLimits {
  return {
    streamResetBurst: maxConcurrentStreams,
    streamResetRate: Math.ceil(maxConcurrentStreams * share),
  };
}

export class ResetBudget {
  readonly #limits: ResetLimits;
  #left: number;
  #filledMs: number;

  /** @param nowMs monotonic */
  constructor(limits: ResetLimits, nowMs: number) {
    this.#limits = limits;
    this.#left = limits.streamResetBurst;
    this.#filledMs = nowMs;
  }

  /** Count resets; false if they exceed the budget. */
  take(nowMs: number, resets = 1): boolean {
    const { streamResetBurst, streamResetRate } = this.#limits;
    const came = ((nowMs - this.#filledMs) / 1000) * streamResetRate;
    this.#left = Math.min(streamResetBurst, this.#left + came) - resets;
    this.#filledMs = nowMs;
    return this.#left >= 0;
  }
}
