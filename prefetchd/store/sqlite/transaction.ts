// Access to an SQLite store's file alongside other processes.

import type { DatabaseSync } from 'node:sqlite';

export function inTransaction<Result>(
  database: DatabaseSync,
  begin: 'BEGIN' | 'BEGIN IMMEDIATE',
  work: () => Result,
): Result {
  database.exec(begin);
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Fail at once on locks of other processes. @param busyTimeoutMs restored afterwards */
export function withoutWaiting<Result>(
  database: DatabaseSync,
  busyTimeoutMs: number,
  work: () => Result,
): Result {
  database.exec('PRAGMA busy_timeout = 0');
  try {
    return work();
  } finally {
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  }
}

/** Checkpoint and truncate the log. @returns false if another process is reading it */
export function emptyLog(database: DatabaseSync, busyTimeoutMs: number): boolean {
  try {
    const row = withoutWaiting(database, busyTimeoutMs, () =>
      database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get(),
    );
    return row?.busy === 0;
  } catch {
    return false; // the data is stored in any case
  }
}
