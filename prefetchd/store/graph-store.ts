// Where a graph is kept between runs. A store holds counters, never ratios, and always the whole of one
// graph: `save` replaces what is there in one transaction, so a reader sees the state before or after.
// Adding up is load, learn, save; a save after somebody else's is refused, so nothing is lost in silence.
//
// Counts of different windows cannot be added up: a store keeps its w and refuses graphs of another.

import type { DependencyGraph } from '../model/dependency-graph.ts';

export interface GraphStore {
  /** w of the graph that is kept; null: nothing is kept yet. @throws PrefetchdError `store-unreadable` */
  window(): Promise<number | null>;
  /**
   * Add what is kept to a graph; when this throws, the graph may hold a part of it.
   * @throws PrefetchdError `store-unreadable`, `invalid-option` when the graph's window is another
   */
  load(graph: DependencyGraph): Promise<void>;
  /**
   * Keep this graph in place of what was kept.
   * @throws PrefetchdError `store-unwritable`, `store-changed` when it was saved to by another since
   * `load`, or since it was opened; what was kept is kept
   */
  save(graph: DependencyGraph): Promise<void>;
  /** Once is enough, twice does no harm. */
  close(): Promise<void>;
}
