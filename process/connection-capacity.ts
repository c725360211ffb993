// Estimates how many connections a process can handle, from the limits that matter: file descriptors and memory.
// Defaults are derived from this estimate rather than fixed.

import { readFileSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';

/** File descriptors reserved for files, the store, logs, Redis, and for accepting and refusing connections. */
const reservedFiles = 256;
/** Number of file descriptors assumed where no limit can be read (Windows). */
const assumedFiles = 16_384;
/** Share (0..1) of V8's heap limit that is available to connections. */
const heapShare = 0.5;
/** Memory of a connection with a pending request, bytes; its connection to the site, if proxied, is included. */
const bytesPerConnection = 40 * 1024;
const most = 1_000_000;

/** Reads the soft limit on open files from the text of /proc/self/limits; null if there is none. */
export function openFilesIn(limits: string): number | null {
  const [, soft] = /^Max open files\s+(\S+)/m.exec(limits) ?? [];
  if (soft === 'unlimited') return most;
  return soft === undefined ? null : Number(soft);
}

/** Returns how many file descriptors this process may open: the soft limit, which Node raises to the hard one at
 *  startup. */
export function openFilesLimit(): number {
  try {
    const limit = openFilesIn(readFileSync('/proc/self/limits', 'latin1'));
    if (limit !== null) return limit;
  } catch {
    // Only Linux has /proc/self/limits; on other systems Node's report has the limit.
  }
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } };
  };
  const soft = userLimits?.open_files?.soft;
  return soft === 'unlimited' ? most : (soft ?? assumedFiles);
}

/** The resources that limit the connections of a process. */
export interface Bounds {
  /** Number of file descriptors that the process may open. */
  files: number;
  /** Largest size of V8's heap, bytes. */
  heapBytes: number;
}

/**
 * Returns the number of connections that can be handled.
 * @param share Share of the file descriptors that connections may use, 0..1, if the rest is needed for something else
 */
export function capacityFor({ files, heapBytes }: Bounds, share = 1): number {
  const free = files - Math.min(reservedFiles, Math.ceil(files / 4));
  const byMemory = (heapBytes * heapShare) / bytesPerConnection;
  return Math.max(1, Math.floor(Math.min(free * share, byMemory, most)));
}

let bounds: Bounds | undefined;

/** Returns the number of connections that this process can handle; its limits are read once. */
export function connectionCapacity(share = 1): number {
  bounds ??= { files: openFilesLimit(), heapBytes: getHeapStatistics().heap_size_limit };
  return capacityFor(bounds, share);
}
