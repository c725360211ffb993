// Groups the arcs of a delta by the URL that they leave; the order within a group is kept. Inconsistent columns are
// detected here, before a store is touched.

import { PrefetchdError } from '../errors.ts';
import {
  type ArcColumns,
  fingerprintsPerArc,
  type GraphDelta,
  neverNext,
} from '../model/delta/graph-delta.ts';
import type { KeptArc } from './merge.ts';

interface RowOrder {
  order: Uint32Array;
  starts: Uint32Array;
}

export class DeltaRows {
  readonly #delta: GraphDelta;
  /** For each graph: arcs ordered by `from`, and the place where each URL's arcs begin. */
  readonly #orders: RowOrder[];

  /** @throws PrefetchdError `invalid-option` for columns that do not fit together */
  constructor(delta: GraphDelta) {
    checkDelta(delta);
    this.#delta = delta;
    this.#orders = delta.graphs.map(({ from }) => orderOf(from, delta.urls.length));
  }

  /** Positions in the columns of the arcs that leave a URL, which is given by its index. */
  places(url: number, graph: number): Uint32Array {
    const { order, starts } = this.#orders[graph] as RowOrder;
    return order.subarray(starts[url], starts[url + 1]);
  }

  /** The arcs that leave a URL, which is given by its index. @param unit units per access; counts are in units */
  arcs(url: number, graph: number, unit: number): KeptArc<number>[] {
    const columns = this.#delta.graphs[graph] as ArcColumns;
    return Array.from(this.places(url, graph), (at) => {
      const prints = this.#delta.era === 0 ? [] : printsAt(columns.clients, at);
      return {
        to: columns.to[at] as number,
        count: (columns.counts[at] as number) * unit,
        prints,
        era: prints.length === 0 ? 0 : this.#delta.era,
        seen: columns.seen[at] as number,
      };
    });
  }
}

/** The fingerprints of an arc, from a column with six per arc. */
export function printsAt(clients: Uint16Array, at: number): number[] {
  const prints: number[] = [];
  for (let place = at * fingerprintsPerArc; place < (at + 1) * fingerprintsPerArc; place++) {
    const print = clients[place] as number;
    if (print !== 0) prints.push(print);
  }
  return prints;
}

/** Counting sort, which keeps the order of equal entries. */
function orderOf(from: Uint32Array, urls: number): RowOrder {
  const starts = new Uint32Array(urls + 1);
  for (const url of from) starts[url + 1] = (starts[url + 1] as number) + 1;
  for (let url = 0; url < urls; url++) {
    starts[url + 1] = (starts[url + 1] as number) + (starts[url] as number);
  }
  const next = starts.slice();
  const order = new Uint32Array(from.length);
  for (let at = 0; at < from.length; at++) {
    const url = from[at] as number;
    const place = next[url] as number;
    order[place] = at;
    next[url] = place + 1;
  }
  return { order, starts };
}

/** @throws PrefetchdError `invalid-option` for columns that do not fit together */
export function checkDelta({ era, urls, kinds, accesses, graphs }: GraphDelta): void {
  const check = (holds: boolean, rule: string) => {
    if (!holds) throw new PrefetchdError('invalid-option', `a delta's ${rule}`);
  };
  const isCount = (value: number) => value >= 0 && value < Infinity;
  const isUrl = (index: number) => index < urls.length;
  const isPrint = (print: number) => print < 1024;
  check(Number.isInteger(era) && era >= 0 && era < 2 ** 32, 'era must be from 0 to 2^32-1');
  check(kinds.length === urls.length, 'kinds must be one for each URL');
  check(accesses.length === urls.length, 'accesses must be one for each URL');
  check(accesses.every(isCount), 'accesses must be finite and at least 0');
  for (const { from, to, counts, clients, seen } of graphs) {
    const { length } = from;
    const isFull = to.length === length && counts.length === length && seen.length === length;
    check(isFull && clients.length === length * fingerprintsPerArc, 'arc columns must be as long');
    check(from.every(isUrl) && to.every(isUrl), 'arcs must lead from and to its URLs');
    check(counts.every(isCount), 'counts must be finite and at least 0');
    check(clients.every(isPrint), 'fingerprints must be below 1024');
    check(
      seen.every((part) => part < 2 * neverNext && part % neverNext <= fingerprintsPerArc),
      'seen must be at most 6, or 8 more',
    );
  }
}
