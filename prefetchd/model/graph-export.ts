// The learned half of a predictor, in and out as columns (graph-delta.ts): for stores, and for the other nodes
// of a service. Windows and habits are of clients, and are kept nowhere.

import { DeltaColumns } from './delta/delta-columns.ts';
import type { GraphDelta } from './delta/graph-delta.ts';
import { Journal } from './delta/journal.ts';
import { addDelta } from './delta-intake.ts';
import type { Keepable } from './graph/graph-tables.ts';

export interface KeptSize {
  nodes: number;
  arcs: number;
  /** Bytes of typed arrays. */
  bytes: number;
}

export class GraphExport {
  readonly #predictor: Keepable;
  readonly #journal: Journal;
  #additions = 0;

  /** @param maxArcs as the predictor's own */
  constructor(predictor: Keepable, maxArcs: number) {
    this.#predictor = predictor;
    const { nodes, graphs } = predictor.tables;
    this.#journal = new Journal(nodes, graphs.length, maxArcs);
  }

  /** From now on what the predictor learns is noted, for `take`. */
  note(): void {
    const { nodes, graphs } = this.#predictor.tables;
    nodes.join(this.#journal);
    nodes.journal = this.#journal;
    for (const graph of graphs)
      graph.journal = { journal: this.#journal, graph: graphs.indexOf(graph) };
  }

  get name(): string {
    return this.#predictor.name;
  }

  get window(): number {
    return this.#predictor.window;
  }

  size(): KeptSize {
    const { nodes, graphs } = this.#predictor.tables;
    return {
      nodes: nodes.size,
      arcs: graphs.reduce((sum, { arcs }) => sum + arcs.size, 0),
      bytes: graphs.reduce((sum, { arcs }) => sum + arcs.typedBytes, nodes.typedBytes),
    };
  }

  /** Below 0: the URL is not known. */
  idOf(url: string): number {
    return this.#predictor.tables.nodes.idOf(url);
  }

  /** Another number whenever something was learned, or came from a store. */
  get revision(): number {
    return this.#predictor.tables.nodes.sequence + this.#additions;
  }

  /** Documents by how often they were asked for, at most so many; by URL, so that equal graphs list them alike. */
  topDocuments(most: number): string[] {
    const { nodes } = this.#predictor.tables;
    const ids = [...nodes.ids()].filter((id) => nodes.kindOf(id) === 'document');
    const counts = Float64Array.from(ids, (id) => nodes.accesses(id)).sort();
    const least = counts[counts.length - most] ?? 0;
    const strongest = ids.filter((id) => nodes.accesses(id) > least);
    for (const id of ids) {
      if (strongest.length >= most) break;
      if (nodes.accesses(id) === least) strongest.push(id);
    }
    return (ids.length <= most ? ids : strongest).map((id) => nodes.urlOf(id)).sort();
  }

  /** URLs that something came of and `take` did not give yet. */
  get waiting(): number {
    return this.#journal.waiting;
  }

  /**
   * What came since the last call, or what waits longest of it.
   * @param era of the salt behind its fingerprints
   * @param most URLs that something came of, and arcs, at most so many of each
   */
  take(era: number, most = Number.POSITIVE_INFINITY): GraphDelta {
    const columns = new DeltaColumns(this.#predictor, era);
    this.#journal.take(columns, most);
    return columns.delta();
  }

  /** Everything; what `take` would give is in it, and taken. */
  whole(era: number): GraphDelta {
    const { nodes, graphs } = this.#predictor.tables;
    const columns = new DeltaColumns(this.#predictor, era);
    for (const id of nodes.ids()) columns.addNode(id, nodes.accesses(id));
    graphs.forEach(({ arcs }, graph) => {
      for (const from of nodes.ids()) {
        for (const [to, count, clients, seen] of arcs.row(from)) {
          columns.addArc(graph, from, to, count, clients, 0, seen);
        }
      }
    });
    this.#journal.clear();
    return columns.delta();
  }

  /** Add what was kept or what another node learned. @param era of the present salt */
  add(delta: GraphDelta, era: number): void {
    this.#additions++;
    addDelta(this.#predictor.tables, delta, era);
  }

  /** Everything learned goes. */
  clear(): void {
    this.#additions++;
    this.#predictor.tables.nodes.clear();
    this.#journal.clear();
  }

  /** The present era is over: of the clients of each arc their number stays, of the others nothing. */
  endEra(): void {
    for (const { arcs } of this.#predictor.tables.graphs) arcs.endEra();
    this.#predictor.forgetClients();
  }
}
