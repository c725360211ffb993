// Runs the engine that learns and hints for `serve` and `proxy`: its store, the logs it follows, and the files of hints
// it writes; and handles the signals that end it.
//
// Invariant: `close` closes what is opened here, in reverse order, also if the start fails.

import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { type Logger, silentLog } from '../../options/logger.ts';
import { defaultsOf } from '../../options/options.ts';
import { Engine } from '../../prefetchd/engine/engine.ts';
import { createPrefetchd } from '../../prefetchd/engine/prefetchd.ts';
import {
  type PrefetchdOptions,
  prefetchdDefaults,
  prefetchdTable,
  type Tuning,
  tuningTable,
} from '../../prefetchd/engine/prefetchd-options.ts';
import { logSettings } from '../../prefetchd/log/log-options.ts';
import { isPredictorName } from '../../prefetchd/model/index.ts';
import { learnFromLogs } from '../../prefetchd/service/followed-logs.ts';
import { HintFiles } from '../../prefetchd/service/hint-files.ts';
import { HoldbackFile } from '../../prefetchd/service/holdback-file.ts';
import type { GraphStore, StoreIdentity } from '../../prefetchd/store/graph-store.ts';
import { openStore, parseStore, type StoreLocation } from '../../prefetchd/store/store-location.ts';
import { fileFailure } from '../../process/file-failure.ts';
import { CommandError } from '../command-error.ts';
import { pick } from '../flag-values.ts';
import { optionsOfFlags } from '../option-flags.ts';
import { type SettingSource, settingsOf } from './flag-settings.ts';
import { defaultStore, type Settings } from './settings.ts';

export interface RunningEngine {
  prefetchd: Engine;
  log: Logger;
  /** Name of the store for messages and the log, without its password. */
  storeName: string;
  /** Values of the settings that may change at run time (SIGHUP), for those that neither a flag nor the file sets. */
  unsaid: Tuning;
  close(): Promise<void>;
}

const tunable = Object.keys(tuningTable) as (keyof Tuning)[];
/** Longest time, ms, that a slow store delays the start of a command. */
const longestStartMs = 5000;
/** Least time for which a store keeps its log of recent changes to the graph, ms. Other processes read it whenever they
 *  write their own changes, so it must outlast several such writes. */
const leastNewsLifeMs = 60_000;

