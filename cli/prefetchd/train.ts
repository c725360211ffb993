// `prefetchd train LOG... --store STORE`: adds what is learned from logs to a store. The engine is that of the service,
// with the times in the logs as its clock; only the number of clients is kept, not the clients.

import { existsSync } from 'node:fs';
import { plural } from '../../loader/report/units.ts';
import { withConstants } from '../../options/options.ts';
import type { Access } from '../../prefetchd/access.ts';
import { Engine } from '../../prefetchd/engine/engine.ts';
import {
  type CheckedOptions,
  prefetchdDefaults,
  prefetchdOptions,
} from '../../prefetchd/engine/prefetchd-options.ts';
import type { GraphDelta } from '../../prefetchd/model/delta/graph-delta.ts';
import type { PredictorName } from '../../prefetchd/model/index.ts';
import type { Observation } from '../../prefetchd/model/predictor.ts';
import type { GraphStore } from '../../prefetchd/store/graph-store.ts';
import {
  keptStoreForms,
  openStore,
  parseStore,
  type StoreLocation,
  storeName,
} from '../../prefetchd/store/store-location.ts';
import { CommandError } from '../command-error.ts';
import { nextCommand } from '../run-command.ts';
import {
  describeLayouts,
  eachHost,
  type LogFlags,
  noAccess,
  readAccesses,
  sitesIn,
  without,
} from './read-logs.ts';

export interface TrainFlags extends LogFlags {
  store: string;
  predictor?: PredictorName;
  window?: number;
  /** Half-life of learned counts, ms; infinite: counts do not age. */
  halfLife?: number;
}

/** Runs `prefetchd train`. @returns the exit code */
export async function trainOnLogs(logs: string[], flags: TrainFlags): Promise<number> {
  const location = keptStore(flags.store);
  const { predictor, window } = flags;
  const halfLifeMs = halfLifeOf(flags);
  prefetchdOptions({ predictor, window, halfLifeMs }); // they are checked before a file is created
  const store = await openStore(location, { halfLifeMs });
  try {
    // This call removes the salt for hashing clients if it is too old, with the clients' fingerprints made with it.
    await store.salt(Date.now(), prefetchdDefaults.fingerprintLifeMs);
    const learner = await learnerFor(store, flags, halfLifeMs);
    const { delta, how } = await learn(learner, logs, flags);
    await store.add(delta, Date.now());
    const place = storeName(location);
    const lines = [...how, `they are in ${place}`, '', serveCommand(place, learner)];
    process.stdout.write(`${lines.join('\n')}\n`);
    return 0;
  } finally {
    await store.close();
  }
}

/** Returns where a store is; refuses memory, which ends with the command. @throws CommandError, PrefetchdError */
export function keptStore(name: string): StoreLocation {
  const location = parseStore(name);
  if (location.type !== 'memory') return location;
  const why = 'memory is gone when the command ends';
  throw new CommandError(`--store must be ${keptStoreForms}: ${why}`, 2);
}

/** Checks that the file of a store is there, for commands that must not create it. @throws CommandError */
export function requireFile(location: StoreLocation): void {
  if (location.type === 'sqlite' && !existsSync(location.path)) {
    throw new CommandError(`there is no ${location.path}`, 1);
  }
}

/** Returns the command line of `prefetchd serve` that serves hints from the store, for the user to copy. */
export function serveCommand(store: string, { predictor, window }: Learner): string {
  const isPlain = /^[\w:./@%+=-]+$/.test(store);
  const quoted = isPlain ? store : `'${store.replaceAll("'", `'\\''`)}'`; // for a POSIX shell
  const flag = predictor === prefetchdDefaults.predictor ? '' : ` --predictor ${predictor}`;
  return nextCommand('prefetchd', `serve --store ${quoted} --window ${window}${flag}`);
}

export function halfLifeOf({ halfLife }: Pick<TrainFlags, 'halfLife'>): number | null {
  if (halfLife === undefined) return prefetchdDefaults.halfLifeMs;
  return halfLife === Number.POSITIVE_INFINITY ? null : halfLife;
}

/** The options that decide how an engine learns. */
type Learner = Pick<CheckedOptions, 'predictor' | 'window' | 'halfLifeMs'>;

/**
 * Returns the options with which to learn into a store: from the flags, else those of the store, else the defaults.
 * @throws CommandError if the store's predictor or window differ: their counts would not add up.
 */
export async function learnerFor(
  store: GraphStore,
  flags: Pick<TrainFlags, 'predictor' | 'window'>,
  halfLifeMs: number | null,
): Promise<Learner> {
  const kept = await store.identity();
  const predictor =
    flags.predictor ?? (kept?.predictor as PredictorName) ?? prefetchdDefaults.predictor;
  const window = flags.window ?? kept?.window ?? prefetchdDefaults.window;
  if (kept !== null && (kept.predictor !== predictor || kept.window !== window)) {
    throw new CommandError(
      `the store was learned by ${kept.predictor} with w ${kept.window}, not by ${predictor} with w ${window}: their counts do not add up; give those, or another store`,
    );
  }
  return { predictor, window, halfLifeMs };
}

/** How often, ms in the time of the log, the engine does its periodic work, such as replacing salts. */
const tickMs = 60_000;

/** Learns from logs. @param onLearn receives each request (access) that is learned @returns what was learned, and lines
 *  of text that say how the logs were read */
export async function learn(
  learner: Partial<Learner>,
  logs: string[],
  flags: LogFlags & { store?: string },
  onLearn: ((access: Observation) => void) | null = null,
): Promise<{ delta: GraphDelta; how: string[] }> {
  let nowMs: number | null = null;
  let engine: Engine | null = null;
  const learnAll = (batch: readonly Access[]) => {
    for (const access of batch) {
      if (nowMs === null || Math.abs(access.timeMs - nowMs) >= tickMs) {
        nowMs = access.timeMs;
        engine?.tick();
      }
      engine ??= new Engine({
        ...learner,
        ...withConstants({ requireObjects: flags.filter, onLearn }), // with --no-filter, robots are learned, too
        now: () => nowMs ?? 0,
        load: () => 0,
      });
      engine.observe(access);
    }
  };
  const kept = flags.store === undefined ? '' : '; the store is as it was';
  // URLs are passed on as they are: the engine normalises them, and remembers how the site spells them.
  const statistics = await readAccesses(logs, flags, learnAll, (url) => url);
  const many = sitesIn(statistics);
  if (flags.host === undefined && many !== null) {
    throw new CommandError(
      `the log has lines of several sites: ${many}. Give --host NAME for one, or --host ${eachHost} for all, each by itself${kept}`,
    );
  }
  // TypeScript does not see that `learnAll` assigns `engine`.
  const learned = engine as Engine | null;
  const stats = learned?.stats();
  const accesses = stats === undefined ? 0 : stats.learned.document + stats.learned.object;
  if (learned === null || stats === undefined || accesses === 0) {
    const { message, exitCode } = noAccess(logs, statistics, stats?.notLearned.prefetch);
    throw new CommandError(`${message}${kept}`, exitCode);
  }
  const delta = learned.export();
  await learned.close();
  const not = without(statistics, stats.notLearned);
  const graph = `w ${delta.window}: ${plural(stats.nodes, 'URL')}, ${plural(stats.arcs, 'arc')}`;
  const found = `learned from ${plural(accesses, 'access', 'accesses')}${not}, ${graph}`;
  return { delta, how: [...describeLayouts(statistics), found] };
}
