// The worker thread that reads and writes an SQLite store's file, one call at a time.

import { parentPort, workerData } from 'node:worker_threads';
import { PrefetchdError } from '../../errors.ts';
import { SqliteFile } from './graph-file.ts';
import type { FromSqlite, SqliteWorkerData, ToSqlite } from './sqlite-graph-store.ts';

const { path, options } = workerData as SqliteWorkerData;
const answer = (message: FromSqlite) => parentPort?.postMessage(message);
const file = new SqliteFile(path, { ...options, onNotice: (notice) => answer({ notice }) });

parentPort?.on('message', onMessage);

function onMessage({ id, call, args }: ToSqlite): void {
  try {
    answer({ id, result: (file[call] as (...given: unknown[]) => unknown)(...args) });
  } catch (error) {
    const { message, cause } = error as Error;
    const code = error instanceof PrefetchdError ? error.code : null;
    answer({ id, error: { code, message, cause } });
  }
  // Without a listener the thread ends; Deno's port has no close().
  if (call === 'close') parentPort?.off('message', onMessage);
}
