// Signals of a command that runs until one ends it: SIGTERM and SIGINT end it, a second one at once; SIGHUP
// reads p, w and i from the file again, or ends it where there is no file, as any program of a terminal.

import type { Logger } from 'pino';
import { thresholdsOf } from '../../prefetchd/engine/prefetchd-options.ts';
import { speculationIn } from '../../prefetchd/wire/speculation-settings.ts';
import type { RunningEngine } from './engine-flags.ts';
import { fileSettings, pick, type SettingSource } from './flag-settings.ts';
import { failureFields } from './logged-error.ts';

/** After a signal the process ends in this time, whatever hangs, ms. */
const longestStopMs = 15_000;

/** Resolves at the first signal that ends; the second ends the process at once. */
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

/** What may be tuned as the file says, where no flag says otherwise; a file that is wrong changes nothing. */
async function retune(
  { prefetchd, unsaid }: RunningEngine,
  source: SettingSource,
  log: Logger,
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
