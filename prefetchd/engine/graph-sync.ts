// Between the graph in memory and its store: loads what is kept, gives what was learned each second, takes in
// what other nodes learned, and changes the salt when its time is over. The store may fail at any
// moment and for any time: what was learned waits here, adding up, and goes when the store is back. Nobody waits
// for the store but `flush` and `close`.
//
// A store that takes its time is given little at a time (`mostAtOnce`): taking a second's news out of the
// graph at once would hold up requests. The next piece is taken when the store has accepted the one before, so
// while it is slower than learning, what waits adds up in the journal of the graph, which is bounded.
//
// Invariant: a delta that was taken from the model is given until the store has accepted it, the same one
// each time, before anything newer; so nothing is lost and nothing counts twice.

import type { GraphDelta } from '../model/delta/graph-delta.ts';
import { isOver, type Salt } from '../model/salt.ts';
import type { Notice } from '../notice.ts';
import type { GraphStore } from '../store/graph-store.ts';

/** The learned half of a predictor, as stores keep it (model/keeping.ts). */
export interface Kept {
  /** Name of the predictor. */
  readonly name: string;
  readonly window: number;
  /** URLs that something came of and `take` did not give yet. */
  readonly waiting: number;
  /** What came since the last call; with `most`, that of so many URLs, which wait longest, and as many arcs.
   *  Fingerprints in it are of the present era. */
  take(era: number, most?: number): GraphDelta;
  /** All of it, for a store that lost it. What `take` would give is in it, and is taken. */
  whole(era: number): GraphDelta;
  /** Everything goes. */
  clear(): void;
  /** Add what was kept, or what another node learned. */
  add(delta: GraphDelta, era: number): void;
  /** The present era is over: of the clients of each arc their number stays. */
  endEra(): void;
}

export interface StoreHealth {
  /** Null: the graph is kept nowhere. */
  name: string | null;
  /** The last thing asked of the store succeeded. */
  isHealthy: boolean;
  flushes: number;
  failures: number;
  lastFlushMs: number | null;
  lastError: string | null;
}

export interface GraphSyncOptions {
  store: GraphStore | null;
  kept: Kept;
  flushIntervalMs: number;
  saltLifeMs: number;
  closeTimeoutMs: number;
  newSalt: (nowMs: number) => Salt;
  now: () => number;
  onNotice: (notice: Notice) => void;
  /** Pseudonyms are made with this salt from now on. */
  onSalt: (salt: Salt) => void;
  /** Each second or so, whatever the store does. */
  onTick: (nowMs: number) => void;
}

