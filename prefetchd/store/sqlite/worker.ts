// The worker thread that reads and writes an SQLite store's file, one request at a time. On a single core, requests
// of the service take precedence. The sweep after an era ended (ended-eras.ts) runs between requests: batches of a
// few ms with pauses, so 100,000 URLs take less than a minute.

import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { PrefetchdError } from '../../errors.ts';
import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import { SqliteFile } from './graph-file.ts';
import {
  buffersOf,
  type FromSqlite,
  type SqliteRequest,
  type SqliteWorkerData,
  type ToSqlite,
} from './worker-messages.ts';

/** On Linux, priority applies per thread. */
const niceness = 10;
const pauseMs = 100;
if (process.platform === 'linux') giveWay();

const { path, options } = workerData as SqliteWorkerData;
const answer = (message: FromSqlite, buffers: ArrayBuffer[] = []): void =>
  parentPort?.postMessage(message, buffers);
const file = new SqliteFile(path, { ...options, onNotice: (notice) => answer({ notice }) });

let pause: NodeJS.Timeout | undefined;

parentPort?.on('message', onMessage);

function onMessage({ id, ...request }: ToSqlite): void {
  try {
    const result = resultOf(request);
    answer(
      { id, result },
      request.call === 'load' && result ? buffersOf(result as GraphDelta) : [],
    );
  } catch (error) {
    const { message, cause } = error as Error;
    answer({
      id,
      error: { code: error instanceof PrefetchdError ? error.code : null, message, cause },
    });
  }
  if (request.call === 'close') {
    clearTimeout(pause);
    // Without a listener the thread ends; Deno's port has no close().
    parentPort?.off('message', onMessage);
  } else pause ??= setTimeout(endEras, pauseMs);
}

function endEras(): void {
  pause = file.endEras() ? setTimeout(endEras, pauseMs) : undefined;
}

function resultOf(request: SqliteRequest): unknown {
  switch (request.call) {
    case 'identity':
      return file.identity();
    case 'load':
      return file.load(request.nowMs);
    case 'add':
      return file.add(request.delta, request.nowMs);
    case 'look':
      return file.look();
    case 'restore':
      return file.restore(request.delta, request.nowMs, request.news);
    case 'salt':
      return file.salt(request.nowMs, request.lifeMs, request.own);
    case 'expire':
      return file.expire(request.nowMs, request.saltLifeMs);
    case 'forget':
      return file.forget(request.url);
    case 'begin-serving':
      return file.beginServing();
    case 'close':
      return file.close();
  }
}

function giveWay(): void {
  try {
    if (getPriority() < niceness) setPriority(niceness);
  } catch {
    // Not permitted here: both get the same share.
  }
}
