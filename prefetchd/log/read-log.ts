// Reads logs as accesses: `for await (const batch of readLog(paths))`. One log is read in its own order, several are
// merged by time. Memory is bounded by a few chunks per log and the caps of its caches.

import type { Access } from '../access.ts';
import { AccessMaker } from './access-of-line.ts';
import type { LogContext } from './block-reader.ts';
import { fileBytes, isFile, type LogSource, nameOf } from './log-bytes.ts';
import { logFile } from './log-file.ts';
import type { LogFormat } from './log-format.ts';
import { type LogSettings, logSettings, type ReadLogOptions } from './log-options.ts';
import { mergedByTime, type TimedLog } from './merged-by-time.ts';
import { ProgressMeter } from './read-progress.ts';
import { emptyStatistics, type LogStatistics } from './statistics.ts';

export interface LogReading extends AsyncIterable<Access[]> {
  /** Updated while the log is read. */
  readonly statistics: LogStatistics;
}

/** Reads logs, plain or compressed, in any format of formats/index.ts. The result can be iterated once; leaving the
 *  loop early closes all files.
 *  @throws PrefetchdError invalid-option, unknown-log-format at once; log-unreadable, unknown-log-format while
 *  iterating. An unreadable line never throws: it is counted. */
export function readLog(sources: readonly LogSource[], options: ReadLogOptions = {}): LogReading {
  const settings = logSettings(options);
  const hosts = new Map<string, number>();
  const statistics = emptyStatistics(hosts);
  const context = contextFor(settings, statistics, hosts);
  return {
    statistics,
    [Symbol.asyncIterator]: () => batches(sources, context),
  };
}

async function* batches(
  sources: readonly LogSource[],
  context: LogContext,
): AsyncGenerator<Access[]> {
  const { progress, settings } = context;
  for (const source of sources) {
    if (!isFile(source)) progress.bytesTotal = undefined;
    else if (progress.bytesTotal !== undefined) progress.bytesTotal += await fileBytes(source);
  }
  const [only] = sources;
  if (sources.length === 1 && only !== undefined) yield* logFile(only, context);
  else
    yield* mergedByTime(
      await Promise.all(sources.map((source) => timed(source, context, settings))),
    );
  progress.end();
}

async function timed(
  source: LogSource,
  context: LogContext,
  settings: LogSettings,
): Promise<TimedLog> {
  const open = () => logFile(source, context);
  if (!isFile(source)) return { firstTimeMs: Number.NEGATIVE_INFINITY, open };
  const hosts = new Map<string, number>();
  const trial = contextFor({ ...settings, onProgress: undefined }, emptyStatistics(hosts), hosts);
  for await (const [first] of logFile(nameOf(source), trial)) {
    if (first !== undefined) return { firstTimeMs: first.timeMs, open };
  }
  return { firstTimeMs: Number.NEGATIVE_INFINITY, open };
}

export function contextFor(
  settings: LogSettings,
  statistics: LogStatistics,
  hosts: Map<string, number>,
): LogContext {
  const makers = new Map<boolean, AccessMaker>();
  const { filter, signs, asPaper, host, absoluteUrls, normalise } = settings;
  return {
    settings,
    statistics,
    progress: new ProgressMeter(settings),
    accessMakerFor(format: LogFormat): AccessMaker {
      const keepHost = absoluteUrls ?? (format.manySites === true && host === null);
      const maker =
        makers.get(keepHost) ??
        new AccessMaker({
          filter,
          signs,
          asPaper,
          host: host ?? undefined,
          keepHost,
          normalise,
          hosts,
        });
      makers.set(keepHost, maker);
      return maker;
    },
    forgetClients() {
      for (const maker of makers.values()) maker.forgetClients();
    },
  };
}
