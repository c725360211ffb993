// Tells the processes of an SQLite store that `forget` deleted URLs, without keeping what: a mark that each deletion
// replaces. A process that loaded the graph under another mark still has them in memory. A file made by an earlier
// version gets the table when it is opened.

import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';

export const forgettingTable = `
  CREATE TABLE IF NOT EXISTS forgetting (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    mark TEXT NOT NULL
  ) STRICT`;

/** Of the last deletion; null: there was none. */
export function forgettingMark(database: DatabaseSync): string | null {
  const row = database.prepare('SELECT mark FROM forgetting').get();
  return row === undefined ? null : (row.mark as string);
}

/** Within the transaction that deletes. */
export function markForgetting(database: DatabaseSync): void {
  database.prepare('INSERT OR REPLACE INTO forgetting VALUES (1, ?)').run(randomUUID());
}
