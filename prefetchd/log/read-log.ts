// Reads logs as accesses: `for await (const batch of readLog(paths))`. One log is read in its own order, several are
// merged by time. Memory is bounded by a few chunks per open log and the caps of its caches.

import { stat } from 'node:fs/promises';
import type { Access } from '../access.ts';
import { LineReader, type LogRun, startRun } from './line-reader.ts';
import { isFilePath, type LogSource, logLines, nameOf } from './log-bytes.ts';
import { logSettings } from './log-options.ts';
import type { ReadLogOptions } from './log-table.ts';
import { emptyFileStatistics, type LogStatistics } from './statistics.ts';

export interface LogReading extends AsyncIterable<Access[]> {
  /** Statistics, updated while the log is read. */
  readonly statistics: LogStatistics;
}

/** Reads logs, plain or compressed, in any format of formats/index.ts. The result can be iterated once; leaving the
 *  loop early closes all files.
 *  @throws PrefetchdError invalid-option, unknown-log-format at once; log-unreadable, unknown-log-format while
 *  iterating. An unreadable line never throws: it is counted. */
export function readLog(sources: readonly LogSource[], options: ReadLogOptions = {}): LogReading {
  const run = startRun(logSettings(options));
  return {
    statistics: run.statistics,
    [Symbol.asyncIterator]: () => batches(sources, run),
  };
}

async function* batches(sources: readonly LogSource[], run: LogRun): AsyncGenerator<Access[]> {
  const stats = await Promise.all(
    sources.filter(isFilePath).map((path) => stat(path).catch(() => null)),
  );
  const isKnown = stats.length === sources.length;
  const total = stats.reduce((sum, found) => sum + (found?.size ?? 0), 0);
  const progress = new ProgressMeter(run, isKnown ? total : undefined);
  const [only] = sources;
  if (only !== undefined && sources.length === 1) yield* logFile(only, run, progress);
  else yield* mergedByTime(sources, run, progress);
  progress.update(true);
}

/**
 * Yields the accesses of one log, in batches of one chunk each.
 * @throws PrefetchdError log-unreadable, unknown-log-format
 */
async function* logFile(
  source: LogSource,
  run: LogRun,
  progress: ProgressMeter,
): AsyncGenerator<Access[]> {
  const file = emptyFileStatistics(nameOf(source));
  run.statistics.files.push(file);
  const reader = new LineReader(file, run);
  const onRead = (bytes: number) => {
    progress.bytesRead += bytes;
  };
  for await (const lines of logLines(source, file, run.settings.maxLineBytes, onRead)) {
    const accesses = reader.accessesOf(lines);
    if (accesses.length > 0) yield accesses;
    progress.update();
  }
  const last = reader.settle();
  if (last.length > 0) yield last;
  reader.checkKnown();
}

const batchAccesses = 4096;

/** Merges logs: each keeps its own order, and the one whose next access is earliest comes first (on a tie, the one
 *  named first). A log is opened when its first access is due, so of a year of daily files only one or two are open. */
async function* mergedByTime(
  sources: readonly LogSource[],
  run: LogRun,
  progress: ProgressMeter,
): AsyncGenerator<Access[]> {
  const logs = await Promise.all(
    sources.map(async (source) => ({
      batches: logFile(source, run, progress), // the file is opened when its first batch is asked for
      batch: [] as Access[],
      at: -1,
      timeMs: await firstTimeMs(source, run),
    })),
  );
  let merged: Access[] = [];
  try {
    while (logs.length > 0) {
      const log = logs.reduce((first, each) => (each.timeMs < first.timeMs ? each : first));
      const due = log.batch[log.at++];
      if (due !== undefined) merged.push(due);
      if (log.at === log.batch.length) {
        // Accesses come in batches, because awaiting each one singly would take as long as reading it.
        const { done, value } = await log.batches.next();
        if (done) logs.splice(logs.indexOf(log), 1);
        else Object.assign(log, { batch: value, at: 0 });
      }
      log.timeMs = log.batch[log.at]?.timeMs ?? log.timeMs;
      if (merged.length < batchAccesses) continue;
      yield merged;
      merged = [];
    }
    if (merged.length > 0) yield merged;
  } finally {
    for (const { batches } of logs) await batches.return(undefined);
  }
}

/** Returns the time of a log's first access; -Infinity if it is unknown before the log is read. */
async function firstTimeMs(source: LogSource, { settings }: LogRun): Promise<number> {
  if (!isFilePath(source)) return Number.NEGATIVE_INFINITY;
  const trial = startRun({ ...settings, onProgress: undefined });
  for await (const [first] of logFile(source, trial, new ProgressMeter(trial, undefined))) {
    if (first !== undefined) return first.timeMs;
  }
  return Number.NEGATIVE_INFINITY;
}

/** Least time between two reports of progress, ms. */
const tellEveryMs = 200;

/** Reports progress now and then, and at the end. */
class ProgressMeter {
  bytesRead = 0;
  readonly #bytesTotal: number | undefined;
  readonly #run: LogRun;
  readonly #startMs: number;
  #toldMs: number;

  constructor(run: LogRun, bytesTotal: number | undefined) {
    this.#run = run;
    this.#bytesTotal = bytesTotal;
    this.#startMs = performance.now();
    this.#toldMs = this.#startMs;
  }

  update(isAtEnd = false): void {
    const { onProgress } = this.#run.settings;
    if (onProgress === undefined) return;
    const timeMs = performance.now();
    if (!isAtEnd && timeMs - this.#toldMs < tellEveryMs) return;
    this.#toldMs = timeMs;
    const { lines } = this.#run.statistics;
    const { bytesRead } = this;
    const bytesTotal = this.#bytesTotal;
    const elapsedMs = Math.max(1, timeMs - this.#startMs);
    const linesPerSecond = (lines / elapsedMs) * 1000;
    const bytesLeft = bytesTotal === undefined ? undefined : Math.max(0, bytesTotal - bytesRead);
    const timeLeftMs = bytesLeft && (elapsedMs * bytesLeft) / bytesRead;
    onProgress({ bytesRead, bytesTotal, lines, linesPerSecond, timeLeftMs });
  }
}
