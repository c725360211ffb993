// The parts of a predictor that stores and other nodes of a service use (graph-export.ts).

import type { Graph } from './graph.ts';
import type { NodeTable } from './nodes.ts';

/** The tables that are exported. */
export interface Tables {
  readonly nodes: NodeTable;
  /** dependency-graph has one graph; double-graph has pages, then objects. */
  readonly graphs: readonly Graph[];
}

/** A predictor whose learned data can be exported. */
export interface Keepable {
  readonly name: string;
  readonly window: number;
  readonly tables: Tables;
  /** Forget all clients, with their windows, because their identities can no longer be resolved. */
  forgetClients(): void;
}
