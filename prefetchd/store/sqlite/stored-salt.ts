// The salt in an SQLite store. An expired salt is useless here but would help to find out whom a fingerprint belongs
// to, so it is deleted from the table and from the log beside the file.

import type { DatabaseSync } from 'node:sqlite';
import { isOver, newSalt, type Salt, saltOf } from '../../model/salt.ts';
import { inTransaction } from './transaction.ts';

export function readSalt(database: DatabaseSync): Salt | null {
  const row = database.prepare('SELECT bytes, made_ms FROM salt').get();
  return row === undefined ? null : saltOf(row.bytes as Uint8Array, row.made_ms as number);
}

/** The stored salt if it is still valid, otherwise a new one in its place. @param own salt to store if there is
 *  none */
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

/** Deletes it without a replacement; then no era is the present one. */
export function dropSaltThatIsOver(database: DatabaseSync, nowMs: number, lifeMs: number): void {
  inTransaction(database, 'BEGIN IMMEDIATE', () => {
    const kept = readSalt(database);
    if (kept === null || !isOver(kept, nowMs, lifeMs)) return;
    database.exec('DELETE FROM salt; UPDATE meta SET era = 0');
  });
}
