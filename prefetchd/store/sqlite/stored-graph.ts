// The graph in the tables of an SQLite store: one row per URL (record.ts), with consecutive ids from 0, so a row's
// position in `load` is its id. Runs within the caller's transaction.
//
// Each row costs 3 to 5 us in SQLite's binding, so `load` has SQLite join 256 rows into one blob: a million arcs of
// 100,000 URLs load in 0.2 s instead of 0.5 s. An addition reads, merges (merge.ts) and writes only the rows it
// touches.

import type { DatabaseSync } from 'node:sqlite';
import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import { DeltaRows } from '../delta-rows.ts';
import { isForgotten } from '../forgotten.ts';
import type { Ageing } from '../forward-decay.ts';
import type { StoreIdentity } from '../graph-store.ts';
import { RowMerger } from './merge.ts';
import { DamagedRecord, type EraColumns, eraColumns, RecordReader } from './record.ts';

export interface Meta extends StoreIdentity, Ageing {
  graphs: number;
  nodes: number;
  arcs: number;
  /** Era of the last addition with fingerprints. */
  era: number;
}

/** The stored graph, in its stored units. */
export interface RawGraph {
  urls: string[];
  kinds: Uint8Array;
  accesses: Float64Array;
  graphs: EraColumns[];
}

const rowsAtOnce = 256;

export function readMeta(database: DatabaseSync): Meta | null {
  const row = database.prepare('SELECT * FROM meta').get();
  if (row === undefined) return null;
  const { as_of_ms: asOfMs, ...rest } = row as Record<string, unknown>;
  return { ...rest, asOfMs } as unknown as Meta;
}

export function writeMeta(database: DatabaseSync, meta: Meta): void {
  const { predictor, window, graphs, nodes, arcs, era, asOfMs, exponent } = meta;
  database
    .prepare('INSERT OR REPLACE INTO meta VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)')
    .run(predictor, window, graphs, nodes, arcs, era, asOfMs, exponent);
}

/** Ids of the URLs that `forget` removes for `url`. */
export function idsBelow(database: DatabaseSync, url: string): Set<number> {
  const ids = new Set<number>();
  for (const row of database.prepare('SELECT id, url FROM urls').iterate()) {
    if (isForgotten(row.url as string, url)) ids.add(row.id as number);
  }
  return ids;
}

/** @throws DamagedRecord */
export function readGraph(database: DatabaseSync, meta: Meta): RawGraph {
  // Joining blobs as text preserves their bytes.
  const rows = database.prepare(`
    SELECT group_concat(url, '') AS urls, CAST(group_concat(record, '') AS BLOB) AS records
    FROM urls WHERE id BETWEEN ? AND ?`);
  const urls: string[] = new Array(meta.nodes);
  const kinds = new Uint8Array(meta.nodes);
  const accesses = new Float64Array(meta.nodes);
  const chunks: Uint8Array[] = [];
  // Count each graph's arcs first, so that columns are allocated once.
  const lengths = new Array<number>(meta.graphs).fill(0);
  for (let first = 0; first < meta.nodes; first += rowsAtOnce) {
    const end = Math.min(first + rowsAtOnce, meta.nodes);
    const { urls: text, records } = rows.get(first, end - 1) as {
      urls: string | null;
      records: Uint8Array | null;
    };
    if (text === null || records === null) throw new DamagedRecord('rows are missing');
    chunks.push(records);
    const reader = new RecordReader(records, meta);
    let at = 0;
    let id = first;
    for (; !reader.isAtEnd; id++) {
      const head = reader.head();
      if (head.id !== id || id >= end) throw new DamagedRecord('a row has another’s id');
      urls[id] = text.slice(at, at + head.urlLength);
      kinds[id] = head.kind;
      accesses[id] = head.accesses;
      at += head.urlLength;
      head.arcs.forEach((count, graph) => {
        lengths[graph] = (lengths[graph] as number) + count;
      });
      reader.skipArcs(head.arcs);
    }
    if (at !== text.length || id !== end) throw new DamagedRecord('rows are missing');
  }
  const graphs = lengths.map(eraColumns);
  const next = new Array<number>(meta.graphs).fill(0);
  for (const chunk of chunks) {
    const reader = new RecordReader(chunk, meta);
    while (!reader.isAtEnd) {
      const { id, arcs } = reader.head();
      for (let graph = 0; graph < meta.graphs; graph++) {
        const start = next[graph] as number;
        const length = arcs[graph] as number;
        reader.arcs(graphs[graph] as EraColumns, start, length, id);
        next[graph] = start + length;
      }
    }
  }
  return { urls, kinds, accesses, graphs };
}

/** Merge a delta into the rows it touches. @returns the new number of URLs and arcs */
export function mergeDelta(
  database: DatabaseSync,
  meta: Meta,
  { delta, unit, maxArcsPerUrl }: { delta: GraphDelta; unit: number; maxArcsPerUrl: number },
): { nodes: number; arcs: number } {
  const rows = new DeltaRows(delta);
  const find = database.prepare('SELECT id FROM urls WHERE url = ?');
  const read = database.prepare('SELECT record FROM urls WHERE id = ?');
  const insert = database.prepare('INSERT INTO urls VALUES (?, ?, ?)');
  const update = database.prepare('UPDATE urls SET record = ? WHERE id = ?');
  let { nodes } = meta;
  const fresh = new Map<string, number>();
  const ids = Uint32Array.from(delta.urls, (given) => {
    const url = given.toWellFormed();
    const found = (find.get(url)?.id as number | undefined) ?? fresh.get(url);
    if (found !== undefined) return found;
    fresh.set(url, nodes);
    return nodes++;
  });
  const merger = new RowMerger(delta, rows, { ids, nodes, unit, maxArcsPerUrl });
  delta.urls.forEach((url, index) => {
    const id = ids[index] as number;
    if (fresh.delete(url.toWellFormed())) insert.run(id, url, merger.merged(index, null));
    else if (merger.isTouched(index)) {
      const row = read.get(id);
      if (row === undefined) throw new DamagedRecord('a row is missing');
      update.run(merger.merged(index, row.record as Uint8Array), id);
    }
  });
  merger.end();
  return { nodes, arcs: meta.arcs + merger.gained };
}
