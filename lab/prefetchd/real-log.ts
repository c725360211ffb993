// Loads a real log as the trace for a simulation.

import { basename } from 'node:path';
import { readLog } from '../../prefetchd/log/index.ts';
import { type Trace, TraceBuilder } from '../../prefetchd/simulate/index.ts';
import { withConstants } from '../constants.ts';

const dayMs = 24 * 60 * 60 * 1000;

export interface RealLog {
  name: string;
  lines: number;
  trace: Trace;
}

/** @param asPaper By the rules of `simulate --as-paper`, otherwise by those of the service */
export async function realLog(path: string, asPaper = false): Promise<RealLog> {
  const builder = new TraceBuilder({ asPaper });
  const reading = readLog([path], withConstants({ asPaper }));
  for await (const batch of reading) for (const access of batch) builder.add(access);
  return { name: basename(path), lines: reading.statistics.lines, trace: builder.build() };
}

/** Again and again, a day later each time, up to so many accesses; for logs of a day at most. */
export async function repeatedLog(path: string, accesses: number): Promise<Trace> {
  const log = [];
  for await (const batch of readLog([path])) log.push(...batch);
  const builder = new TraceBuilder();
  for (let day = 0; log.length > 0 && builder.count < accesses; day++) {
    for (const access of log.slice(0, accesses - builder.count)) {
      builder.add({ ...access, timeMs: access.timeMs + day * dayMs });
    }
  }
  return builder.build();
}
