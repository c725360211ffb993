// Synchronises the graph in memory with its store: loads it, writes what was learned each second, imports what other
// processes learned, and renews the salt. The store may fail at any time; what was learned then accumulates here and is
// written when the store recovers. Only `flush` and `close` wait for the store.
//
// Stores that need it get small pieces (`mostAtOnce`), because exporting a second's changes at once would delay
// requests. The next piece is taken once the store has accepted the previous one; meanwhile, changes add up in the
// bounded journal.
//
// Invariant: a delta taken from the model is passed to the store, always the same object, until the store has
// accepted it, before anything newer. Nothing of it is lost and nothing counts twice; what the model evicts before it
// is taken is not stored.

import type { Logger } from '../../options/logger.ts';
import type { GraphDelta } from '../model/delta/graph-delta.ts';
import type { GraphExport } from '../model/graph-export.ts';
import { isOver, type Salt } from '../model/salt.ts';
import type { GraphStore } from '../store/graph-store.ts';

export interface StoreHealth {
  /** Name of the store; null: the graph is not stored. */
  name: string | null;
  /** True if the last store operation succeeded. */
  isHealthy: boolean;
  flushes: number;
  failures: number;
  lastFlushMs: number | null;
  lastError: string | null;
}

export interface GraphSyncOptions {
  store: GraphStore | null;
  kept: GraphExport;
  flushIntervalMs: number;
  fingerprintLifeMs: number;
  closeTimeoutMs: number;
  newSalt: (nowMs: number) => Salt;
  now: () => number;
  log: Logger;
  /** Called after URLs that were deleted from the store have been deleted from the graph in memory, too. */
  onForgotten: () => void;
  /** Called with the salt with which fingerprints of clients are to be made from now on. */
  onSalt: (salt: Salt) => void;
  /** Called about each second for periodic work, whatever the state of the store. */
  onTick: (nowMs: number) => void;
}

export class GraphSync {
  readonly #options: GraphSyncOptions;
  readonly #health: StoreHealth;
  #salt: Salt;
  #isSaltShared = false;
  #isLoaded = false;
  /** True while the stored graph is being loaded in parts, and the model already has some of them. */
  #isPartlyLoaded = false;
  /** Deltas taken from the model that the store has not accepted yet. */
  #unsent: GraphDelta[] = [];
  /** The whole graph, for a store that lost its data and has not accepted the graph yet; null: the store does not need
   *  it. The first `news` deltas of `#unsent` are part of this graph. */
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

  /** The salt in use: one made by this process, until the store supplies one. */
  get salt(): Salt {
    return this.#salt;
  }

  /** Loads the stored graph and starts to synchronise with it regularly. Resolves after the first attempt to load. */
  async start(): Promise<void> {
    await this.#once().catch(() => {}); // the error has been logged
    this.#schedule();
  }

  health(): StoreHealth {
    return { ...this.#health };
  }

  /** Does what is due about each second and needs no store, such as renewing salts. @returns the current time, ms since
   *  the epoch */
  tick(): number {
    const { now, fingerprintLifeMs, newSalt, onTick } = this.#options;
    const nowMs = now();
    onTick(nowMs);
    if (isOver(this.#salt, nowMs, fingerprintLifeMs)) this.#newEra(newSalt(nowMs), false);
    return nowMs;
  }

  /** Writes all that was learned so far. @throws PrefetchdError of the store */
  async flush(): Promise<void> {
    // A synchronisation that runs now may have begun before the last access was learned, so another one follows it.
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
      .catch(() => {}) // the error has been logged
      .then(() => {
        isFlushed = true;
        return closeStore();
      });
    if ((await Promise.race([closed, deadline])) === 'late') {
      const what = isFlushed ? 'close' : 'take the last flush';
      this.#options.log.error({}, `${store.name} did not ${what} in ${closeTimeoutMs} ms`);
      if (!isFlushed) void closeStore();
    }
    clearTimeout(timer);
  }

  #schedule(): void {
    if (this.#closing) return;
    this.#timer = setTimeout(async () => {
      await this.#once().catch(() => {}); // the error has been logged
      this.#schedule();
    }, this.#options.flushIntervalMs);
    this.#timer.unref();
  }

  /** Synchronises with the store once, or waits for the synchronisation that runs already. Rejects if it fails. */
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
    const { store, fingerprintLifeMs } = this.#options;
    const nowMs = this.tick();
    if (store === null) return;
    // All processes use the salt of the shared store; a store without one takes that of the first process to ask.
    if (!this.#isSaltShared || store.isShared) {
      this.#newEra(await store.salt(nowMs, fingerprintLifeMs, this.#salt), true);
    }
    if (!this.#isLoaded) await this.#load(store, nowMs);
    await store.look?.();
    const isWholeWaiting = this.#whole !== null || store.need === 'whole';
    if (!isWholeWaiting) await this.#send(store, nowMs);
    await this.#helpStore(store, nowMs);
    if (isWholeWaiting) await this.#send(store, nowMs); // what was learned meanwhile is sent, too
    this.#succeeded(nowMs);
  }

  async #load(store: GraphStore, nowMs: number): Promise<void> {
    const { kept, log } = this.#options;
    try {
      await this.#import(store, nowMs, ({ predictor, window }) => {
        if (predictor !== kept.name) return false;
        if (this.#isPartlyLoaded) this.#dropLoaded();
        this.#isPartlyLoaded = true;
        if (window !== kept.window) {
          log.warn(
            {},
            `${store.name} was learned with w ${window}; from now on w is ${kept.window}, and weights mix both until the old ones have aged`,
          );
        }
        return true;
      });
    } catch (error) {
      if (this.#isPartlyLoaded) this.#dropLoaded();
      throw error;
    } finally {
      this.#isPartlyLoaded = false;
    }
    this.#isLoaded = true;
  }

  /**
   * Imports the stored graph part by part, so that requests can be served in between.
   * @param begin Called before the first part; false: the graph is not imported
   * @returns false if the store is empty
   */
  async #import(
    store: GraphStore,
    nowMs: number,
    begin: (graph: Omit<GraphDelta, 'graphs'>) => boolean,
  ): Promise<boolean> {
    const { kept } = this.#options;
    const { era } = this.#salt;
    let addArcs = null as ReturnType<GraphExport['begin']> | null;
    const isThere = await store.load(nowMs, {
      begin(graph) {
        addArcs = begin(graph) ? kept.begin(graph, era) : null;
      },
      arcs: (graph, arcs) => addArcs?.(graph, arcs),
    });
    // The parts came from a file that turned out to be damaged; as the store is empty now, they are dropped.
    if (!isThere && addArcs !== null) this.#dropLoaded();
    return isThere;
  }

