// Runs in the worker thread that reads and writes an SQLite store's file, one call at a time.

import { parentPort, workerData } from 'node:worker_threads';
import { PrefetchdError } from '../../errors.ts';
import type { StoredGraph } from './arc-columns.ts';
import { SqliteFile } from './graph-file.ts';
import type { FromSqlite, SqliteWorkerData, ToSqlite } from './sqlite-graph-store.ts';

const { path, options } = workerData as SqliteWorkerData;
const onNotice = (notice: string) => parentPort?.postMessage(notice);
const file = new SqliteFile(path, { ...options, onNotice });

parentPort?.on('message', onMessage);

function onMessage({ call, args, port }: ToSqlite): void {
  const answer = answerTo(call, args);
  port.postMessage(answer, call === 'load' ? buffersOf(answer) : []);
  port.close();
  // The thread ends when it has no listener. Deno's port has no close(), so the listener is removed.
  if (call === 'close') parentPort?.off('message', onMessage);
}

/** The columns of a loaded graph, which are handed over, not copied. */
function buffersOf(answer: FromSqlite): ArrayBuffer[] {
  const graph = 'result' in answer ? (answer.result as StoredGraph | null) : null;
  const columns = graph?.graphs.flatMap(({ arcs: _, ...columns }) => Object.values(columns)) ?? [];
  return columns.map(({ buffer }) => buffer);
}

function answerTo(call: ToSqlite['call'], args: unknown[]): FromSqlite {
  try {
    return { result: (file[call] as (...given: unknown[]) => unknown)(...args) };
  } catch (error) {
    const { message, cause } = error as Error;
    const code = error instanceof PrefetchdError ? error.code : null;
    return { error: { code, message, cause } };
  }
}
