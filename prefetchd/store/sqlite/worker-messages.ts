// Messages between an SQLite store and its thread. Typed arrays are transferred, not copied.

import type { PrefetchdErrorCode } from '../../errors.ts';
import type { GraphDelta } from '../../model/delta/graph-delta.ts';
import type { Salt } from '../../model/salt.ts';
import type { SqliteFileOptions } from './graph-file.ts';

export interface SqliteWorkerData {
  path: string;
  options: Omit<SqliteFileOptions, 'onNotice'>;
}

export type SqliteRequest =
  | { call: 'identity' }
  | { call: 'load'; nowMs: number }
  | { call: 'add'; delta: GraphDelta; nowMs: number }
  | { call: 'look' }
  | { call: 'restore'; delta: GraphDelta; news: GraphDelta[]; nowMs: number }
  | { call: 'salt'; nowMs: number; lifeMs: number; own?: Salt }
  | { call: 'expire'; nowMs: number; saltLifeMs: number }
  | { call: 'forget'; url: string }
  | { call: 'begin-serving' }
  | { call: 'close' };

export type ToSqlite = SqliteRequest & { id: number };

export type FromSqlite =
  | { id: number; result: unknown }
  | { id: number; error: { code: PrefetchdErrorCode | null; message: string; cause: unknown } }
  | { notice: string };

/** The buffers of a delta's columns, to transfer; the delta is empty afterwards. */
export function buffersOf({ kinds, accesses, graphs }: GraphDelta): ArrayBuffer[] {
  const columns = graphs.flatMap(({ from, to, counts, clients, seen }) => [
    from,
    to,
    counts,
    clients,
    seen,
  ]);
  return [kinds, accesses, ...columns].map(({ buffer }) => buffer as ArrayBuffer);
}
