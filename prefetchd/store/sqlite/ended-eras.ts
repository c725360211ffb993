// Removes fingerprints of ended eras. Without the salt they identify nobody, and the graph needs only their number
// (model/tables/client-sets.ts); yet equal fingerprints in several rows would show a path. All rows are therefore
// swept when an era has ended, not only those credited again.
//
// Rows are swept 256 at a time, each batch in its own transaction if there is anything to write, so a flush waits for
// at most one batch. A record keeps its length, so SQLite overwrites it in place.

import type { DatabaseSync } from 'node:sqlite';
import { withoutPrints } from './credited.ts';
import { bytesPerArc, type GraphSize, RecordReader } from './record.ts';
import { type Meta, readMeta } from './stored-graph.ts';
import { readSalt } from './stored-salt.ts';
import { inTransaction } from './transaction.ts';

const rowsAtOnce = 256;

interface Row {
  id: number;
  record: Uint8Array;
}

export class EndedEras {
  /** Id of the next row to check; null if the sweep is complete. */
  #next: number | null = null;
  /** True if this pass has written anything. */
  #hasWritten = false;

  get areLeft(): boolean {
    return this.#next !== null;
  }

  /** Start a sweep of all rows: an era has ended, or rows already swept were changed. */
  begin(): void {
    this.#next = 0;
  }

  /** Sweep the next batch. @returns whether the pass wrote anything, if it is complete; null if rows are left
   *  @throws DamagedRecord */
  piece(database: DatabaseSync): boolean | null {
    const first = this.#next;
    const meta = readMeta(database);
    if (first !== null && meta !== null && first < meta.nodes) {
      const read = database.prepare('SELECT id, record FROM urls WHERE id BETWEEN ? AND ?');
      const rows = () => read.all(first, first + rowsAtOnce - 1) as unknown as Row[];
      const present = presentEra(database, meta);
      if (rows().some(({ record }) => endEras(record, meta, present))) {
        inTransaction(database, 'BEGIN IMMEDIATE', () => writeWithout(database, rows()));
        this.#hasWritten = true;
      }
      this.#next = first + rowsAtOnce;
      return null;
    }
    const hasWritten = this.#hasWritten;
    this.#next = null;
    this.#hasWritten = false;
    return hasWritten;
  }
}

/** The era of the stored salt; without one, that of the last addition with fingerprints. */
export function presentEra(database: DatabaseSync, meta: Meta): number {
  return readSalt(database)?.era ?? meta.era;
}

/** Runs in a transaction and reads again, because the graph may have changed. */
function writeWithout(database: DatabaseSync, rows: readonly Row[]): void {
  const meta = readMeta(database);
  if (meta === null) return;
  const present = presentEra(database, meta);
  const update = database.prepare('UPDATE urls SET record = ? WHERE id = ?');
  for (const { id, record } of rows) {
    if (endEras(record, meta, present)) update.run(record, id);
  }
}

/** Remove fingerprints of other eras from a record. @returns whether there were any */
function endEras(record: Uint8Array, size: GraphSize, present: number): boolean {
  const reader = new RecordReader(record, size);
  const { arcs } = reader.head();
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  const start = reader.skipArcs(arcs);
  let hadSome = false;
  for (let at = start; at + bytesPerArc <= record.byteLength; at += bytesPerArc) {
    const era = view.getUint32(at + 20, true);
    if (era === 0 || era === present) continue;
    const { low, high } = withoutPrints(
      view.getUint32(at + 8, true),
      view.getUint32(at + 12, true),
    );
    view.setUint32(at + 8, low, true);
    view.setUint32(at + 12, high, true);
    view.setUint32(at + 20, 0, true);
    hadSome = true;
  }
  return hadSome;
}
