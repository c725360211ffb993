// Keeps what a predictor learned since the last `drainInto`, for stores and other processes of a service: counts to
// add, per node and per arc. They are kept with the nodes and arcs themselves, so the caps of the tables limit what
// waits, and what is evicted is not stored.
//
// Nodes with changes wait in a queue, each at most once. Each call to `drainInto` removes up to `most` from the head,
// with the arcs that leave them.

import { addClient, mergedSeen, nobody } from '../graph/client-sets.ts';
import type { Graph, Tables } from '../graph/graph.ts';
import type { Arc, ArcNews, Node } from '../graph/node.ts';
import type { NodeListener } from '../graph/nodes.ts';
import type { DeltaBuilder } from './delta-builder.ts';

export class Journal implements NodeListener {
  readonly #tables: Tables;
  readonly #queue = new Set<Node>();

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  start(): void {
    this.#tables.nodes.join(this);
  }

  accessed(node: Node, amount: number): void {
    this.#queue.add(node);
    node.newAccesses += amount;
  }

  credited(arc: Arc, amount: number, print: number, seen: number): void {
    this.#queue.add(arc.from);
    arc.news ??= { count: 0, prints: nobody, seen };
    arc.news.count += amount;
    arc.news.seen = mergedSeen(arc.news.seen, seen);
    if (print !== 0) addClient(arc.news, print);
  }

  /** Number of nodes with changes that `drainInto` has not taken yet. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Moves recorded changes of the graph to a delta, to be stored: at most those of `most` nodes and `most` arcs. */
  drainInto(delta: DeltaBuilder, most: number): void {
    const { graphs } = this.#tables;
    const { gain } = this.#tables.nodes;
    let [nodes, arcs] = [0, 0];
    for (const node of this.#queue) {
      if (nodes++ >= most) return;
      if (node.newAccesses > 0) delta.count(delta.node(node), node.newAccesses / gain);
      node.newAccesses = 0;
      for (const graph of graphs) {
        for (const arc of latestNews(graph, node)) {
          // The node stays at the head of the queue until the changes of all its arcs have been moved.
          if (arcs++ >= most) return;
          const { count, prints: clients, seen } = arc.news;
          const news = { count: count / gain, clients, seen };
          delta.arc(graph.number, delta.node(node), delta.node(arc.to), news);
          (arc as Arc).news = null;
        }
      }
      this.#queue.delete(node);
    }
  }

  forget(node: Node): void {
    this.#queue.delete(node);
  }

  clear(): void {
    for (const node of this.#queue) {
      node.newAccesses = 0;
      for (const graph of this.#tables.graphs) {
        for (const arc of graph.allFrom(node)) arc.news = null;
      }
    }
    this.#queue.clear();
  }
}

/** Returns the arcs from a node that have recorded changes (`news`), the one counted latest first. */
function latestNews(graph: Graph, node: Node) {
  return graph
    .allFrom(node)
    .filter((arc): arc is Arc & { news: ArcNews } => arc.news !== null && !arc.to.isGone)
    .sort((one, other) => other.last - one.last);
}
