// Reads the stored graph in one thread and puts it together in another. SQL writes the arcs of each URL as JSON: to
// read a million rows one by one takes twice as long, and to copy them to another thread seconds.

import type { DatabaseSync } from 'node:sqlite';
import type { ArcDelta } from '../../model/delta/graph-delta.ts';
import { ageingAt, unitOf } from '../forward-decay.ts';
import type { GraphParts } from '../graph-store.ts';
import type { Meta } from './tables.ts';

/** A part of the graph as the reading thread sends it, in JSON: first all but the arcs (`GraphHead`), then a list of
 *  URLs with their arcs (`PackedRow`) at a time. */
export type GraphPart = string;

type GraphHead = Pick<Meta, 'window' | 'era' | 'graphs'> & {
  predictor: string;
  urls: [id: number, url: string, kind: number, accesses: number][];
};
/** The arcs (links to later URLs) that leave a URL in one graph: strongest first, of equally strong ones the latest. */
type PackedRow = [graph: number, source: number, arcs: PackedArc[]];
type PackedArc = [target: number, count: number, seen: number, clients: number[]];

/** Number of rows in a part of the graph: about 1,000 arcs, at most 12,800, which are imported in some milliseconds. */
const rowsPerPart = 100;

// A count is written with all its digits; up to 2 ** 250 it is exact also in the SQLite of Node 22.
const arcQuery = `
  SELECT format('[%d,%d,[%s]]', graph, source, group_concat(
    format('[%d,%!.17g,%d,[%s]]', target, count / ?, seen, clients) ORDER BY count DESC, credited DESC
  )) AS row
  FROM arc GROUP BY source, graph`;

/** Reads the whole graph. @returns false if there is none @throws Damage */
export function readGraph(
  database: DatabaseSync,
  { meta, nowMs, halfLifeMs }: { meta: Meta; nowMs: number; halfLifeMs: number | null },
  give: (part: GraphPart) => void,
): boolean {
  const { predictor, window, era, graphs } = meta;
  if (predictor === null) return false;
  const unit = unitOf(ageingAt(meta, nowMs, halfLifeMs));
  const urls = database.prepare(
    'SELECT id, CAST(url AS TEXT), kind, accesses / ? FROM url ORDER BY id',
  );
  urls.setReturnArrays(true);
  give(JSON.stringify({ predictor, window, era, graphs, urls: urls.all(unit) }));
  let rows: string[] = [];
  for (const { row } of database.prepare(arcQuery).iterate(unit)) {
    if (rows.push(row as string) < rowsPerPart) continue;
    give(`[${rows}]`);
    rows = [];
  }
  give(`[${rows}]`);
  return true;
}

/** Returns a function that parses each GraphPart from the reading thread and calls `parts` with what it contains. What
 *  damage made meaningless is left out: arcs whose URLs are gone, and parts that are no JSON, which `notice` is told of. */
export function arriving(
  parts: GraphParts,
  notice: (message: string) => void,
): (part: GraphPart) => void {
  const indexes: number[] = [];
  return (part) => {
    const content = contentOf(part, notice);
    if (!Array.isArray(content)) {
      const { graphs, ...graph } = content;
      const urls = graph.urls.map(([id, url, kind, accesses], index) => {
        indexes[id] = index;
        return { url, kind, accesses };
      });
      parts.begin({ ...graph, urls }, graphs);
      return;
    }
    for (const [graph, source, row] of content) {
      const from = indexes[source];
      const arcs: ArcDelta[] = [];
      for (const [target, count, seen, clients] of row) {
        const to = indexes[target];
        if (from !== undefined && to !== undefined) arcs.push({ from, to, count, clients, seen });
      }
      parts.arcs(graph, arcs);
    }
  };
}

function contentOf(part: GraphPart, notice: (message: string) => void): GraphHead | PackedRow[] {
  try {
    return JSON.parse(part);
  } catch {
    notice(`a part is damaged: the arcs of up to ${rowsPerPart} URLs are left out`);
    return [];
  }
}
