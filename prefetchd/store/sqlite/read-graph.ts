// Reads the stored graph in one thread and puts it together in another. SQL makes a text of each column, a list of
// numbers: to read a million rows one by one takes three times as long, and to copy them to another thread seconds.

import type { DatabaseSync } from 'node:sqlite';
import type { ArcDelta } from '../../model/delta/graph-delta.ts';
import { ageingAt, unitOf } from '../forward-decay.ts';
import type { GraphParts } from '../graph-store.ts';
import { DamagedFile } from './file-faults.ts';
import type { Meta } from './tables.ts';

/** A part of the graph as the reading thread sends it: first all but the arcs, then the arcs of some URLs at a time. */
export type GraphPart = GraphHead | { graph: number; arcs: PackedArcs };

interface PackedArcs {
  /** For each arc, the index of the URL that the arc leaves; `to`: of the URL to which it leads. */
  from: Uint32Array;
  to: Uint32Array;
  seen: Float64Array;
  credited: Float64Array;
  counts: Float64Array;
  /** For each arc, between semicolons, a list of the fingerprints of clients that followed it, such as `7,1023,3`. */
  clients: string;
}

/** The graph without its arcs. Its counts, and those of the arcs that follow, are in units (forward-decay.ts). */
interface GraphHead extends Pick<Meta, 'window' | 'era' | 'graphs'> {
  predictor: string;
  unit: number;
  /** List of URLs, each with its kind and its number of accesses, in JSON. */
  urls: string;
}

/** Number of URLs whose arcs one query reads. */
const urlsAtOnce = 500;

/** Returns SQL that makes a JSON list of a column of whole numbers; other values (damage) become numbers. */
const integers = (name: string) => `'[' || group_concat(coalesce(${name} | 0, 0)) || ']'`;
/** Returns SQL that writes a count with all its digits; up to 2 ** 250 it is exact also in the SQLite of Node 22. */
const exact = (name: string) => `format('%!.17g', max(0, min(${name}, 1e308)))`;

const urlQuery = `
  SELECT id, format('[%s,%d,%s]', json_quote(format('%s', url)), kind, ${exact('accesses')}) AS row
  FROM url ORDER BY id`;

const arcQuery = `
  SELECT ${integers('source')} AS sources, ${integers('target')} AS targets,
    ${integers('seen')} AS seen, ${integers('credited')} AS credited,
    '[' || group_concat(${exact('count')}) || ']' AS counts,
    group_concat(coalesce(clients, ''), ';') AS clients
  FROM arc WHERE graph = ? AND source >= ? AND source < ?`;

/** Each column is a list of numbers in JSON; null: there are no arcs. */
type PackedRow = Record<'targets' | 'seen' | 'credited' | 'counts' | 'clients', string> & {
  sources: string | null;
};

/** Reads the whole graph. @returns false if there is none @throws DamagedFile */
export function readGraph(
  database: DatabaseSync,
  { meta, nowMs, halfLifeMs }: { meta: Meta; nowMs: number; halfLifeMs: number | null },
  give: (part: GraphPart) => void,
): boolean {
  const { predictor, window, era, graphs } = meta;
  if (predictor === null) return false;
  const rows = database.prepare(urlQuery).all() as { id: number; row: string }[];
  const unit = unitOf(ageingAt(meta, nowMs, halfLifeMs));
  give({ predictor, window, era, graphs, unit, urls: `[${rows.map(({ row }) => row)}]` });
  const indexes: number[] = [];
  for (const [index, { id }] of rows.entries()) indexes[id] = index;
  const indexOf = (id: number) => {
    const index = indexes[id];
    if (index === undefined) throw new DamagedFile('an arc leads nowhere');
    return index;
  };
  const indexesOf = (ids: string) => Uint32Array.from((JSON.parse(ids) as number[]).map(indexOf));
  const numbersOf = (list: string) => Float64Array.from(JSON.parse(list) as number[]);
  const query = database.prepare(arcQuery);
  let arcs = database.prepare('SELECT count(*) AS n FROM arc').get()?.n as number;
  for (let n = 0; n < rows.length; n += urlsAtOnce) {
    const first = n === 0 ? Number.MIN_SAFE_INTEGER : (rows[n]?.id as number);
    const end = rows[n + urlsAtOnce]?.id ?? Number.MAX_SAFE_INTEGER;
    for (let graph = 0; graph < graphs; graph++) {
      const row = query.get(graph, first, end) as unknown as PackedRow;
      if (row.sources === null) continue;
      const [from, to] = [indexesOf(row.sources), indexesOf(row.targets)];
      const [seen, credited, counts] = [row.seen, row.credited, row.counts].map(numbersOf);
      give({
        graph,
        arcs: { from, to, seen, credited, counts, clients: row.clients } as PackedArcs,
      });
      arcs -= from.length;
    }
  }
  // The queries did not find each arc once, so the table is damaged.
  if (arcs !== 0) throw new DamagedFile('some arcs are not where they belong');
  return true;
}

/** Returns a function that makes arcs from the parts that the reading thread sends, and gives them to `parts`. */
export function arriving(parts: GraphParts): (part: GraphPart) => void {
  let unit = 1;
  return (part) => {
    if ('arcs' in part) {
      parts.arcs(part.graph, arcsOf(part.arcs, unit));
      return;
    }
    const { urls, graphs, unit: own, ...rest } = part;
    unit = own;
    const rows: [url: string, kind: number, accesses: number][] = JSON.parse(urls);
    const all = rows.map(([url, kind, accesses]) => ({ url, kind, accesses: accesses / unit }));
    parts.begin({ ...rest, urls: all }, graphs);
  };
}

/** Returns the arcs of some URLs: for each URL the strongest first, and of equally strong arcs the latest. */
function arcsOf(packed: PackedArcs, unit: number): ArcDelta[] {
  const arcs: (ArcDelta & { credited: number })[] = [];
  const nextList = listsIn(packed.clients);
  for (let at = 0; at < packed.from.length; at++) {
    const [from, to] = [packed.from[at] as number, packed.to[at] as number];
    const [count, seen] = [(packed.counts[at] as number) / unit, packed.seen[at] as number];
    const credited = packed.credited[at] as number;
    let place = at;
    for (; place > 0; place--) {
      const before = arcs[place - 1] as (typeof arcs)[number];
      if (before.from !== from || before.count > count) break;
      if (before.count === count && before.credited > credited) break;
      arcs[place] = before;
    }
    arcs[place] = { from, to, count, clients: nextList(), seen, credited };
  }
  return arcs;
}

/** Returns a function that reads lists of numbers one by one, in a fifth of the time that splitting would take. */
function listsIn(text: string): () => number[] {
  const list: number[] = [];
  let at = 0;
  return () => {
    let length = 0;
    for (let number = 0, code = 0; code !== 59; at++) {
      code = at < text.length ? text.charCodeAt(at) : 59; // a semicolon
      if (code >= 48 && code <= 57) number = 10 * number + code - 48;
      else if (number > 0) {
        list[length++] = number;
        number = 0;
      }
    }
    return list.slice(0, length);
  };
}
