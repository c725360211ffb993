// Exports and imports the learned data of a predictor as columns (graph-delta.ts), for stores and for the other nodes
// of a service. Client windows and habits are never exported.

import { DeltaColumns } from './delta/delta-columns.ts';
import type { GraphDelta } from './delta/graph-delta.ts';
import { Journal } from './delta/journal.ts';
import { addDelta } from './delta-intake.ts';
import type { Keepable } from './graph/graph-tables.ts';

export interface KeptSize {
  nodes: number;
  arcs: number;
  bytes: number;
}

export class GraphExport {
  /** w of the settings; a change at run time ends with the process, so stores do not get it. */
  readonly window: number;
  readonly #predictor: Keepable;
  readonly #journal: Journal;
  #additions = 0;

  /** @param maxArcs the predictor's own limit */
  constructor(predictor: Keepable, maxArcs: number) {
    this.#predictor = predictor;
    this.window = predictor.window;
    const { nodes, graphs } = predictor.tables;
    this.#journal = new Journal(nodes, graphs.length, maxArcs);
  }

  /** Start recording what the predictor learns, for `take`. */
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

  size(): KeptSize {
    const { nodes, graphs } = this.#predictor.tables;
    return {
      nodes: nodes.size,
      arcs: graphs.reduce((sum, { arcs }) => sum + arcs.size, 0),
      bytes: graphs.reduce((sum, { arcs }) => sum + arcs.typedBytes, nodes.typedBytes),
    };
  }

  /** All known URLs. */
  *urls(): IterableIterator<string> {
    const { nodes } = this.#predictor.tables;
    for (const id of nodes.ids()) yield nodes.urlOf(id);
  }

  /** The id of a URL; negative if unknown. */
  idOf(url: string): number {
    return this.#predictor.tables.nodes.idOf(url);
  }

  /** Changes whenever something is learned or imported. */
  get revision(): number {
    return this.#predictor.tables.nodes.sequence + this.#additions;
  }

  /** The most requested documents, at most `most`; ties by URL, so equal graphs give equal lists. */
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

  /** URLs with changes that `take` has not returned yet. */
  get waiting(): number {
    return this.#journal.waiting;
  }

  /**
   * What was learned since the last call; with `most`, the part that has waited longest.
   * @param era era of the salt behind the fingerprints
   * @param most most URLs with changes, and most arcs
   */
  take(era: number, most = Number.POSITIVE_INFINITY): GraphDelta {
    const columns = this.#columns(era);
    this.#journal.take(columns, most);
    return columns.delta();
  }

  /** Everything learned, including what `take` would return. It counts as taken. */
  whole(era: number): GraphDelta {
    const { nodes, graphs } = this.#predictor.tables;
    const columns = this.#columns(era);
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

  /** Import a stored delta or one from another node. @param era era of the present salt */
  add(delta: GraphDelta, era: number): void {
    this.#additions++;
    addDelta(this.#predictor.tables, delta, era);
  }

  /** Forget everything learned. */
  clear(): void {
    this.#additions++;
    this.#predictor.tables.nodes.clear();
    this.#journal.clear();
  }

  /** End the present era: each arc keeps the number of its clients, and everything else about clients is dropped. */
  endEra(): void {
    for (const { arcs } of this.#predictor.tables.graphs) arcs.endEra();
    this.#predictor.forgetClients();
  }

  #columns(era: number): DeltaColumns {
    const { name, window } = this;
    return new DeltaColumns({ name, window, tables: this.#predictor.tables }, era);
  }
}
