// Builds a delta (graph-delta.ts): URLs get an index, and arcs refer to it.

import type { Node } from '../graph/node.ts';
import { type ArcColumns, fingerprintsPerArc, type GraphDelta } from './graph-delta.ts';

/** The columns of arcs, still lists. */
const emptyRows = () => ({
  from: [] as number[],
  to: [] as number[],
  counts: [] as number[],
  clients: [] as number[],
  seen: [] as number[],
});

type Rows = ReturnType<typeof emptyRows>;

export class DeltaBuilder {
  readonly #head: Pick<GraphDelta, 'predictor' | 'window' | 'era'>;
  readonly #indexes = new Map<string, number>();
  readonly #kinds: number[] = [];
  readonly #accesses: number[] = [];
  readonly #graphs: Rows[];

  constructor(
    { predictor, window, era }: Pick<GraphDelta, 'predictor' | 'window' | 'era'>,
    graphs: number,
  ) {
    this.#head = { predictor, window, era };
    this.#graphs = Array.from({ length: graphs }, emptyRows);
  }

  /** @param kind as in a delta. @returns the index of the URL, which is added if new */
  url(url: string, kind: number): number {
    const known = this.#indexes.get(url);
    if (known !== undefined) return known;
    const index = this.#kinds.push(kind) - 1;
    this.#indexes.set(url, index);
    this.#accesses.push(0);
    return index;
  }

  /** @returns the index of a node's URL */
  node({ url, kind, isShortLived }: Pick<Node, 'url' | 'kind' | 'isShortLived'>): number {
    return this.url(url, kind === 'object' ? 1 : isShortLived ? 2 : 0);
  }

  /** Add accesses, aged to the present, to a URL. */
  count(url: number, accesses: number): void {
    this.#accesses[url] = (this.#accesses[url] as number) + accesses;
  }

  /** @param clients the first six fingerprints count */
  arc(
    graph: number,
    from: number,
    to: number,
    { count, clients, seen }: { count: number; clients: Iterable<number>; seen: number },
  ): void {
    const rows = this.#graphs[graph] as Rows;
    rows.from.push(from);
    rows.to.push(to);
    rows.counts.push(count);
    rows.seen.push(seen);
    rows.clients.push(...[...clients].slice(0, fingerprintsPerArc));
    while (rows.clients.length < rows.from.length * fingerprintsPerArc) rows.clients.push(0);
  }

  delta(): GraphDelta {
    return {
      ...this.#head,
      urls: [...this.#indexes.keys()],
      kinds: new Uint8Array(this.#kinds),
      accesses: new Float64Array(this.#accesses),
      graphs: this.#graphs.map(columnsOf),
    };
  }
}

function columnsOf({ from, to, counts, clients, seen }: Rows): ArcColumns {
  return {
    from: new Uint32Array(from),
    to: new Uint32Array(to),
    counts: new Float64Array(counts),
    clients: new Uint16Array(clients),
    seen: new Uint8Array(seen),
  };
}
