// Signals of a command that runs until a signal ends it: SIGTERM and SIGINT end it, a second one ends it at once;
// SIGHUP reads p, w and i from the file again, or, without a file, ends the command as usual for a terminal program.

import { thresholdsOf } from '../../prefetchd/engine/prefetchd-options.ts';
import type { ServiceLog } from '../../prefetchd/service/service-options.ts';
import { speculationIn } from '../../prefetchd/wire/speculation-settings.ts';
import type { RunningEngine } from './engine-flags.ts';
import { fileSettings, pick, type SettingSource } from './flag-settings.ts';
import { failureFields } from './log.ts';

/** The process ends within this time after a signal, whatever still runs, ms. */
const longestStopMs = 15_000;

/** Resolves at the first signal that ends the command; the second one ends the process at once. */
export function untilSignal(engine: RunningEngine, source: SettingSource): Promise<void> {
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
      else void retune(engine, source, log);
    });
  });
}

/** Applies the tunable settings of the file that no flag overrides; a file with an error changes nothing. */
async function retune(
  { prefetchd, unsaid }: RunningEngine,
  source: SettingSource,
  log: ServiceLog,
): Promise<void> {
  try {
    const settings = { ...(await fileSettings(source)), ...source.flags };
    const said = {
      ...pick(settings, 'threshold', 'objectThreshold', 'window', 'limit'),
      ...speculationIn(settings),
    };
    const tuning = prefetchd.tune({ ...unsaid, ...said, ...thresholdsOf(said, unsaid) });
    log.info({ ...tuning }, 'tuned by the file');
  } catch (error) {
    const { message } = error as Error;
    log.error(failureFields(error), `the file was not taken: ${message}; all stays as it was`);
  }
}
