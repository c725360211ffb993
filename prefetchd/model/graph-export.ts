// Exports and imports the learned data of a predictor (graph-delta.ts), for stores and for the other processes of a
// service. Client windows are never exported.

import { DeltaBuilder } from './delta/delta-builder.ts';
import { type ArcDelta, type GraphDelta, mergedSeen, neverNext } from './delta/graph-delta.ts';
import { Journal } from './delta/journal.ts';
import { addClients, endEra } from './graph/client-sets.ts';
import type { Arc } from './graph/node.ts';
import type { NodePredictor } from './predictors/node-predictor.ts';

export interface KeptSize {
  nodes: number;
  arcs: number;
}

export class GraphExport {
  /** Number of accesses in the window (w) at creation, which stores record; a change at run time is not recorded. */
  readonly window: number;
  readonly #predictor: NodePredictor;
  readonly #journal: Journal;
  #additions = 0;

  constructor(predictor: NodePredictor) {
    this.#predictor = predictor;
    this.window = predictor.window;
    this.#journal = new Journal(predictor.tables);
  }

  /** Starts to record what the predictor learns, for `drain`. */
  note(): void {
    this.#journal.start();
  }

  get name(): string {
    return this.#predictor.name;
  }

  size(): KeptSize {
    const { nodes, graphs } = this.#predictor.tables;
    return { nodes: nodes.size, arcs: graphs.reduce((sum, { size }) => sum + size, 0) };
  }

  urls(): string[] {
    return this.#predictor.tables.nodes.all.map(({ url }) => url);
  }

  has(url: string): boolean {
    return this.#predictor.tables.nodes.find(url) !== undefined;
  }

  /** A number that changes whenever the predictor learns or imports something. */
  get revision(): number {
    return this.#predictor.tables.nodes.sequence + this.#additions;
  }

  /** Returns the most requested documents, at most `most`, in the order of their URLs. */
  topDocuments(most: number): string[] {
    const documents = this.#predictor.tables.nodes.all.filter(({ kind }) => kind === 'document');
    const strongest = documents.sort((one, other) => other.accesses - one.accesses).slice(0, most);
    return strongest.map(({ url }) => url).sort();
  }

  /** Number of URLs with recorded changes that `drain` has not returned yet. */
  get waiting(): number {
    return this.#journal.waiting;
  }

  /**
   * Returns what was learned since the last call; with `most`, only the changes that have waited longest.
   * @param era number of the salt that made the fingerprints of clients (salt.ts)
   * @param most limit on the URLs with changes, and on the arcs
   */
  drain(era: number, most = Number.POSITIVE_INFINITY): GraphDelta {
    const delta = this.#empty(era);
    this.#journal.drainInto(delta, most);
    return delta.delta();
  }

  /** Returns everything learned; what `drain` would have returned counts as returned, too. */
  whole(era: number): GraphDelta {
    const { nodes, graphs } = this.#predictor.tables;
    const { gain } = nodes;
    const delta = this.#empty(era);
    for (const node of nodes.all) delta.count(delta.node(node), node.accesses / gain);
    for (const graph of graphs) {
      for (const node of nodes.all) {
        for (const arc of strongestFirst(graph.allFrom(node))) {
          const { to, count, prints: clients, seen } = arc;
          const row = { count: count / gain, clients, seen };
          delta.arc(graph.number, delta.node(node), delta.node(to), row);
        }
      }
    }
    this.#journal.clear();
    return delta.delta();
  }

  /** Imports a stored graph, or a delta from another process. @param era number of the present salt (salt.ts) */
  add(delta: GraphDelta, era: number): void {
    const addArcs = this.begin(delta, era);
    for (const [number, arcs] of delta.graphs.entries()) addArcs(number, arcs);
  }

  /**
   * Imports the URLs of a graph. @param era number of the present salt (salt.ts)
   * @returns a function that imports arcs between them; it gets all arcs of a URL in a graph at once
   */
  begin(
    { urls, era: madeIn }: Pick<GraphDelta, 'urls' | 'era'>,
    era: number,
  ): (graph: number, arcs: readonly ArcDelta[]) => void {
    this.#additions++;
    const { nodes, graphs } = this.#predictor.tables;
    const added = urls.map(({ url, kind, accesses }) => {
      const node = nodes.intern(url, kind === 1 ? 'object' : 'document');
      if (kind === 2) node.isShortLived = true;
      node.accesses += accesses * nodes.gain;
      return node;
    });
    return (number, arcs) => {
      this.#additions++;
      const graph = graphs[number];
      if (graph === undefined) return;
      // Arcs are added from last to first, because among equal arcs the one added last comes first.
      for (let at = arcs.length - 1; at >= 0; at--) {
        const { from, to, count, clients, seen } = arcs[at] as ArcDelta;
        const [source, target] = [added[from], added[to]];
        // A URL may be gone already, because a full table evicts URLs to make room for later ones.
        if (!source || !target || source.isGone || target.isGone) continue;
        const arc = graph.credit(source, target, count * nodes.gain, 0, seen);
        if (madeIn === era) addClients(arc, clients);
        else arc.seen = mergedSeen(arc.seen, neverNext + clients.length);
      }
    };
  }

  clear(): void {
    this.#additions++;
    this.#predictor.tables.nodes.clear();
    this.#journal.clear();
  }

  /** Prepares for another salt: each arc keeps the number of its clients; everything else about clients is dropped. */
  endEra(): void {
    for (const { arcs } of this.#predictor.tables.graphs) for (const arc of arcs) endEra(arc);
    this.#predictor.forgetClients();
  }

  #empty(era: number): DeltaBuilder {
    const { name: predictor, window } = this;
    return new DeltaBuilder({ predictor, window, era }, this.#predictor.tables.graphs.length);
  }
}

/** Returns the arcs to URLs that are not evicted, the strongest first, and of equally strong ones the latest. */
function strongestFirst(arcs: readonly Arc[]): Arc[] {
  return arcs
    .filter(({ to }) => !to.isGone)
    .sort((one, other) => other.count - one.count || other.last - one.last);
}
