// Ways to work on an SQLite store's file beside other processes.

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

/** What other processes hold is an error at once. @param busyTimeoutMs for what comes after */
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

/** The log goes into the file, and nothing of it stays. @returns false: another process reads it */
export function emptyLog(database: DatabaseSync, busyTimeoutMs: number): boolean {
  try {
    const row = withoutWaiting(database, busyTimeoutMs, () =>
      database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get(),
    );
    return row?.busy === 0;
  } catch {
    return false; // what was to be kept is kept
  }
}
