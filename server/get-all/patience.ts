// How long the site may take for all parts of one response together. Only the time is counted in which we wait for the
// site, so that a client that reads slowly uses up nothing. One wait takes at most half of what is left: a part that
// never comes leaves time for the others.

export class TookTooLong extends Error {}

export class Patience {
  #leftMs: number;

  constructor(timeoutMs: number) {
    this.#leftMs = timeoutMs;
  }

  get isOver(): boolean {
    return this.#leftMs < 1;
  }

  /** @throws TookTooLong */
  async wait<T>(coming: Promise<T>): Promise<T> {
    const sinceMs = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new TookTooLong()), this.#leftMs / 2);
    });
    try {
      return await Promise.race([coming, late]);
    } finally {
      clearTimeout(timer);
      this.#leftMs -= performance.now() - sinceMs;
    }
  }
}
