// Prunes an SQLite store that is too large (store-options.ts), or removes URLs to be forgotten: the strongest stay
// (strongest.ts) and get consecutive ids from 0 again. Runs within the caller's transaction.
//
// Accesses and counts, which decide, are read into columns. The rows are rewritten 256 at a time: each block is
// deleted, and what remains of it is written with new ids, which never exceed the old ones. Memory use is therefore
// independent of the stored texts and fingerprints.

import type { DatabaseSync } from 'node:sqlite';
import { type Limits, type Strongest, strongest, type WeighedGraph } from '../strongest.ts';
import { bytesPerArc, DamagedRecord, RecordReader } from './record.ts';
import { RowWriter } from './row.ts';
import type { Meta } from './stored-graph.ts';

const rowsAtOnce = 256;

interface Row {
  id: number;
  url: string;
  record: Uint8Array;
}

/** Rewrite what stays, with counts divided by `worth`. @returns the new sizes @throws DamagedRecord */
export function rewriteStrongest(
  database: DatabaseSync,
  meta: Meta,
  { worth, ...limits }: Limits & { worth: number },
): { nodes: number; arcs: number } {
  return rewrite(database, meta, worth, (graph) => strongest(graph, limits));
}

/** Rewrite everything except some URLs and their arcs. @returns the new sizes @throws DamagedRecord */
export function rewriteWithout(
  database: DatabaseSync,
  meta: Meta,
  gone: ReadonlySet<number>,
): { nodes: number; arcs: number } {
  return rewrite(database, meta, 1, ({ accesses, graphs }) => ({
    urls: Uint8Array.from(accesses, (_, id) => (gone.has(id) ? 0 : 1)),
    arcs: graphs.map(({ from, to }) =>
      Uint8Array.from(from, (id, at) => (gone.has(id) || gone.has(to[at] as number) ? 0 : 1)),
    ),
  }));
}

function rewrite(
  database: DatabaseSync,
  meta: Meta,
  worth: number,
  choose: (graph: WeighedGraph) => Strongest,
): { nodes: number; arcs: number } {
  const graph = weighed(database, meta, worth);
  const stays = choose(graph);
  giveBack(graph);
  const ids = new Uint32Array(meta.nodes);
  let nodes = 0;
  stays.urls.forEach((isKept, id) => {
    ids[id] = nodes;
    nodes += isKept;
  });
  const pruner = new Pruner(meta, stays, ids, worth);
  const read = rowsOf(database);
  const remove = database.prepare('DELETE FROM urls WHERE id BETWEEN ? AND ?');
  const insert = database.prepare('INSERT INTO urls VALUES (?, ?, ?)');
  for (let first = 0; first < meta.nodes; first += rowsAtOnce) {
    const rows = read(first);
    remove.run(first, first + rowsAtOnce - 1);
    for (const { id, url, record } of rows) {
      const kept = pruner.kept(record);
      if (kept !== null) insert.run(ids[id] as number, url, kept);
    }
  }
  return { nodes, arcs: pruner.arcs };
}

/** Rows in order of their ids, from a given id on. */
function rowsOf(database: DatabaseSync): (first: number) => Row[] {
  const some = database.prepare(
    'SELECT id, url, record FROM urls WHERE id BETWEEN ? AND ? ORDER BY id',
  );
  return (first) => some.all(first, first + rowsAtOnce - 1) as unknown as Row[];
}

/** The strength of each URL and arc. @throws DamagedRecord */
function weighed(database: DatabaseSync, meta: Meta, worth: number): WeighedGraph {
  const read = rowsOf(database);
  const accesses = new Float64Array(meta.nodes);
  const graphs = Array.from({ length: meta.graphs }, () => new Weights(meta));
  let next = 0;
  while (next < meta.nodes) {
    const rows = read(next);
    for (const { id, record } of rows) {
      const reader = new RecordReader(record, meta);
      const head = reader.head();
      if (id !== next || head.id !== id) throw new DamagedRecord('a row has another’s id');
      next++;
      accesses[id] = head.accesses / worth;
      let start = reader.skipArcs(head.arcs);
      for (const [graph, length] of head.arcs.entries()) {
        (graphs[graph] as Weights).add(
          id,
          new DataView(record.buffer, record.byteOffset + start, bytesPerArc * length),
          worth,
        );
        start += bytesPerArc * length;
      }
    }
    if (rows.length === 0) throw new DamagedRecord('rows are missing');
  }
  return { accesses, graphs: graphs.map((weights) => weights.columns()) };
}

