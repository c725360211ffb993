// Reads the stored graph in one thread and puts it together in another. SQL writes the arcs of each URL as JSON: to
// read a million rows one by one takes twice as long, and to copy them to another thread seconds.

import type { DatabaseSync } from 'node:sqlite';
import { Damage } from '../../../process/sqlite-file.ts';
import type { ArcDelta, UrlDelta } from '../../model/delta/graph-delta.ts';
import { ageingAt, unitOf } from '../forward-decay.ts';
import type { GraphParts } from '../graph-store.ts';
import type { Meta } from './tables.ts';

/** A part of the graph as the reading thread sends it, in JSON: first all but the arcs (`GraphHead`), then a list of
 *  URLs with their arcs (`PackedRow`) at a time. */
export type GraphPart = string;

type GraphHead = Pick<Meta, 'window' | 'era' | 'graphs'> & {
  predictor: string;
  urls: (UrlDelta & { id: number })[];
};
/** The arcs (links to later URLs) that leave a URL in one graph: strongest first, of equally strong ones the latest. */
type PackedRow = [graph: number, source: number, arcs: PackedArc[]];
type PackedArc = [target: number, count: number, seen: number, clients: number[]];

/** Length of a part (GraphPart), characters: some 2,500 arcs, which the main thread imports in some milliseconds. */
const partLength = 100_000;

// A count is written with all its digits; up to 2 ** 250 it is exact also in the SQLite of Node 22.
const arcQuery = `
  SELECT format('[%d,%d,[%s]]', graph, source, group_concat(
    format('[%d,%!.17g,%d,[%s]]', target, count / ?, seen, clients) ORDER BY count DESC, credited DESC
  )) AS row
  FROM arc GROUP BY source, graph`;

const damagedArc = `
  SELECT 1 FROM arc WHERE source NOT IN (SELECT id FROM url) OR target NOT IN (SELECT id FROM url)
    OR NOT json_valid('[' || clients || ']') OR count NOT BETWEEN 0 AND 1e300 LIMIT 1`;

/** Reads the whole graph. @returns false if there is none @throws Damage */
export function readGraph(
  database: DatabaseSync,
  { meta, nowMs, halfLifeMs }: { meta: Meta; nowMs: number; halfLifeMs: number | null },
  give: (part: GraphPart) => void,
): boolean {
  const { predictor, window, era, graphs } = meta;
  if (predictor === null) return false;
  // All arcs are checked before the first part is sent, so that nobody keeps a part of a graph that is damaged.
  if (database.prepare(damagedArc).get() !== undefined) throw new Damage('an arc leads nowhere');
  const unit = unitOf(ageingAt(meta, nowMs, halfLifeMs));
  const urlQuery =
    'SELECT id, CAST(url AS TEXT) AS url, kind, accesses / ? AS accesses FROM url ORDER BY id';
  const urls = database.prepare(urlQuery).all(unit);
  give(JSON.stringify({ predictor, window, era, graphs, urls }));
  let [rows, length]: [string[], number] = [[], 0];
  const giveRows = () => {
    give(`[${rows.join()}]`);
    [rows, length] = [[], 0];
  };
  for (const { row } of database.prepare(arcQuery).iterate(unit)) {
    rows.push(row as string);
    length += (row as string).length;
    if (length > partLength) giveRows();
  }
  giveRows();
  return true;
}

/** Returns a function that parses each GraphPart from the reading thread and calls `parts` with what it contains. */
export function arriving(parts: GraphParts): (part: GraphPart) => void {
  const indexes: number[] = [];
  return (part) => {
    const content: GraphHead | PackedRow[] = JSON.parse(part);
    if (!Array.isArray(content)) {
      const { graphs, ...graph } = content;
      for (const [index, { id }] of graph.urls.entries()) indexes[id] = index;
      parts.begin(graph, graphs);
      return;
    }
    for (const [graph, source, arcs] of content) {
      const from = indexes[source] as number;
      const arcOf = (arc: PackedArc): ArcDelta => {
        return {
          from,
          to: indexes[arc[0]] as number,
          count: arc[1],
          clients: arc[3],
          seen: arc[2],
        };
      };
      parts.arcs(graph, arcs.map(arcOf));
    }
  };
}
