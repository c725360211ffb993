// The row of a request is filled by a response, and reset when the response starts over. Times are ms since navigation
// start.

import type { HeaderPair } from '../../http/header-pairs.ts';
import { noResponse, type ResourceRecord } from '../page-load.ts';

/** A final response from the network or the cache. */
export interface Began {
  status: number;
  statusText: string;
  headers: HeaderPair[];
  /** The header fields as received, if `headers` has been changed since. */
  wireHeaders?: HeaderPair[];
}

export function noteResponse(row: ResourceRecord, response: Began, startMs: number): void {
  row.status = response.status;
  row.statusText = response.statusText;
  row.responseHeaders = response.wireHeaders ?? response.headers;
  row.responseStartMs = startMs;
}

/**
 * Returns the size in bytes of the status line and fields as HTTP/1.1 writes them; the size of HTTP/2's encoding is not
 * known here.
 */
export function headBytes({ status, statusText, headers, wireHeaders }: Began): number {
  const fields = (wireHeaders ?? headers).map(([name, value]) => name.length + value.length + 4);
  const statusLine = `HTTP/1.1 ${status} ${statusText}\r\n\r\n`.length;
  return fields.reduce((sum, bytes) => sum + bytes, statusLine);
}

/** Resets what the response set in the row, but not when and how often the request was sent. */
export function takeBack(row: ResourceRecord): void {
  Object.assign(row, noResponse());
}

/** Converts monotonic times to ms since navigation start, and to wall-clock times for the cache. */
export class PageClock {
  /** Monotonic time of navigation start, ms (performance.now). */
  readonly startedAt: number;
  /** Wall clock at navigation start, ms since the epoch. */
  readonly startedAtMs: number;

  /** @param startedAt Monotonic time of navigation start, ms. */
  constructor(startedAt: number = performance.now()) {
    this.startedAt = startedAt;
    this.startedAtMs = Date.now() - (performance.now() - startedAt);
  }

  /** Converts a monotonic time to ms since navigation start. */
  time(at: number): number {
    return at - this.startedAt;
  }

  /** Converts a monotonic time to wall-clock time, ms since the epoch. */
  wallTime(at: number): number {
    return this.startedAtMs + this.time(at);
  }
}