  /** Removes from the model the graph that came from the store, but keeps what this process learned meanwhile. */
  #dropLoaded(): void {
    const { kept } = this.#options;
    this.#keepUnsent();
    kept.clear();
    for (const delta of this.#unsent) kept.add(delta, this.#salt.era);
  }

  async #send(store: GraphStore, nowMs: number): Promise<void> {
    const { kept } = this.#options;
    const isAsked = this.#unsent.length > 0;
    // Deltas that the store has not accepted yet must arrive unchanged, and before anything newer.
    if (isAsked && !(await this.#sendUnsent(store, nowMs))) return;
    if (kept.waiting === 0 && store.isShared && !isAsked) {
      this.#unsent.push(kept.drain(this.#salt.era));
      await this.#sendUnsent(store, nowMs);
    }
    // Only the changes that wait now are sent; those that come meanwhile are sent by the next synchronisation.
    let due = kept.waiting;
    // The changes of a URL that is evicted meanwhile no longer wait, so `kept.waiting` may be 0 before `due` is.
    while (due > 0 && kept.waiting > 0) {
      const before = kept.waiting;
      // While the engine closes, there are no requests that a long export could delay, and large pieces are faster.
      const most = (store.mostAtOnce ?? Number.POSITIVE_INFINITY) * (this.#closing ? 16 : 1);
      this.#unsent.push(kept.drain(this.#salt.era, most));
      due -= before - kept.waiting;
      if (!(await this.#sendUnsent(store, nowMs))) return;
    }
  }

  /** Passes the unsent deltas to the store, and learns those of other processes that it returns. @returns false if the
   *  store refused a delta, because it lost its data or URLs were deleted from it */
  async #sendUnsent(store: GraphStore, nowMs: number): Promise<boolean> {
    const { kept } = this.#options;
    for (let delta = this.#unsent[0]; delta !== undefined; delta = this.#unsent[0]) {
      const others = await store.add(delta, nowMs);
      if (store.need === 'whole' || store.need === 'forget') return false;
      this.#unsent.shift();
      for (const other of others) kept.add(other, this.#salt.era);
    }
    return true;
  }

  async #helpStore(store: GraphStore, nowMs: number): Promise<void> {
    const { kept } = this.#options;
    const { era } = this.#salt;
    if (store.need === 'forget') await this.#forget(store, nowMs);
    if (store.need === 'load') {
      // If the store is empty, the graph in memory is the better one, and stays.
      await this.#import(store, nowMs, () => {
        this.#dropLoaded();
        return true;
      });
    }
    if (store.need === 'whole' && store.restore !== undefined) {
      if (this.#whole === null) {
        this.#keepUnsent();
        this.#whole = { delta: kept.whole(era), news: this.#unsent.length };
      }
      const { delta, news } = this.#whole;
      await store.restore(delta, nowMs, this.#unsent.slice(0, news));
      // If the salt changed while the store took `delta`, newer deltas were appended to `#unsent`, and stay there.
      this.#unsent.splice(0, news);
      const { fingerprintLifeMs } = this.#options;
      this.#newEra(await store.salt(nowMs, fingerprintLifeMs, this.#salt), true);
    }
    this.#whole = null;
  }

  /** Replaces the graph by the stored one, because the graph in memory, and what was learned since the last flush,
   *  still have the deleted URLs. */
  async #forget(store: GraphStore, nowMs: number): Promise<void> {
    const { kept, onForgotten } = this.#options;
    const drop = () => {
      this.#unsent = [];
      kept.clear();
      return true;
    };
    if (!(await this.#import(store, nowMs, drop))) drop();
    onForgotten();
    this.#options.log.info({}, `URLs were deleted from ${store.name}; they are forgotten here too`);
  }

  #keepUnsent(): void {
    const { kept, store } = this.#options;
    while (kept.waiting > 0) this.#unsent.push(kept.drain(this.#salt.era, store?.mostAtOnce));
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
    if (!this.#health.isHealthy) this.#options.log.info({}, `${store?.name} works again`);
    this.#health.isHealthy = true;
    this.#health.lastError = null;
  }

  /** Counts a failure of the store, and logs it only if the store worked until now. */
  #failed(cause: Error): void {
    this.#health.failures++;
    if (this.#health.isHealthy) {
      this.#options.log.error({ err: cause }, `${cause.message}; hints continue from memory`);
    }
    this.#health.isHealthy = false;
    this.#health.lastError = cause.message;
  }
}
