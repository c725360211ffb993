// The worker thread that reads and writes an SQLite store's file, one call at a time. On a single core, requests of
// the service take precedence. After an era ended, the sweep runs between calls, in batches of a few ms with pauses.

import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { PrefetchdError } from '../../errors.ts';
import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import { SqliteFile } from './graph-file.ts';
import type { FromSqlite, SqliteWorkerData, ToSqlite } from './sqlite-graph-store.ts';

/** Priority of the thread; on Linux, priorities apply per thread. */
const niceness = 10;
const pauseMs = 100;
if (process.platform === 'linux') giveWay();

const { path, options } = workerData as SqliteWorkerData;
const answer = (message: FromSqlite, buffers: ArrayBuffer[] = []): void =>
  parentPort?.postMessage(message, buffers);
const file = new SqliteFile(path, { ...options, onNotice: (notice) => answer({ notice }) });

let pause: NodeJS.Timeout | undefined;

parentPort?.on('message', onMessage);

function onMessage({ id, call, args }: ToSqlite): void {
  try {
    const result = (file[call] as (...given: unknown[]) => unknown)(...args);
    answer({ id, result }, call === 'load' && result ? buffersOf(result as GraphDelta) : []);
  } catch (error) {
    const { message, cause } = error as Error;
    const code = error instanceof PrefetchdError ? error.code : null;
    answer({ id, error: { code, message, cause } });
  }
  if (call === 'close') {
    clearTimeout(pause);
    // Without a listener the thread ends; Deno's port has no close().
    parentPort?.off('message', onMessage);
  } else pause ??= setTimeout(endEras, pauseMs);
}

function endEras(): void {
  pause = file.endEras() ? setTimeout(endEras, pauseMs) : undefined;
}

/** Buffers of a graph's columns, which are transferred instead of copied. */
function buffersOf({ kinds, accesses, graphs }: GraphDelta): ArrayBuffer[] {
  const columns = [kinds, accesses, ...graphs.flatMap((graph) => Object.values(graph))];
  return columns.map(({ buffer }) => buffer as ArrayBuffer);
}

function giveWay(): void {
  try {
    if (getPriority() < niceness) setPriority(niceness);
  } catch {
    // If the process may not change its priority, both threads get the same share.
  }
}
