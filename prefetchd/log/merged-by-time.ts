// Merges several logs by time. Each log keeps its own order, and the log whose next access is earliest comes first (on
// a tie, the log named first). A log is opened when its first access is due, so of a year of daily files only one or
// two are open.

import type { Access } from '../access.ts';

export interface TimedLog {
  /** Time of the first access; -Infinity if it is unknown before the log is opened. */
  firstTimeMs: number;
  open(): AsyncGenerator<Access[]>;
}

interface OpenLog {
  /** Position among the logs, which breaks ties. */
  rank: number;
  batches: AsyncGenerator<Access[]>;
  batch: Access[];
  next: number;
}

const batchAccesses = 4096;

export async function* mergedByTime(logs: readonly TimedLog[]): AsyncGenerator<Access[]> {
  const waiting = logs
    .map((log, rank) => ({ log, rank }))
    .sort((a, b) => compareTimes(a.log.firstTimeMs, b.log.firstTimeMs) || a.rank - b.rank);
  const open: OpenLog[] = [];
  let merged: Access[] = [];
  try {
    while (waiting.length > 0 || open.length > 0) {
      for (let due = waiting[0]; due !== undefined && isDue(due.log, open); due = waiting[0]) {
        waiting.shift();
        const opened = { rank: due.rank, batches: due.log.open(), batch: [], next: 0 };
        open.push(opened);
        await advance(opened, open);
      }
      const first = earliest(open);
      if (first === undefined) continue;
      merged.push(first.batch[first.next++] as Access);
      if (first.next === first.batch.length) await advance(first, open);
      if (merged.length >= batchAccesses) {
        yield merged;
        merged = [];
      }
    }
    if (merged.length > 0) yield merged;
  } finally {
    for (const { batches } of open) await batches.return(undefined);
  }
}

function compareTimes(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function isDue(log: TimedLog, open: readonly OpenLog[]): boolean {
  const first = earliest(open);
  return first === undefined || log.firstTimeMs <= headTimeMs(first);
}

function headTimeMs(log: OpenLog): number {
  return (log.batch[log.next] as Access).timeMs;
}

function earliest(open: readonly OpenLog[]): OpenLog | undefined {
  let first: OpenLog | undefined;
  for (const log of open) {
    if (first === undefined) first = log;
    else {
      const difference = headTimeMs(log) - headTimeMs(first);
      if (difference < 0 || (difference === 0 && log.rank < first.rank)) first = log;
    }
  }
  return first;
}

/** Gets the next batch, or closes the log at its end. */
async function advance(log: OpenLog, open: OpenLog[]): Promise<void> {
  const { done, value } = await log.batches.next();
  if (done) open.splice(open.indexOf(log), 1);
  else {
    log.batch = value;
    log.next = 0;
  }
}
