// The dependency graph (Padmanabhan 1995, 7.2): a node for every URL, and an arc from A to B when B
// was asked for within a window after A by the same client. The weight of an arc is the number of
// accesses to A that B followed, divided by the accesses to A: at most 1 (8).
//
// It is two tables, NodeTable and ArcTable, and what can be said of both. It stores counters, never
// ratios, so graphs add up: what `nodeList()` and `arcList()` of one yield can be given to `addNode` and
// `addArc` of another, or of several into one.

import type { AccessKind } from '../access.ts';
import { ArcTable } from './arcs.ts';
import type { CandidateList } from './candidates.ts';
import { fingerprint } from './client-sets.ts';
import { NodeTable } from './nodes.ts';
import type { ModelOptions } from './options.ts';

export interface GraphNode {
  url: string;
  kind: AccessKind;
  /** Accesses, aged to now. */
  accesses: number;
}

export interface GraphArc {
  from: string;
  to: string;
  /** Accesses to `from` that `to` followed, aged to now. */
  count: number;
  /** Fingerprints of up to six clients (client-sets.ts); adds up by union. */
  clients: number[];
}

export class Graph {
  readonly nodes: NodeTable;
  readonly arcs: ArcTable;
  readonly #minClients: number;

  /** `nodes`: a table to share with another graph; absent: its own. */
  constructor(options: ModelOptions, nodes = new NodeTable(options)) {
    this.nodes = nodes;
    this.arcs = new ArcTable({ maxArcs: options.maxArcs, maxArcsPerRow: options.maxArcsPerNode });
    this.#minClients = options.minClients;
    nodes.join(this.arcs);
  }

  /** An occurrence of `from`, which counted `gain`, is now followed by `to`. */
  follow(from: number, to: number, gain: number, clientHash: number): void {
    if (!this.nodes.mayHint(to)) return;
    this.arcs.credit(from, to, gain, this.nodes.sequence, fingerprint(clientHash));
  }

  /** Append the arcs that leave a node and are heavier than `above`, best first, the first `most`. */
  candidates(from: number, list: CandidateList, above = 0, most = 2 ** 16): void {
    if (from < 0) return;
    const { arcs } = this;
    const accesses = this.nodes.counts[from] as number;
    const start = arcs.start(from);
    const end = start + Math.min(most, arcs.length(from));
    for (let at = start; at < end; at++) {
      const weight = (arcs.counts[at] as number) / accesses;
      if (!(weight > above)) break;
      if (this.isPublic(at)) list.add(arcs.to[at] as number, weight, arcs.lasts[at] as number);
    }
  }

  /** Enough distinct clients went along the arc at this index. */
  isPublic(at: number): boolean {
    return this.#minClients === 1 || this.arcs.clients.hasAtLeast(at, this.#minClients);
  }

  /** 0 when there is no arc. */
  weight(from: string, to: string): number {
    const source = this.nodes.idOf(from);
    const target = this.nodes.idOf(to);
    const at = source < 0 || target < 0 ? -1 : this.arcs.find(source, target);
    if (at < 0) return 0;
    return Math.min(1, (this.arcs.counts[at] as number) / (this.nodes.counts[source] as number));
  }

  *nodeList(): IterableIterator<GraphNode> {
    const { nodes } = this;
    for (const id of nodes.ids()) {
      const accesses = (nodes.counts[id] as number) / nodes.gain;
      yield { url: nodes.urlOf(id), kind: nodes.kindOf(id), accesses };
    }
  }

  *arcList(): IterableIterator<GraphArc> {
    const { nodes, arcs } = this;
    for (const id of nodes.ids()) {
      const from = nodes.urlOf(id);
      const end = arcs.start(id) + arcs.length(id);
      for (let at = arcs.start(id); at < end; at++) {
        const to = nodes.urlOf(arcs.to[at] as number);
        const count = (arcs.counts[at] as number) / nodes.gain;
        yield { from, to, count, clients: arcs.clients.list(at) };
      }
    }
  }

  /** Add accesses to a node, which is made if need be. */
  addNode({ url, kind, accesses }: GraphNode): void {
    const { nodes } = this;
    const id = nodes.intern(url, kind);
    nodes.counts[id] = (nodes.counts[id] as number) + accesses * nodes.gain;
  }

  /** Add to an arc; nothing happens when one of its nodes is not known. */
  addArc({ from, to, count, clients }: GraphArc): void {
    const { nodes } = this;
    const source = nodes.idOf(from);
    const target = nodes.idOf(to);
    if (source < 0 || target < 0 || source === target || !nodes.mayHint(target)) return;
    const at = this.arcs.credit(source, target, count * nodes.gain, nodes.sequence, 0);
    for (const client of clients) this.arcs.clients.add(at, client);
  }

  /** Bytes of all typed arrays. */
  get typedBytes(): number {
    return this.nodes.typedBytes + this.arcs.typedBytes;
  }
}
