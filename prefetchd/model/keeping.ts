// The learned half of a predictor, in and out as columns (graph-delta.ts): for stores, and for the other nodes
// of a service. Windows and habits are of clients, and are kept nowhere.

import { type ArcColumns, fingerprintsPerArc, type GraphDelta } from '../graph-delta.ts';
import type { Graph } from './graph.ts';
import { Journal } from './journal.ts';
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
}

export interface KeptSize {
  nodes: number;
  arcs: number;
  /** Bytes of typed arrays. */
  bytes: number;
}

export class Keeping {
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

  /** Looks at every arc. */
  size(): KeptSize {
    const { nodes, graphs } = this.#predictor.tables;
    return {
      nodes: nodes.size,
      arcs: graphs.reduce((sum, { arcs }) => sum + arcs.size, 0),
      bytes: graphs.reduce((sum, { arcs }) => sum + arcs.typedBytes, nodes.typedBytes),
    };
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

  /** Nothing came since the last `take`. */
  get isEmpty(): boolean {
    return this.#journal.isEmpty;
  }

  /** What came since the last call. @param era of the salt behind its fingerprints */
  take(era: number): GraphDelta {
    const journal = this.#journal;
    const columns = new Columns(this.#predictor, era);
    for (const [id, count] of journal.accesses()) columns.addNode(id, count);
    this.#predictor.tables.graphs.forEach((_, graph) => {
      for (const [from, to, { count, clients }] of journal.arcs(graph)) {
        columns.addArc(graph, from, to, count, clients, 0);
      }
    });
    journal.clear();
    return columns.delta();
  }

  /** Everything; what `take` would give is in it, and taken. */
  whole(era: number): GraphDelta {
    const { nodes, graphs } = this.#predictor.tables;
    const columns = new Columns(this.#predictor, era);
    for (const id of nodes.ids()) columns.addNode(id, nodes.accesses(id));
    graphs.forEach(({ arcs }, graph) => {
      for (const from of nodes.ids()) {
        for (const [to, count, clients, seen] of arcs.row(from)) {
          columns.addArc(graph, from, to, count, clients, seen);
        }
      }
    });
    this.#journal.clear();
    return columns.delta();
  }

  /** Add what was kept or what another node learned. @param era of the present salt */
  add(delta: GraphDelta, era: number): void {
    this.#additions++;
    const { nodes, graphs } = this.#predictor.tables;
    const { gain } = nodes;
    const births = new Float64Array(delta.urls.length);
    const ids = Int32Array.from(delta.urls, (url, at) => {
      const id = nodes.intern(url, delta.kinds[at] === 1 ? 'object' : 'document');
      nodes.count(id, (delta.accesses[at] as number) * gain);
      births[at] = nodes.born(id);
      return id;
    });
    const isPresent = delta.era === era;
    delta.graphs.forEach((columns, graph) => {
      const { arcs } = graphs[graph] as Graph;
      // From the end: among equals the one that comes last stands first.
      for (let at = columns.from.length - 1; at >= 0; at--) {
        const source = columns.from[at] as number;
        const target = columns.to[at] as number;
        const from = ids[source] as number;
        const to = ids[target] as number;
        // A full table may have let one go for the next.
        if (nodes.born(from) !== births[source] || nodes.born(to) !== births[target]) continue;
        if (from === to || !nodes.mayHint(to)) continue;
        const place = arcs.credit(from, to, (columns.counts[at] as number) * gain, 0);
        const { clients } = arcs.chunk(from);
        let seen = columns.seen[at] as number;
        let prints = 0;
        for (let n = at * fingerprintsPerArc; n < (at + 1) * fingerprintsPerArc; n++) {
          const print = columns.clients[n] as number;
          if (print === 0) continue;
          prints++;
          if (isPresent) clients.add(place, print);
        }
        if (!isPresent) seen = Math.max(seen, prints);
        if (seen > 0) clients.setSeen(place, seen);
      }
    });
  }

  /** Everything learned goes. */
  clear(): void {
    this.#additions++;
    this.#predictor.tables.nodes.clear();
    this.#journal.clear();
  }

  /** The present era is over: of the clients of each arc their number stays. */
  endEra(): void {
    for (const { arcs } of this.#predictor.tables.graphs) arcs.endEra();
  }
}

/** A delta as it grows. */
class Columns {
  readonly #predictor: Keepable;
  readonly #era: number;
  readonly #indexes = new Map<number, number>();
  readonly #urls: string[] = [];
  readonly #kinds: number[] = [];
  readonly #accesses: number[] = [];
  readonly #graphs: Record<keyof ArcColumns, number[]>[];

  constructor(predictor: Keepable, era: number) {
    this.#predictor = predictor;
    this.#era = era;
    this.#graphs = predictor.tables.graphs.map(() => ({
      from: [],
      to: [],
      counts: [],
      clients: [],
      seen: [],
    }));
  }

  addNode(id: number, count: number): void {
    const at = this.#indexOf(id);
    this.#accesses[at] = (this.#accesses[at] as number) + count / this.#predictor.tables.nodes.gain;
  }

  addArc(
    graph: number,
    from: number,
    to: number,
    count: number,
    clients: readonly number[],
    seen: number,
  ): void {
    const columns = this.#graphs[graph] as Record<keyof ArcColumns, number[]>;
    columns.from.push(this.#indexOf(from));
    columns.to.push(this.#indexOf(to));
    columns.counts.push(count / this.#predictor.tables.nodes.gain);
    columns.seen.push(seen);
    for (let at = 0; at < fingerprintsPerArc; at++) columns.clients.push(clients[at] ?? 0);
  }

  delta(): GraphDelta {
    return {
      predictor: this.#predictor.name,
      window: this.#predictor.window,
      era: this.#era,
      urls: this.#urls,
      kinds: Uint8Array.from(this.#kinds),
      accesses: Float64Array.from(this.#accesses),
      graphs: this.#graphs.map(({ from, to, counts, clients, seen }) => ({
        from: Uint32Array.from(from),
        to: Uint32Array.from(to),
        counts: Float64Array.from(counts),
        clients: Uint16Array.from(clients),
        seen: Uint8Array.from(seen),
      })),
    };
  }

  #indexOf(id: number): number {
    const known = this.#indexes.get(id);
    if (known !== undefined) return known;
    const { nodes } = this.#predictor.tables;
    const index = this.#urls.push(nodes.urlOf(id)) - 1;
    this.#indexes.set(id, index);
    this.#kinds.push(nodes.kindOf(id) === 'object' ? 1 : 0);
    this.#accesses.push(0);
    return index;
  }
}
