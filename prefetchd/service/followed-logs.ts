// Learns from access logs while they are written, as a source of accesses besides HTTP: for sites whose web server
// writes a log and does not know prefetchd. Dropped lines are counted under the same reasons as requests from other
// sources.

import { withConstants } from '../../options/options.ts';
import type { Engine } from '../engine/engine.ts';
import type { NotLearned } from '../engine/prefetchd.ts';
import { type Following, type FollowOptions, followLog } from '../log/follow.ts';
import { type LineDropReason, type LogStatistics, lineDropReasons } from '../log/index.ts';

export interface FollowedLogsOptions
  extends Pick<FollowOptions, 'format' | 'from' | 'pollIntervalMs' | 'log'> {
  /** Origin of the site: lines of other hosts are dropped if the log names hosts. */
  origin?: string | null;
}

const reasonOf: Readonly<Record<LineDropReason, NotLearned>> = {
  'no-request': 'url',
  'other-host': 'cross-origin',
  monitor: 'monitor',
  bot: 'bot',
  scan: 'scan',
  admin: 'admin',
  method: 'method',
  status: 'status',
  private: 'private',
  noindex: 'noindex',
  'not-page': 'not-page',
};

/** Starts to learn from logs. Resolves when the existing lines of each are read or skipped. @throws PrefetchdError
 *  `unknown-log-format`, `log-unreadable` */
export async function learnFromLogs(
  prefetchd: Engine,
  paths: readonly string[],
  { origin = null, ...options }: FollowedLogsOptions = {},
): Promise<readonly Following[]> {
  const logs: Following[] = [];
  try {
    for (const path of new Set(paths)) {
      const countDropped = dropCounter(prefetchd);
      const log: Following = followLog(path, {
        ...options,
        host: hostOf(origin),
        ...withConstants({ signs: true }),
        normalise: (url) => url, // URLs stay as logged, because the engine normalises them
        onAccesses(accesses) {
          for (const access of accesses) prefetchd.observe(access);
          countDropped(log.statistics);
        },
      });
      logs.push(log);
    }
    await Promise.all(logs.map(({ ready }) => ready));
    return logs;
  } catch (error) {
    await Promise.all(logs.map((log) => log.close()));
    throw error;
  }
}

/** Returns a function that counts, in prefetchd, the lines that were dropped since its last call. */
function dropCounter(prefetchd: Engine): (statistics: LogStatistics) => void {
  const counted = new Map<LineDropReason | 'unparsed', number>();
  const countUpTo = (name: LineDropReason | 'unparsed', count: number, reason: NotLearned) => {
    for (let at = counted.get(name) ?? 0; at < count; at++) prefetchd.dropped(reason);
    counted.set(name, count);
  };
  return ({ dropped, unparsed }) => {
    for (const name of lineDropReasons) countUpTo(name, dropped[name], reasonOf[name]);
    countUpTo('unparsed', unparsed, 'malformed');
  };
}

function hostOf(origin: string | null): string | null {
  return origin === null ? null : (URL.parse(origin)?.host ?? null);
}
