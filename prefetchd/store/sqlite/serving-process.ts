// Finds out whether another process has an SQLite store open, for a service that starts on it. Only SQLite knows: each
// open connection holds a lock that the kernel drops with its process, and a file that others have open cannot leave
// WAL mode. The number of the last process that served is kept to name it.

import type { DatabaseSync } from 'node:sqlite';
import { retryWhileBusy } from '../../../process/while-busy.ts';
import { isBusy } from './failures.ts';
import { inTransaction, withoutWaiting } from './transaction.ts';

export const servingTable = `
  CREATE TABLE IF NOT EXISTS serving (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    pid INTEGER NOT NULL
  ) STRICT`;

/** Enter this process as the one that serves. @returns the other one: `process 4711`; null: there is none */
export function beginServing(database: DatabaseSync, busyTimeoutMs: number): string | null {
  const isOpenElsewhere = withoutWaiting(database, busyTimeoutMs, () => !canLeaveWal(database));
  retryWhileBusy(busyTimeoutMs, isBusy, () => database.exec('PRAGMA journal_mode = WAL'));
  const last = inTransaction(database, 'BEGIN IMMEDIATE', () => {
    const row = database.prepare('SELECT pid FROM serving').get();
    database.prepare('INSERT OR REPLACE INTO serving VALUES (1, ?)').run(process.pid);
    return row?.pid as number | undefined;
  });
  if (!isOpenElsewhere) return null;
  return last !== undefined && isRunning(last) ? `process ${last}` : 'another process';
}

function canLeaveWal(database: DatabaseSync): boolean {
  try {
    database.exec('PRAGMA journal_mode = DELETE');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
