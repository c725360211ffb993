// Reads the stored graph in one thread and puts it together in another. Copying a million objects would take seconds, so
// the arcs go over as numbers in buffers that change their owner.
//
// An arc is a run of numbers: from, to, count, seen, credited, how many fingerprints there are, and these.

import type { DatabaseSync } from 'node:sqlite';
import type { ArcDelta, GraphDelta, StoredGraph } from '../../model/delta/graph-delta.ts';
import { ageingAt, unitOf } from '../forward-decay.ts';
import { DamagedFile } from './failures.ts';
import { seenWithClients } from './graph.ts';
import { readMeta } from './tables.ts';

/** The first part is the graph without its arcs; then come those of some URLs in one of the graphs. */
export type GraphPart = GraphHead | { graph: number; numbers: Float64Array<ArrayBuffer> };

interface GraphHead extends Omit<GraphDelta, 'urls' | 'graphs'> {
  graphs: number;
  urls: string[];
  kinds: number[];
  accesses: number[];
}

/** Number of URLs whose arcs one query reads: its rows are in memory together, and are read faster than one by one. */
const urlsAtOnce = 256;

const isCount = (value: number) => value >= 0 && value < Infinity;

/** Reads the whole graph. @returns false if there is none @throws DamagedFile */
export function readGraph(
  database: DatabaseSync,
  { nowMs, halfLifeMs }: { nowMs: number; halfLifeMs: number | null },
  give: (part: GraphPart) => void,
): boolean {
  const meta = readMeta(database);
  const { predictor, window, era, graphs } = meta;
  if (predictor === null) return false;
  const unit = unitOf(ageingAt(meta, nowMs, halfLifeMs));
  const head: GraphHead = { predictor, window, era, graphs, urls: [], kinds: [], accesses: [] };
  const indexes = new Map<number, number>();
  const rows = database.prepare('SELECT id, url, kind, accesses FROM url ORDER BY id');
  rows.setReturnArrays(true);
  for (const row of rows.iterate()) {
    const [id, url, kind, accesses] = row as unknown as [number, string, number, number];
    if (!isCount(accesses)) throw new DamagedFile('a URL has no count');
    indexes.set(id, head.urls.push(url) - 1);
    head.kinds.push(kind);
    head.accesses.push(accesses / unit);
  }
  give(head);
  // Arrays that keep their room grow only once.
  const packed = Array.from({ length: graphs }, () => ({ numbers: [] as number[], length: 0 }));
  type Row = [graph: number, source: number, target: number, number, number, number, string];
  const take = (row: Row) => {
    const [graph, source, target, count, seen, credited, clients] = row;
    const [from, to, arcs] = [indexes.get(source), indexes.get(target), packed[graph]];
    if (from === undefined || to === undefined) throw new DamagedFile('an arc leads nowhere');
    if (!isCount(count) || arcs === undefined) throw new DamagedFile('an arc has no count');
    const { numbers, length } = arcs;
    numbers[length] = from;
    numbers[length + 1] = to;
    numbers[length + 2] = count / unit;
    numbers[length + 3] = seen;
    numbers[length + 4] = credited;
    numbers[length + 5] = 0;
    let at = length + 6;
    // Reading the digits takes a fifth of the time that splitting the lists of a million arcs does.
    for (let n = 0, print = 0; clients !== '' && n <= clients.length; n++) {
      const digit = clients.charCodeAt(n) - 48;
      if (digit >= 0) print = 10 * print + digit;
      else {
        numbers[at++] = print;
        print = 0;
      }
    }
    numbers[length + 5] = at - length - 6;
    arcs.length = at;
  };
  const some = database.prepare(
    `SELECT graph, source, target, count,
       iif(era IN (0, $era), seen, ${seenWithClients}), credited, iif(era = $era, clients, '')
     FROM arc WHERE source >= $first AND source < $end`,
  );
  some.setReturnArrays(true);
  const order = [...indexes.keys()];
  for (let n = 0; n < order.length; n += urlsAtOnce) {
    const first = n === 0 ? Number.MIN_SAFE_INTEGER : (order[n] as number);
    const end = order[n + urlsAtOnce] ?? Number.MAX_SAFE_INTEGER;
    for (const row of some.all({ era, first, end })) take(row as unknown as Row);
    for (const [graph, arcs] of packed.entries()) {
      give({ graph, numbers: new Float64Array(arcs.numbers.slice(0, arcs.length)) });
      arcs.length = 0;
    }
  }
  return true;
}

/** A graph whose parts arrive. Its arcs stay packed until they are asked for, so that only some exist at a time. */
export class ArrivingGraph {
  whole: (StoredGraph & { graphs: ArrivedArcs[] }) | null = null;

  take(part: GraphPart): void {
    if ('numbers' in part) {
      this.whole?.graphs[part.graph]?.parts.push(part.numbers);
      return;
    }
    const { kinds, accesses, graphs, ...rest } = part;
    const urls = part.urls.map((url, n) => {
      return { url, kind: kinds[n] as number, accesses: accesses[n] as number };
    });
    this.whole = { ...rest, urls, graphs: Array.from({ length: graphs }, () => new ArrivedArcs()) };
  }
}

class ArrivedArcs {
  readonly parts: Float64Array[] = [];

  *[Symbol.iterator](): Iterator<ArcDelta> {
    for (const part of this.parts) yield* arcsOf(part);
  }

  *toReversed(): Iterable<ArcDelta> {
    for (const part of this.parts.toReversed()) yield* arcsOf(part).reverse();
  }
}

/** The arcs of some URLs, of each URL the strongest first, and of equal ones the latest. */
function arcsOf(numbers: Float64Array): ArcDelta[] {
  const arcs: (ArcDelta & { credited: number })[] = [];
  for (let at = 0; at < numbers.length; ) {
    const next = () => numbers[at++] as number;
    const [from, to, count, seen, credited] = [next(), next(), next(), next(), next()];
    const clients = new Array<number>(next());
    for (let n = 0; n < clients.length; n++) clients[n] = next();
    let place = arcs.length;
    for (; place > 0; place--) {
      const before = arcs[place - 1] as ArcDelta & { credited: number };
      if (before.from !== from || before.count > count) break;
      if (before.count === count && before.credited > credited) break;
      arcs[place] = before;
    }
    arcs[place] = { from, to, count, clients, seen, credited };
  }
  return arcs;
}
