// Stores a graph between runs and lets several processes learn one graph. A store contains counters, never ratios, and
// `add` only increments them: additions can come in any order, and none undoes another. Stored data survives a crash at
// any moment, and an addition is stored completely or not at all.
//
// Ageing needs no sweep: with a half-life, the later an access, the more units it adds to a count (forward decay: 2^((t
// - epoch) / halfLife) at time t), and `load` gives counts aged to its `nowMs`.
//
// A store does not check the window (w). Counts learned with different windows do not add up well, so code that opens a
// store should refuse a different window, or warn (`identity`).

import type { ArcDelta, GraphDelta } from '../model/delta/graph-delta.ts';
import type { Salt } from '../model/salt.ts';

/** What a store's counters were learned with: the predictor and the window (w) of accesses that follow each other. */
export interface StoreIdentity {
  predictor: string;
  /** The window (w) of the latest addition: an access may be followed by the next w - 1 of its client. */
  window: number;
}

/** What a process must do before other calls: load the graph, supply all of it, or forget it (`GraphStore.need`). */
export type StoreNeed = 'load' | 'whole' | 'forget' | null;

/** Receives a stored graph in parts, which are imported while the next ones are read. */
export interface GraphParts {
  /** Receives the graph without arcs, before all arcs; is called again if the store begins anew: all parts received
   *  before are then void. */
  begin(graph: Omit<GraphDelta, 'graphs'>, graphs: number): void;
  /** Receives all arcs that leave some URLs in the graph with this number, in the order of `GraphDelta`. */
  arcs(graph: number, arcs: readonly ArcDelta[]): void;
}

export interface GraphStore {
  /** Name for messages, `sqlite:FILE` or `redis://host:port/0`; it never contains a password. */
  readonly name: string;
  /**
   * What the store needs before any other call; up to date after each `add` and `look`. Absent for kinds that never
   * need anything.
   * - `load`: it cannot report what others added. Load everything and replace what is in memory.
   * - `whole`: stored data was lost, and this process must supply everything it knows through `restore`. The last
   *   delta was not stored, because the whole graph includes it.
   * - `forget`: URLs were deleted, and memory may contain them. Drop everything in memory, also what was never added,
   *   and load. The last delta was not stored.
   */
  readonly need?: StoreNeed;
  /** True if other processes write to the store too and `add` returns what they added; call `add` even with an empty
   *  delta. */
  readonly isShared: boolean;
  /** Recommended limit of changed URLs, and of arcs, per addition; absent: no limit. */
  readonly mostAtOnce?: number;
  /** Finds out what the store needs (`need`), without adding anything. @throws PrefetchdError `store-unreadable` */
  look?(): Promise<void>;
  /** Returns with which predictor and window the stored graph was learned; null if the store is empty. @throws
   *  PrefetchdError `store-unreadable` */
  identity(): Promise<StoreIdentity | null>;
  /**
   * Loads everything stored, aged to `nowMs`, and gives it to `parts`. The fingerprints of clients are only those made
   * with the current salt; of clients under earlier salts, each arc has only a number, `seen`.
   * @returns false if the store is empty; the parts, if any, are void then: they were from a file that is damaged
   * @throws PrefetchdError `store-unreadable`, perhaps after some parts
   */
  load(nowMs: number, parts: GraphParts): Promise<boolean>;
  /**
   * Adds a delta to the stored graph. If it throws, the outcome is unknown: pass the same object again before any
   * other, and it counts once.
   * @returns what other processes added since the last call, for stores that report it
   * @throws PrefetchdError `store-unwritable`; `store-mismatch` if another predictor's graph is stored
   */
  add(delta: GraphDelta, nowMs: number): Promise<GraphDelta[]>;
  /**
   * Adds a delta once under a name: if a delta was added under the name before, nothing changes; if only a part of this
   * one was, its rest is added. Running processes learn of it as of other additions, or by `need`. Absent for kinds of
   * stores that end with the process.
   * @returns false if nothing was added
   * @throws PrefetchdError `store-unwritable`, also if a part of another delta was added; `store-mismatch`
   */
  addOnce?(delta: GraphDelta, nowMs: number, name: string): Promise<boolean>;
  /**
   * Returns the current salt, the same for all processes that share the store. If the stored salt is older than
   * `lifeMs` or comes from the future, it is deleted permanently and replaced, and the client fingerprints that were
   * made with it are replaced by their number.
   * @param own a valid salt to store if there is none, as after data loss; it keeps its original expiry
   * @throws PrefetchdError `store-unwritable`
   */
  salt(nowMs: number, lifeMs: number, own?: Salt): Promise<Salt>;
  /**
   * Supplies the whole graph to a store whose `need` is `whole`. If it throws, pass the same graph again.
   * @param news the part that was never added, and so is unknown to other processes
   * @throws PrefetchdError `store-unwritable`
   */
  restore?(whole: GraphDelta, nowMs: number, news: readonly GraphDelta[]): Promise<void>;
  /**
   * Deletes a URL and everything below it (`isForgotten`), with all data about them. Running processes are told by
   * `need`, and learn the URL again from later accesses. Absent for kinds of stores that end with the process.
   * @returns number of URLs deleted
   * @throws PrefetchdError `store-unwritable`
   */
  forget?(url: string): Promise<number>;
  /**
   * Declares that this process serves hints from the store. Absent for kinds of stores that several processes may share
   * without losing what one of them learns.
   * @returns a warning for the operator if another process has the store open too, else null
   * @throws PrefetchdError `store-unwritable`
   */
  beginServing?(): Promise<string | null>;
  /** Closes the store. May be called more than once. */
  close(): Promise<void>;
}

/** Returns whether `forget` removes a URL: `/users/jane` removes `/users/jane`, `/users/jane/photo` and
 *  `/users/jane?page=2`, but not `/users/janet`; `/users/` removes everything below it. */
export function isForgotten(url: string, forgotten: string): boolean {
  if (!url.startsWith(forgotten)) return false;
  if (url.length === forgotten.length || /[/?]$/.test(forgotten)) return true;
  return /[/?]/.test(url.charAt(forgotten.length));
}
