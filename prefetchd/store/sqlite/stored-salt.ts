// The salt in an SQLite store. A salt that is over is worth nothing to us and much to who would find out whom a
// fingerprint belongs to: it goes from the table, and from the log beside the file as well.

import type { DatabaseSync } from 'node:sqlite';
import { isOver, newSalt, type Salt, saltOf } from '../../model/salt.ts';
import { inTransaction } from './transaction.ts';

export function readSalt(database: DatabaseSync): Salt | null {
  const row = database.prepare('SELECT bytes, made_ms FROM salt').get();
  return row === undefined ? null : saltOf(row.bytes as Uint8Array, row.made_ms as number);
}

/** The one that is kept and not over; or else a new one, in its place. @param own to be kept where there is none */
export function presentSalt(
  database: DatabaseSync,
  { nowMs, lifeMs, own }: { nowMs: number; lifeMs: number; own: Salt | undefined },
): Salt {
  const kept = readSalt(database);
  if (kept !== null && !isOver(kept, nowMs, lifeMs)) return kept;
  return inTransaction(database, 'BEGIN IMMEDIATE', () => {
    const now = readSalt(database);
    if (now !== null && !isOver(now, nowMs, lifeMs)) return now;
    const { bytes, madeMs } = now === null && own !== undefined ? own : newSalt(nowMs);
    database.prepare('INSERT OR REPLACE INTO salt VALUES (1, ?, ?)').run(bytes, madeMs);
    return saltOf(bytes, madeMs);
  });
}

/** Without another in its place: then no era is the present one. */
export function dropSaltThatIsOver(database: DatabaseSync, nowMs: number, lifeMs: number): void {
  inTransaction(database, 'BEGIN IMMEDIATE', () => {
    const kept = readSalt(database);
    if (kept === null || !isOver(kept, nowMs, lifeMs)) return;
    database.exec('DELETE FROM salt; UPDATE meta SET era = 0');
  });
}