export async function startEngine(settings: Settings, log: Logger): Promise<RunningEngine> {
  const options: PrefetchdOptions = { ...optionsOfFlags(prefetchdTable, settings), log };
  logSettings(pick(settings, 'format')); // refuses a wrong --format, even if no log is followed
  checkHoldback(settings);
  // This engine is closed at once: it only checks the options, before the store's file is created.
  await createPrefetchd({ ...options, log: silentLog }).close();
  staySmall();
  const location = locationOf(settings);
  const closing: Array<() => Promise<unknown>> = [];
  const close = async () => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const store = await storeAt(location, settings, log);
    if (store !== null) closing.push(() => store.close());
    // A store that is slow or fails does not stop the start: a later write of what was learned reports the failure.
    const late = wait(longestStartMs, null, { ref: false });
    const warning = await Promise.race([store?.beginServing?.().catch(() => null), late]);
    if (warning) log.warn({}, warning);
    // `kept` tells the predictor and the window of the stored graph; null: it is empty or cannot be read in time.
    const kept = await Promise.race([store?.identity().catch(() => null), late]);
    const fitting = fittingTo(kept ?? null, settings, store);
    const prefetchd = new Engine({ ...options, ...fitting, store });
    closing.push(() => prefetchd.close());
    await Promise.race([prefetchd.ready, late]);
    const { follow = [] } = settings;
    const logs = await learnFromLogs(prefetchd, follow, {
      ...pick(settings, 'format', 'origin'),
      log,
    });
    closing.push(() => Promise.all(logs.map((following) => following.close())));
    const files = await hintFiles(prefetchd, settings, log);
    if (files !== null) closing.push(() => files.close());
    const counted = await holdbackFile(prefetchd, location, log);
    if (counted !== null) closing.push(() => counted.close());
    const storeName = store?.name ?? 'memory';
    const unsaid = { ...defaultsOf(tuningTable), ...(kept && { window: kept.window }) };
    return { prefetchd, log, storeName, unsaid, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Halves the memory the process takes under load, because a service that runs for months beside a site should be
 * small. V8 reads these flags whenever it decides how far to grow, so they take effect although it is already running;
 * but flags that set a size are read only once, at the start.
 */
function staySmall(): void {
  // The old generation may grow by this share of its live objects before it is collected.
  setFlagsFromString('--heap-growing-percent=40');
  // The young generation keeps the size that it had after the program was loaded, about 8 MiB.
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Refuses --holdback, which gives a share of visitors no hints, with files of hints, which are the same for all
 *  visitors, and without speculation rules. */
function checkHoldback(settings: Settings): void {
  const { holdback, hintsFile, speculationRules } = settings;
  if (holdback !== undefined && hintsFile !== undefined) {
    const remedy = 'it cannot be used with --holdback';
    throw new CommandError(`--hints-file gives hints to all: ${remedy}`, 2);
  }
  if (holdback !== undefined && speculationRules === false) {
    throw new CommandError('--speculation-rules off: with --holdback, Link names no pages', 2);
  }
}

/** Keeps what --holdback counts of visitors with and without hints across restarts, in a file beside the store's. */
async function holdbackFile(
  prefetchd: Engine,
  store: StoreLocation,
  log: Logger,
): Promise<HoldbackFile | null> {
  if (prefetchd.holdback === null) return null;
  if (store.type !== 'sqlite') {
    log.warn({}, 'what a holdback counts is kept over restarts only with --store sqlite:FILE');
    return null;
  }
  const path = `${store.path}.holdback.json`;
  const file = new HoldbackFile(prefetchd, path, log);
  await file.start().catch((cause) => {
    throw new CommandError(`--holdback: ${fileFailure(path, 'read', cause)}`, 1, { cause });
  });
  return file;
}

/** Returns where the learned graph is stored. With --trial it is in memory by default, because real visitors must not
 *  get what one tester's clicks taught. */
function locationOf({ store, trial = false }: Settings): StoreLocation {
  return parseStore(store ?? (trial === false ? defaultStore : 'memory'));
}

/** Opens the store. A damaged graph is set aside and a new one learned, so that hints return; the operator is told. */
async function storeAt(
  location: StoreLocation,
  { halfLife, flushInterval = prefetchdDefaults.flushIntervalMs }: Settings,
  log: Logger,
): Promise<GraphStore | null> {
  if (location.type === 'memory') return null;
  return openStore(location, {
    halfLifeMs: halfLife === undefined ? prefetchdDefaults.halfLifeMs : halfLife,
    maxNodes: prefetchdDefaults.maxNodes,
    maxArcs: prefetchdDefaults.maxArcs,
    newsLifeMs: Math.max(leastNewsLifeMs, 4 * flushInterval),
    onDamaged: 'set-aside',
    onNotice: (message) => log.error({}, message),
  });
}

/**
 * Takes predictor and window from the store if no flag names them. A flag with another window than the store's is only
 * warned of (graph-sync.ts), since the counts of both can roughly be added; those of two predictors cannot, so another
 * predictor is refused.
 */
function fittingTo(
  kept: StoreIdentity | null,
  { predictor, window }: Settings,
  store: GraphStore | null,
): Pick<PrefetchdOptions, 'predictor' | 'window'> {
  if (kept === null) return {};
  const learned = `${store?.name} was learned by ${kept.predictor}`;
  if (predictor !== undefined && predictor !== kept.predictor) {
    const remedy = 'leave --predictor out, or name another --store';
    throw new CommandError(
      `${learned}, and counts of ${predictor} do not add up with it; ${remedy}`,
      1,
    );
  }
  // This version of prefetchd lacks the predictor that learned the stored graph. The default one learns instead, and
  // the store will refuse what it learned, and say why.
  if (!isPredictorName(kept.predictor)) return {};
  return { predictor: kept.predictor, window: window ?? kept.window };
}

async function hintFiles(
  prefetchd: Engine,
  settings: Settings,
  log: Logger,
): Promise<HintFiles | null> {
  const { hintsFile: paths, flushInterval } = settings;
  if (paths === undefined) return null;
  const files = new HintFiles(prefetchd, {
    paths,
    ...(flushInterval !== undefined && { intervalMs: flushInterval }),
    ...pick(settings, 'origin', 'prefix'),
    log,
  });
  await files.start();
  return files;
}

/** The process ends within this time after a signal, whatever still runs, ms. */
const longestStopMs = 15_000;

/**
 * Waits for signals: SIGTERM and SIGINT end the command, a second one ends the process at once. SIGHUP reads tunable
 * settings from the file again, or, without a file, ends the command as usual for a terminal program.
 * @param renew Reads other files that change while the command runs, such as certificates; called at SIGHUP first
 * @returns a promise that resolves at the first signal that ends the command
 */
export function untilSignal(
  engine: RunningEngine,
  source: SettingSource,
  renew = async () => {},
): Promise<void> {
  const { log } = engine;
  return new Promise((resolve) => {
    let isEnding = false;
    const end = (signal: NodeJS.Signals, number: number) => {
      if (isEnding) process.exit(128 + number);
      isEnding = true;
      log.info({ signal }, 'ending');
      setTimeout(() => process.exit(1), longestStopMs).unref();
      resolve();
    };
    process.on('SIGTERM', (signal) => end(signal, 15));
    process.on('SIGINT', (signal) => end(signal, 2));
    process.on('SIGHUP', (signal) => {
      if (source.config === undefined) end(signal, 1);
      else void retune(engine, source, renew);
    });
    if (source.isChanged) void retune(engine, source, renew);
  });
}

/** Applies those settings of the --config file that may change at run time and that no flag overrides; a file with an
 *  error changes nothing. */
async function retune(
  { prefetchd, unsaid, log }: RunningEngine,
  source: SettingSource,
  renew: () => Promise<void>,
): Promise<void> {
  try {
    await renew();
  } catch (error) {
    const { message } = error as Error;
    log.error({ err: error }, `the certificate was not taken: ${message}; the one before stays`);
  }
  try {
    const settings = await settingsOf(source);
    const tuning = prefetchd.tune({ ...unsaid, ...pick(settings, ...tunable) });
    log.info({ ...tuning }, 'tuned by the file');
  } catch (error) {
    const { message } = error as Error;
    log.error({ err: error }, `the file was not taken: ${message}; its settings stay as they were`);
  }
}
