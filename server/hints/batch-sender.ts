// Sends accesses, or notices of requests that were left out, to a remote prefetchd: items are collected briefly and
// sent one body at a time. The queue is bounded; when it is full, the oldest items are dropped, because they are worth
// least. Items that were certainly not delivered are sent again after a pause. Items that may have been delivered are
// not, because learning an access twice is worse than losing it. No request of the site waits for a delivery.

/** What became of a body that was sent. `again`: it was certainly not delivered; `lost`: it may have been delivered. */
export type Delivery = 'delivered' | 'again' | 'lost';

export interface BatchSenderOptions<Item> {
  send: (items: readonly Item[]) => Promise<Delivery>;
  /** Returns how many characters the texts of an item have, which count towards `maxCharacters`. */
  charactersOf: (item: Item) => number;
  maxQueued?: number;
  /** How long items are collected before they are sent in one request, ms. */
  gatherMs?: number;
  /** Pause after a failed delivery, ms. */
  pauseMs?: number;
  /** Limits of the body of one request: the number of its items, and of their characters. */
  maxBatch?: number;
  maxCharacters?: number;
}

export class BatchSender<Item> {
  readonly #options: Required<BatchSenderOptions<Item>>;
  readonly #queue: Item[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | null = null;
  #isClosed = false;
  delivered = 0;
  lost = 0;

  constructor(options: BatchSenderOptions<Item>) {
    this.#options = {
      maxQueued: 10_000,
      gatherMs: 50,
      pauseMs: 1000,
      maxBatch: 1000,
      maxCharacters: 256 * 1024,
      ...options,
    };
  }

  get queued(): number {
    return this.#queue.length;
  }

  push(item: Item): void {
    if (this.#isClosed) return;
    const { maxQueued, gatherMs } = this.#options;
    if (this.queued >= maxQueued && this.#queue.shift() !== undefined) this.lost++;
    this.#queue.push(item);
    if (this.#timer === undefined && this.#sending === null) this.#sendIn(gatherMs);
  }

  /** Closes the sender: delivers the queue for at most `timeoutMs`, until a delivery fails, and drops the rest. */
  async close(timeoutMs: number): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const over = Promise.withResolvers<void>();
    const deadline = setTimeout(over.resolve, timeoutMs);
    await Promise.race([this.#drain(), over.promise]);
    clearTimeout(deadline);
    this.#lose(this.queued);
  }

  async #drain(): Promise<void> {
    await this.#sending;
    while (this.queued > 0) if (!(await this.#send())) return;
  }

  #sendIn(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#sending = this.#send().then((isDelivered) => {
        this.#sending = null;
        const { gatherMs, pauseMs } = this.#options;
        if (this.queued > 0 && !this.#isClosed) this.#sendIn(isDelivered ? gatherMs : pauseMs);
      });
    }, delayMs).unref();
  }

  /** Sends one body of queued items. @returns true if delivered; never rejects */
  async #send(): Promise<boolean> {
    const batch = this.#queue.splice(0, this.#batchLength());
    const delivery = await this.#options.send(batch).catch((): Delivery => 'lost');
    if (delivery === 'delivered') this.delivered += batch.length;
    else if (delivery === 'lost') this.lost += batch.length;
    else {
      this.#queue.unshift(...batch);
      this.#lose(Math.max(0, this.queued - this.#options.maxQueued));
    }
    return delivery === 'delivered';
  }

  /** Returns how many items the next body has: at least one. */
  #batchLength(): number {
    const { maxBatch, maxCharacters, charactersOf } = this.#options;
    let characters = 0;
    const end = this.#queue.findIndex((item, at) => {
      characters += charactersOf(item);
      return at === maxBatch || (at > 0 && characters > maxCharacters);
    });
    return end === -1 ? this.queued : end;
  }

  /** Drops the `count` oldest items of the queue without sending them. */
  #lose(count: number): void {
    this.lost += count;
    this.#queue.splice(0, count);
  }
}
