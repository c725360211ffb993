// Where a graph is kept between runs, and how several processes learn one graph. A store holds counters,
// never ratios: `add` only ever adds, so the order of additions is nobody's concern, and no addition
// undoes another. What is kept survives the process at any moment; an addition is kept whole or not at all.
//
// Ageing without a sweep: with a half life, counts are kept in units that grow with time (forward
// decay: an access at t is worth 2^((t - epoch) / halfLife)), and come out of `load` aged to its `nowMs`.
//
// A store checks nothing about w: counts learned with another window add up badly, and it is for who
// opens it to refuse or to warn (`identity`).

import type { GraphDelta } from '../model/delta/graph-delta.ts';
import type { Salt } from '../model/salt.ts';

/** What the counters of a store belong to. */
export interface StoreIdentity {
  predictor: string;
  /** w of the last addition. */
  window: number;
}

export interface GraphStore {
  /** `memory`, `sqlite:FILE`, `redis://host:port/0`; never a password. */
  readonly name: string;
  /**
   * What the store needs before anything else; known after each `add` and `look`. Absent: this kind never needs it.
   * `load`: it cannot tell what others added: load everything, in place of what is known.
   * `whole`: what was kept is gone, and this process is the one to give all it knows, by `restore`; the
   * delta that was given last is not kept, being in that.
   */
  readonly need?: 'load' | 'whole' | null;
  /** Others add to it as well, and `add` tells what: worth asking though there is nothing to add. */
  readonly isShared: boolean;
  /** URLs with news, and arcs, that one addition should have at most; absent: any number. */
  readonly mostAtOnce?: number;
  /** Find out what it needs, though there is nothing to add. @throws PrefetchdError `store-unwritable` */
  look?(): Promise<void>;
  /** Null: nothing was added yet. @throws PrefetchdError `store-unreadable` */
  identity(): Promise<StoreIdentity | null>;
  /**
   * Everything that is kept, aged to `nowMs`; null: nothing. Fingerprints only of the present era, those
   * of earlier ones are counted in `seen`.
   * @throws PrefetchdError `store-unreadable`
   */
  load(nowMs: number): Promise<GraphDelta | null>;
  /**
   * Add to what is kept. When it throws, whether it was added is not known: give the same object again before
   * any other, and it counts once.
   * @returns what other processes added since the last call, for those stores that tell
   * @throws PrefetchdError `store-unwritable`; `store-mismatch` when another predictor's graph is kept
   */
  add(delta: GraphDelta, nowMs: number): Promise<GraphDelta[]>;
  /**
   * The salt of now, the same for all who share the store. A new one is made and the old one gone for
   * good when it is older than `lifeMs`, or comes from the future.
   * @param own which is not over, and is kept where there is none, as in a store that lost everything: for the
   * rest of its life, as if it had been there all the time
   * @throws PrefetchdError `store-unwritable`
   */
  salt(nowMs: number, lifeMs: number, own?: Salt): Promise<Salt>;
  /**
   * What is over goes now: a salt, with none in its place, and fingerprints of ended eras. For who opens a store
   * without a salt of his own; where one is asked for (`salt`), the store does it by itself, bit by bit. Absent:
   * nothing stays for longer.
   * @throws PrefetchdError `store-unwritable`
   */
  expire?(nowMs: number, saltLifeMs: number): Promise<void>;
  /**
   * Give everything to a store that needs the `whole`; when it throws, give the same again.
   * @param news what of it was never added: the others have not heard of it
   * @throws PrefetchdError `store-unwritable`
   */
  restore?(whole: GraphDelta, nowMs: number, news: readonly GraphDelta[]): Promise<void>;
  /**
   * Take a URL out, and all below it (forgotten.ts), with all that is known of them. Processes that learn have it in
   * memory still, and may add it again. Absent: nothing is kept for longer than the process.
   * @returns how many URLs went
   * @throws PrefetchdError `store-unwritable`
   */
  forget?(url: string): Promise<number>;
  /** Once is enough, twice does no harm. */
  close(): Promise<void>;
}
