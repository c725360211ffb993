// Lets a fixed number of jobs run at once; the others wait in order.

export class Semaphore {
  readonly #maxRunning: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning;
  }

  async pass<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#maxRunning) this.#running++;
    // A job that ends hands its place over, so the count stays.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await job();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
