// How many connections a process has room for: what really bounds it is the descriptors it may open and the memory it
// may use, so defaults come from there and not from a number that was right for one machine.

import { readFileSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';

/** Kept for files, the store, logs, Redis, and for accepting and refusing. */
const reservedFiles = 256;
/** Where nothing says how many there may be (Windows). */
const assumedFiles = 16_384;
/** Of the heap that V8 may use, connections may have so much. */
const heapShare = 0.5;
/** Of a connection with a request under way: 10,000 of them through the proxy took 412 MB of resident memory, theirs to
 *  the site included. */
const bytesPerConnection = 40 * 1024;
const most = 1_000_000;

/** The limit as /proc/self/limits has it; null: it has none that can be read. */
export function openFilesIn(limits: string): number | null {
  const [, soft] = /^Max open files\s+(\S+)/m.exec(limits) ?? [];
  if (soft === 'unlimited') return most;
  return soft === undefined ? null : Number(soft);
}

/** Descriptors this process may open: the soft limit, which Node raises to the hard one when it starts. */
export function openFilesLimit(): number {
  try {
    const limit = openFilesIn(readFileSync('/proc/self/limits', 'latin1'));
    if (limit !== null) return limit;
  } catch {
    // Not Linux.
  }
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } };
  };
  const soft = userLimits?.open_files?.soft;
  return soft === 'unlimited' ? most : (soft ?? assumedFiles);
}

/** What bounds the connections of a process. */
export interface Bounds {
  /** Descriptors it may open. */
  files: number;
  /** What its heap may grow to. */
  heapBytes: number;
}

/**
 * Connections there is room for.
 * @param share of the descriptors, where others are needed for something else, 0..1
 */
export function capacityFor({ files, heapBytes }: Bounds, share = 1): number {
  const free = files - Math.min(reservedFiles, Math.ceil(files / 4));
  const byMemory = (heapBytes * heapShare) / bytesPerConnection;
  return Math.max(1, Math.floor(Math.min(free * share, byMemory, most)));
}

let bounds: Bounds | undefined;

/** The same for this process, whose bounds are read once. */
export function connectionCapacity(share = 1): number {
  bounds ??= { files: openFilesLimit(), heapBytes: getHeapStatistics().heap_size_limit };
  return capacityFor(bounds, share);
}
