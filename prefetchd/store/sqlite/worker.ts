// Runs in the worker thread that reads and writes an SQLite store's file, one call at a time.

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { PrefetchdError } from '../../errors.ts';
import { SqliteFile } from './graph-file.ts';
import type { GraphPart } from './read-graph.ts';
import type { FromSqlite, SqliteWorkerData, ToSqlite } from './sqlite-graph-store.ts';

const { path, options } = workerData as SqliteWorkerData;
const onNotice = (notice: string) => parentPort?.postMessage(notice);
const file = new SqliteFile(path, { ...options, onNotice });

parentPort?.on('message', onMessage);

function onMessage({ call, args, port }: ToSqlite): void {
  port.postMessage(answerTo(call, args, port));
  port.close();
  // The thread ends when it has no listener. Deno's port has no close(), so the listener is removed.
  if (call === 'close') parentPort?.off('message', onMessage);
}

function answerTo(call: ToSqlite['call'], args: unknown[], port: MessagePort): FromSqlite {
  const onPart = (part: GraphPart) =>
    port.postMessage({ part }, 'numbers' in part ? [part.numbers.buffer] : []);
  const given = call === 'load' ? [...args, onPart] : args;
  try {
    return { result: (file[call] as (...given: unknown[]) => unknown)(...given) };
  } catch (error) {
    const { message, cause } = error as Error;
    const code = error instanceof PrefetchdError ? error.code : null;
    return { error: { code, message, cause } };
  }
}