export class GraphSync {
  readonly #options: GraphSyncOptions;
  readonly #health: StoreHealth;
  #salt: Salt;
  #isSaltShared = false;
  #isLoaded = false;
  /** Taken from the model, not accepted yet. */
  #unsent: GraphDelta[] = [];
  /** All of the graph, for a store that lost it and has not accepted it yet; the first `news` of what is
   *  unsent are in it. */
  #whole: { delta: GraphDelta; news: number } | null = null;
  #running: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: GraphSyncOptions) {
    this.#options = options;
    this.#salt = options.newSalt(options.now());
    this.#health = {
      name: options.store?.name ?? null,
      isHealthy: true,
      flushes: 0,
      failures: 0,
      lastFlushMs: null,
      lastError: null,
    };
  }

  /** The salt before the store was asked. */
  get salt(): Salt {
    return this.#salt;
  }

  /** Resolves after the first try to load. */
  async start(): Promise<void> {
    await this.#once().catch(() => {}); // told
    this.#schedule();
  }

  health(): StoreHealth {
    return { ...this.#health };
  }

  /** @throws PrefetchdError of the store */
  async flush(): Promise<void> {
    // What runs already may have begun before the last access.
    await this.#running?.catch(() => {});
    await this.#once();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearTimeout(this.#timer);
    const { store, closeTimeoutMs } = this.#options;
    if (store === null) return;
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), closeTimeoutMs);
    });
    let isFlushed = false;
    const closeStore = () => store.close().catch((error) => this.#failed(error));
    const closed = this.flush()
      .catch(() => {}) // told
      .then(() => {
        isFlushed = true;
        return closeStore();
      });
    if ((await Promise.race([closed, deadline])) === 'late') {
      const what = isFlushed ? 'close' : 'take the last flush';
      this.#notice('error', `${store.name} did not ${what} in ${closeTimeoutMs} ms`);
      if (!isFlushed) void closeStore();
    }
    clearTimeout(timer);
  }

  #schedule(): void {
    if (this.#closing) return;
    this.#timer = setTimeout(async () => {
      await this.#once().catch(() => {}); // told
      this.#schedule();
    }, this.#options.flushIntervalMs);
    this.#timer.unref();
  }

  /** One step at a time; whether it succeeds is the health of the store. */
  #once(): Promise<void> {
    this.#running ??= this.#step()
      .catch((error) => {
        this.#failed(error);
        throw error;
      })
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }

  async #step(): Promise<void> {
    const { store, now, saltLifeMs, onTick } = this.#options;
    const nowMs = now();
    onTick(nowMs);
    if (isOver(this.#salt, nowMs, saltLifeMs)) this.#newEra(this.#options.newSalt(nowMs), false);
    if (store === null) return;
    // All who share a store go by the salt it has; a store that lost it gets that of who comes first.
    const own = this.#isSaltShared ? this.#salt : undefined;
    if (own === undefined || store.isShared) {
      this.#newEra(await store.salt(nowMs, saltLifeMs, own), true);
    }
    if (!this.#isLoaded) await this.#load(store, nowMs);
    await store.look?.();
    const isWholeWaiting = this.#whole !== null || store.need === 'whole';
    if (!isWholeWaiting) await this.#send(store, nowMs);
    await this.#helpStore(store, nowMs);
    if (isWholeWaiting) await this.#send(store, nowMs); // what came since it was taken
    this.#succeeded(nowMs);
  }

  async #load(store: GraphStore, nowMs: number): Promise<void> {
    const { kept, onNotice } = this.#options;
    const delta = await store.load(nowMs);
    if (delta !== null && delta.predictor === kept.name) {
      if (delta.window !== kept.window) {
        onNotice({
          level: 'warn',
          message: `${store.name} was learned with w ${delta.window}; from now on w is ${kept.window}, and weights mix both until the old ones have aged`,
        });
      }
      kept.add(delta, this.#salt.era);
    }
    this.#isLoaded = true;
  }

  async #send(store: GraphStore, nowMs: number): Promise<void> {
    const { kept } = this.#options;
    const isAsked = this.#unsent.length > 0;
    // What waits has to arrive first, and as it is; what came since goes after it.
    if (isAsked && !(await this.#give(store, nowMs))) return;
    if (kept.waiting === 0 && store.isShared && !isAsked) {
      this.#unsent.push(kept.take(this.#salt.era));
      await this.#give(store, nowMs);
    }
    // Of what waits now; what comes meanwhile has the next turn.
    let due = kept.waiting;
    while (due > 0) {
      const before = kept.waiting;
      // In the end nothing is held up, and large pieces are written in less time.
      const most = (store.mostAtOnce ?? Number.POSITIVE_INFINITY) * (this.#closing ? 16 : 1);
      this.#unsent.push(kept.take(this.#salt.era, most));
      due -= before - kept.waiting;
      if (!(await this.#give(store, nowMs))) return;
    }
  }

  /** False: the store lost everything, and what was given was not kept. */
  async #give(store: GraphStore, nowMs: number): Promise<boolean> {
    const { kept } = this.#options;
    for (let delta = this.#unsent[0]; delta !== undefined; delta = this.#unsent[0]) {
      const others = await store.add(delta, nowMs);
      if (store.need === 'whole') return false;
      this.#unsent.shift();
      for (const other of others) kept.add(other, this.#salt.era);
    }
    return true;
  }

  async #helpStore(store: GraphStore, nowMs: number): Promise<void> {
    const { kept } = this.#options;
    const { era } = this.#salt;
    if (store.need === 'load') {
      const delta = await store.load(nowMs);
      // Nothing is kept: then this graph is the better one.
      if (delta !== null) {
        this.#keepUnsent();
        kept.clear();
        for (const each of [delta, ...this.#unsent]) kept.add(each, era);
      }
    }
    if (store.need === 'whole' && store.restore !== undefined) {
      if (this.#whole === null) {
        this.#keepUnsent();
        this.#whole = { delta: kept.whole(era), news: this.#unsent.length };
      }
      const { delta, news } = this.#whole;
      await store.restore(delta, nowMs, this.#unsent.slice(0, news));
      // An era may have ended meanwhile; what it left is in none of them.
      this.#unsent.splice(0, news);
      const { saltLifeMs } = this.#options;
      this.#newEra(await store.salt(nowMs, saltLifeMs, this.#salt), true);
    }
    this.#whole = null;
  }

  #keepUnsent(): void {
    const { kept, store } = this.#options;
    while (kept.waiting > 0) this.#unsent.push(kept.take(this.#salt.era, store?.mostAtOnce));
  }

  #newEra(salt: Salt, isShared: boolean): void {
    const { kept, onSalt } = this.#options;
    this.#isSaltShared = isShared;
    if (salt.era === this.#salt.era) return;
    this.#keepUnsent();
    kept.endEra();
    this.#salt = salt;
    onSalt(salt);
  }

  #succeeded(nowMs: number): void {
    const { store } = this.#options;
    this.#health.flushes++;
    this.#health.lastFlushMs = nowMs;
    if (!this.#health.isHealthy) this.#notice('info', `${store?.name} works again`);
    this.#health.isHealthy = true;
    this.#health.lastError = null;
  }

  /** Told once, until the store works again. */
  #failed(cause: Error): void {
    this.#health.failures++;
    if (this.#health.isHealthy) {
      this.#notice('error', `${cause.message}; hints go on from memory`, cause);
    }
    this.#health.isHealthy = false;
    this.#health.lastError = cause.message;
  }

  #notice(level: Notice['level'], message: string, error?: Error): void {
    this.#options.onNotice({ level, message, ...(error && { error }) });
  }
}
