// Is the process calm enough to prefetch? Its load tells (process/thread-load.ts). While it is not, it is looked at again a little
// later; what could not be sent for long is not wanted any more.

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
   * @param maxLoad share of time it may be busy, 0..1.
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
    if (this.#load() < this.#maxLoad) {
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
