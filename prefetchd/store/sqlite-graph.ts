// The graph in the tables of an SQLite store: one row for each URL (sqlite-record.ts), ids from 0 without
// gaps, so a row's place in `load` is its id. Inside a transaction of the caller's.
//
// A row costs SQLite's binding 3 to 5 us, so `load` lets SQLite put 256 rows together and reads them as
// one: a million arcs of 100,000 URLs in 0.2 s, in place of 0.5. An addition reads, merges and writes the rows it touches.
// When there is too much, all is read, the weakest left out, and all written anew with new ids.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { GraphDelta } from '../graph-delta.ts';
import { DeltaRows } from './delta-rows.ts';
import type { Ageing } from './forward-decay.ts';
import type { StoreIdentity } from './graph-store.ts';
import { mergeArcs } from './merge.ts';
import {
  bytesOfRecord,
  DamagedRecord,
  type EraColumns,
  eraColumns,
  type GraphSize,
  keptArcAt,
  RecordReader,
  recordOfBytes,
  type UrlRecord,
} from './sqlite-record.ts';
import { type Limits, strongest } from './strongest.ts';

export interface Meta extends StoreIdentity, Ageing {
  graphs: number;
  nodes: number;
  arcs: number;
  /** Of the last addition that had one. */
  era: number;
}

/** All that is kept, in the units it is kept in. */
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

/** @throws DamagedRecord */
export function readGraph(database: DatabaseSync, meta: Meta): RawGraph {
  // Joining blobs as text leaves their bytes alone, and gives them back as they are.
  const rows = database.prepare(`
    SELECT group_concat(url, '') AS urls, CAST(group_concat(record, '') AS BLOB) AS records
    FROM urls WHERE id BETWEEN ? AND ?`);
  const urls: string[] = new Array(meta.nodes);
  const kinds = new Uint8Array(meta.nodes);
  const accesses = new Float64Array(meta.nodes);
  const chunks: Uint8Array[] = [];
  // Arcs of each graph are counted first, so that columns are made once.
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

/** Merge a delta into the rows it touches. @returns how many URLs and arcs there are then */
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
  let { nodes, arcs } = meta;
  const fresh = new Map<string, number>();
  const ids = Uint32Array.from(delta.urls, (given) => {
    const url = given.toWellFormed();
    const found = (find.get(url)?.id as number | undefined) ?? fresh.get(url);
    if (found !== undefined) return found;
    fresh.set(url, nodes);
    return nodes++;
  });
  const size = { nodes, graphs: meta.graphs };
  delta.urls.forEach((url, index) => {
    const id = ids[index] as number;
    const isNew = fresh.delete(url.toWellFormed());
    const kept = isNew ? emptyRecord(id, url, meta.graphs) : readRecord(read, id, size);
    kept.kind = delta.kinds[index] as number;
    kept.accesses += (delta.accesses[index] as number) * unit;
    kept.arcs = kept.arcs.map((list, graph) => {
      const given = rows.arcs(index, graph, unit);
      for (const arc of given) arc.to = ids[arc.to] as number;
      const merged = mergeArcs(list, given, maxArcsPerUrl);
      arcs += merged.length - list.length;
      return merged;
    });
    if (isNew) insert.run(id, url, bytesOfRecord(kept));
    else update.run(bytesOfRecord(kept), id);
  });
  return { nodes, arcs };
}

/** Write all anew, but the weakest, counts divided by `worth`. @returns how many there are then */
export function rewriteStrongest(
  database: DatabaseSync,
  meta: Meta,
  { worth, ...limits }: Limits & { worth: number },
): { nodes: number; arcs: number } {
  const graph = readGraph(database, meta);
  scale(graph.accesses, worth);
  for (const { counts } of graph.graphs) scale(counts, worth);
  const stays = strongest(graph, limits);
  const ids = new Uint32Array(graph.urls.length);
  let nodes = 0;
  stays.urls.forEach((isKept, index) => {
    ids[index] = nodes;
    nodes += isKept;
  });
  let arcs = 0;
  const next = graph.graphs.map(() => 0);
  database.exec('DELETE FROM urls');
  const insert = database.prepare('INSERT INTO urls VALUES (?, ?, ?)');
  graph.urls.forEach((url, index) => {
    const lists = graph.graphs.map((columns, which) => {
      const list = [];
      let at = next[which] as number;
      for (; columns.from[at] === index; at++) {
        if (stays.arcs[which]?.[at] !== 1) continue;
        const arc = keptArcAt(columns, at);
        list.push({ ...arc, to: ids[arc.to] as number });
      }
      next[which] = at;
      return list;
    });
    if (stays.urls[index] === 0) return;
    const id = ids[index] as number;
    for (const list of lists) arcs += list.length;
    const { kinds, accesses } = graph;
    const kind = kinds[index] as number;
    const record = { id, kind, accesses: accesses[index] as number, urlLength: url.length };
    insert.run(id, url, bytesOfRecord({ ...record, arcs: lists }));
  });
  return { nodes, arcs };
}

function readRecord(read: StatementSync, id: number, size: GraphSize): UrlRecord {
  const row = read.get(id);
  if (row === undefined) throw new DamagedRecord('a row is missing');
  const record = recordOfBytes(row.record as Uint8Array, size);
  if (record.id !== id) throw new DamagedRecord('a row has another’s id');
  return record;
}

function emptyRecord(id: number, url: string, graphs: number): UrlRecord {
  const arcs = Array.from({ length: graphs }, () => []);
  return { id, kind: 0, accesses: 0, urlLength: url.length, arcs };
}

function scale(values: Float64Array, worth: number): void {
  for (let at = 0; at < values.length; at++) values[at] = (values[at] as number) / worth;
}
