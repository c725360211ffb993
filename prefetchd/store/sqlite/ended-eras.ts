// Fingerprints of clients whose era is over mean nothing to the graph but their number (model/client-sets.ts), and
// without the salt they lead to nobody; yet equal ones in several rows show a path. So they go from all rows once an
// era has ended, not only from those that are credited again.
//
// Rows go through 256 at a time, each piece a transaction of its own, which is begun only where there is something to
// write: a flush never waits for more than one. A record keeps its length, so SQLite writes it over the old one.

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
  /** Id of the first row that was not looked at; null: none is left. */
  #next: number | null = null;
  /** This pass has written something. */
  #hasWritten = false;

  get areLeft(): boolean {
    return this.#next !== null;
  }

  /** An era has ended, or rows were changed behind the place: all of them are to be looked at. */
  begin(): void {
    this.#next = 0;
  }

  /** The next rows. @returns at the end of a pass, whether it wrote; null: rows are left @throws DamagedRecord */
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

/** Of the salt that is kept; where none is, of the last addition that had one. */
export function presentEra(database: DatabaseSync, meta: Meta): number {
  return readSalt(database)?.era ?? meta.era;
}

/** Inside a transaction: the graph may be another one than before it. */
function writeWithout(database: DatabaseSync, rows: readonly Row[]): void {
  const meta = readMeta(database);
  if (meta === null) return;
  const present = presentEra(database, meta);
  const update = database.prepare('UPDATE urls SET record = ? WHERE id = ?');
  for (const { id, record } of rows) {
    if (endEras(record, meta, present)) update.run(record, id);
  }
}

/** Takes fingerprints of other eras than the present one out of a record. @returns whether there were any */
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
