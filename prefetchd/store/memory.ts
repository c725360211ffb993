// A store as long-lived as its process: for tests, and for a service that need not remember.

import type { DependencyGraph } from '../model/dependency-graph.ts';
import type { GraphArc, GraphNode } from '../model/graph.ts';
import type { GraphStore } from './graph-store.ts';
import { checkSameWindow } from './same-window.ts';

interface Kept {
  window: number;
  nodes: GraphNode[];
  arcs: GraphArc[];
}

export class MemoryStore implements GraphStore {
  #kept: Kept | null = null;

  async window(): Promise<number | null> {
    return this.#kept?.window ?? null;
  }

  async load(graph: DependencyGraph): Promise<void> {
    checkSameWindow(this.#kept?.window ?? null, graph);
    for (const node of this.#kept?.nodes ?? []) graph.graph.addNode(node);
    // The weakest first: among equals the arc that came last stands first.
    for (const arc of this.#kept?.arcs.toReversed() ?? []) graph.graph.addArc(arc);
  }

  async save({ window, graph }: DependencyGraph): Promise<void> {
    this.#kept = { window, nodes: [...graph.nodeList()], arcs: [...graph.arcList()] };
  }

  async close(): Promise<void> {}
}
