// What stores and other nodes of a service see of a predictor (graph-export.ts).

import type { Graph } from './graph.ts';
import type { NodeTable } from './nodes.ts';

/** What of a predictor is kept. */
export interface Tables {
  readonly nodes: NodeTable;
  /** dependency-graph, markov, client-blend: one, of everybody; double-graph: pages, then objects. */
  readonly graphs: readonly Graph[];
}

/** A predictor that can be kept. */
export interface Keepable {
  readonly name: string;
  readonly window: number;
  readonly tables: Tables;
  /** All clients go, with their windows and habits: who they are cannot be told any more. */
  forgetClients(): void;
}
