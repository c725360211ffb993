// Runs in the worker thread that reads and writes an SQLite store's file, one call at a time.

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { PrefetchdError } from '../../errors.ts';
import { SqliteFile } from './graph-file.ts';
import type { FromSqlite, SqliteWorkerData, ToSqlite } from './sqlite-graph-store.ts';

const [path, options] = workerData as SqliteWorkerData;
/** The port that takes the answers to the present call. */
let answers: MessagePort;
const tell = (message: FromSqlite) => answers.postMessage(message);
const file = new SqliteFile(path, { ...options, onNotice: (notice) => tell({ notice }) });
const give = (part: string) => tell({ part });

parentPort?.on('message', onCall);

function onCall([port, call, ...args]: ToSqlite): void {
  answers = port;
  try {
    const work = file[call] as (...args: unknown[]) => unknown;
    const result = work.apply(file, call === 'load' ? [...args, give] : args);
    tell({ result, need: file.need });
  } catch (error) {
    const { code, message, cause } = error as PrefetchdError;
    tell({ error: { code, message, cause } });
  }
  // The thread ends when it has no listener. Deno's port has no close(), so the listener is removed.
  if (call === 'close') parentPort?.off('message', onCall);
}
