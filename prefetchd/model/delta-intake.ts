// Adds a delta (graph-delta.ts) to a predictor: a stored graph, or what another node learned.
//
// Most deltas that are loaded consist of whole rows for URLs that have no row yet, already in row order. Such a row
// is written in one step; everything else is added arc by arc.

import {
  type ArcColumns,
  fingerprintsPerArc,
  type GraphDelta,
  neverNext,
} from './delta/graph-delta.ts';
import type { ArcTable } from './graph/arcs.ts';
import type { Tables } from './graph/graph-tables.ts';
import type { NodeTable } from './graph/nodes.ts';
import type { ClientSets } from './tables/client-sets.ts';

/** @param era era of the present salt */
export function addDelta({ nodes, graphs }: Tables, delta: GraphDelta, era: number): void {
  const ids = new Ids(nodes, delta);
  delta.graphs.forEach((columns, graph) => {
    const { arcs } = graphs[graph] as Tables['graphs'][number];
    const intake = new Intake(arcs, ids, columns, delta.era === era);
    // Rows are added backwards, because among equal arcs the one added last comes first.
    for (let end = columns.from.length; end > 0; ) {
      const source = columns.from[end - 1] as number;
      let start = end - 1;
      while (start > 0 && columns.from[start - 1] === source) start--;
      if (ids.isThere(source)) intake.row(ids.of(source), start, end, nodes.gain);
      end = start;
    }
  });
}

/** The URLs of a delta. Each is interned and its accesses are counted. */
class Ids {
  readonly #nodes: NodeTable;
  readonly #ids: Int32Array;
  readonly #generations: Float64Array;

  constructor(nodes: NodeTable, { urls, kinds, accesses }: GraphDelta) {
    this.#nodes = nodes;
    this.#ids = new Int32Array(urls.length);
    this.#generations = new Float64Array(urls.length);
    const { gain } = nodes;
    for (let at = 0; at < urls.length; at++) {
      const id = nodes.intern(urls[at] as string, kinds[at] === 1 ? 'object' : 'document');
      if (kinds[at] === 2) nodes.setShortLived(id, true);
      nodes.count(id, (accesses[at] as number) * gain);
      this.#ids[at] = id;
      this.#generations[at] = nodes.generationOf(id);
    }
  }

  of(url: number): number {
    return this.#ids[url] as number;
  }

  /** False if a full table evicted the URL to make room for a later one. */
  isThere(url: number): boolean {
    return this.#nodes.generationOf(this.of(url)) === this.#generations[url];
  }
}

class Intake {
  readonly #arcs: ArcTable;
  readonly #ids: Ids;
  readonly #columns: ArcColumns;
  /** True if the fingerprints belong to the present era. */
  readonly #isPresent: boolean;
  #to = new Int32Array(64);
  #counts = new Float64Array(64);

  constructor(arcs: ArcTable, ids: Ids, columns: ArcColumns, isPresent: boolean) {
    this.#arcs = arcs;
    this.#ids = ids;
    this.#columns = columns;
    this.#isPresent = isPresent;
  }

  /** Add the arcs that leave one URL: `start` to `end` in the columns. */
  row(from: number, start: number, end: number, gain: number): void {
    const arcs = this.#arcs;
    const { to, counts, seen } = this.#columns;
    if (this.#isWhole(from, start, end, gain)) {
      const length = end - start;
      const place = arcs.fill(
        from,
        this.#to.subarray(0, length),
        this.#counts.subarray(0, length),
        seen.subarray(start, end),
      );
      const { clients } = arcs.chunk(from);
      for (let i = 0; i < length; i++) this.#addClients(clients, place + i, start + i);
      return;
    }
    for (let at = end - 1; at >= start; at--) {
      const target = to[at] as number;
      const id = this.#ids.of(target);
      if (!this.#ids.isThere(target)) continue;
      const place = arcs.credit(from, id, (counts[at] as number) * gain, 0, seen[at]);
      this.#addClients(arcs.chunk(from).clients, place, at);
    }
  }

  /** True if the row can be written in one step; `#to` and `#counts` then contain it. */
  #isWhole(from: number, start: number, end: number, gain: number): boolean {
    const length = end - start;
    if (!this.#arcs.hasRoomFor(from, length)) return false;
    if (length > this.#to.length) {
      this.#to = new Int32Array(2 * length);
      this.#counts = new Float64Array(2 * length);
    }
    const [to, counts] = [this.#to, this.#counts];
    for (let i = 0; i < length; i++) {
      const target = this.#columns.to[start + i] as number;
      const id = this.#ids.of(target);
      const count = (this.#columns.counts[start + i] as number) * gain;
      if (i > 0 && count > (counts[i - 1] as number)) return false;
      if (!this.#ids.isThere(target)) return false;
      for (let other = 0; other < i; other++) if (to[other] === id) return false;
      to[i] = id;
      counts[i] = count;
    }
    return true;
  }

  #addClients(clients: ClientSets, place: number, at: number): void {
    const { clients: given } = this.#columns;
    let prints = 0;
    for (let n = at * fingerprintsPerArc; n < (at + 1) * fingerprintsPerArc; n++) {
      const print = given[n] as number;
      if (print === 0) continue;
      prints++;
      if (this.#isPresent) clients.add(place, print);
    }
    if (!this.#isPresent) clients.addSeen(place, neverNext + prints);
  }
}
