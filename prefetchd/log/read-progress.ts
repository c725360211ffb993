// Reports progress in bytes of the file (compressed or not), because their total is known.

export interface LogProgress {
  bytesRead: number;
  /** Undefined if part of the input is a stream. */
  bytesTotal: number | undefined;
  lines: number;
  linesPerSecond: number;
  /** Undefined if the total is unknown. */
  timeLeftMs: number | undefined;
}

export interface ProgressSettings {
  onProgress: ((progress: LogProgress) => void) | undefined;
  progressIntervalMs: number;
  nowMs: () => number;
}

export class ProgressMeter {
  bytesRead = 0;
  lines = 0;
  bytesTotal: number | undefined = 0;

  readonly #settings: ProgressSettings;
  readonly #startMs: number;
  #toldMs: number;

  constructor(settings: ProgressSettings) {
    this.#settings = settings;
    this.#startMs = settings.onProgress === undefined ? 0 : settings.nowMs();
    this.#toldMs = this.#startMs;
  }

  /** Reports if the interval has passed. */
  update(): void {
    const { onProgress, progressIntervalMs, nowMs } = this.#settings;
    if (onProgress === undefined || nowMs() - this.#toldMs < progressIntervalMs) return;
    this.end();
  }

  /** Reports unconditionally. */
  end(): void {
    const { onProgress, nowMs } = this.#settings;
    if (onProgress === undefined) return;
    const timeMs = nowMs();
    this.#toldMs = timeMs;
    const elapsedMs = timeMs - this.#startMs;
    const { bytesRead, bytesTotal, lines } = this;
    const timeLeftMs =
      bytesTotal === undefined || bytesRead === 0
        ? undefined
        : Math.max(0, (elapsedMs * (bytesTotal - bytesRead)) / bytesRead);
    onProgress({
      bytesRead,
      bytesTotal,
      lines,
      linesPerSecond: elapsedMs > 0 ? (lines / elapsedMs) * 1000 : 0,
      timeLeftMs,
    });
  }
}