/** Tens of megabytes, which the garbage collector notices late. */
function giveBack({ accesses, graphs }: WeighedGraph): void {
  const columns = [accesses, ...graphs.flatMap(({ from, to, counts }) => [from, to, counts])];
  for (const { buffer } of columns) (buffer as ArrayBuffer).transfer(0);
}

class Weights {
  readonly #from: Uint32Array;
  readonly #to: Uint32Array;
  readonly #counts: Float64Array;
  readonly #nodes: number;
  #length = 0;

  constructor({ nodes, arcs: most }: Meta) {
    this.#nodes = nodes;
    this.#from = new Uint32Array(most);
    this.#to = new Uint32Array(most);
    this.#counts = new Float64Array(most);
  }

  /** Add the arcs of a row. */
  add(from: number, arcs: DataView, worth: number): void {
    if (this.#length + arcs.byteLength / bytesPerArc > this.#from.length) {
      throw new DamagedRecord('there are more arcs than were counted');
    }
    for (let at = 0; at < arcs.byteLength; at += bytesPerArc) {
      this.#from[this.#length] = from;
      const to = arcs.getUint32(at + 16, true);
      if (to >= this.#nodes) throw new DamagedRecord('an arc leads nowhere');
      this.#to[this.#length] = to;
      this.#counts[this.#length++] = arcs.getFloat64(at, true) / worth;
    }
  }

  columns(): { from: Uint32Array; to: Uint32Array; counts: Float64Array } {
    return {
      from: this.#from.subarray(0, this.#length),
      to: this.#to.subarray(0, this.#length),
      counts: this.#counts.subarray(0, this.#length),
    };
  }
}

/** Prunes the rows one after the other. */
class Pruner {
  readonly #meta: Meta;
  readonly #stays: Strongest;
  readonly #ids: Uint32Array;
  readonly #worth: number;
  readonly #writer: RowWriter;
  /** By graph: arcs of the rows so far. */
  readonly #passed: number[];
  /** Arcs kept. */
  arcs = 0;

  constructor(meta: Meta, stays: Strongest, ids: Uint32Array, worth: number) {
    this.#meta = meta;
    this.#stays = stays;
    this.#ids = ids;
    this.#worth = worth;
    this.#writer = new RowWriter(meta.graphs);
    this.#passed = new Array<number>(meta.graphs).fill(0);
  }

  /** Null if the URL is dropped. */
  kept(record: Uint8Array): Uint8Array | null {
    const reader = new RecordReader(record, this.#meta);
    const head = reader.head();
    const isKept = this.#stays.urls[head.id] === 1;
    const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
    const writer = this.#writer;
    let start = reader.skipArcs(head.arcs);
    const id = this.#ids[head.id] as number;
    writer.begin(
      { ...head, id, accesses: head.accesses / this.#worth },
      record.byteLength / bytesPerArc,
    );
    for (const [graph, length] of head.arcs.entries()) {
      const stays = this.#stays.arcs[graph] as Uint8Array;
      const passed = this.#passed[graph] as number;
      let kept = 0;
      for (let at = 0; at < length; at++, start += bytesPerArc) {
        if (!isKept || stays[passed + at] !== 1) continue;
        const to = this.#ids[view.getUint32(start + 16, true)] as number;
        writer.arc(
          view.getFloat64(start, true) / this.#worth,
          view.getUint32(start + 8, true),
          view.getUint32(start + 12, true),
          to,
          view.getUint32(start + 20, true),
        );
        kept++;
      }
      writer.end(graph, kept);
      this.#passed[graph] = passed + length;
      this.arcs += kept;
    }
    return isKept ? writer.bytes() : null;
  }
}
