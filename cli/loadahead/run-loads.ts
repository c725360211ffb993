// Runs loads for a command: progress on the terminal, an end by Ctrl-C, and `--runs N`.

import { LoaderError } from '../../loader/errors.ts';
import { loaderTable } from '../../loader/options.ts';
import type { LoadProgress } from '../../loader/page/page-progress.ts';
import type { PageLoad } from '../../loader/page-load.ts';
import { formatBytes } from '../../loader/report/units.ts';
import { CommandError } from '../command-error.ts';
import { inFlags } from '../option-flags.ts';
import { drawnOn } from '../output-terminal.ts';
import { progressLine } from '../progress.ts';
import { failureOf } from './load-report.ts';

/** Shows on the terminal what is under way. @param share Part that is done, 0 to 1, if it is known */
export type Say = (text: string, share?: number) => void;

/**
 * Runs `work`, which Ctrl-C aborts.
 * @param silent true: no progress is shown
 * @throws CommandError for what the loader refuses
 */
export async function runLoads<Result>(
  silent: boolean,
  work: (say: Say, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const abort = new AbortController();
  const interrupt = () => abort.abort(new CommandError('interrupted', 130));
  process.once('SIGINT', interrupt);
  const progress = showProgress(silent);
  try {
    return await work(progress.say, abort.signal);
  } catch (error) {
    if (!(error instanceof LoaderError)) throw error;
    const hint = /credentials/.test(error.message) ? ": --header 'Authorization: ...'" : '';
    throw new CommandError(`${inFlags(error, loaderTable)}${hint}`, 2, { cause: error });
  } finally {
    progress.stop();
    process.off('SIGINT', interrupt);
  }
}

/** Loads the page again until there are `runs` loads, but stops after one that fails. @returns all loads, from `first`
 *  on */
export async function loadAgain(
  first: PageLoad,
  runs: number,
  say: Say,
  loadOnce: (onProgress: (progress: LoadProgress) => void) => Promise<PageLoad>,
): Promise<PageLoad[]> {
  const loads = [first];
  while (loads.length < runs && failureOf(loads.at(-1) as PageLoad) === null) {
    loads.push(await loadOnce(sayResources(say, `run ${loads.length + 1} of ${runs}: `)));
  }
  return loads;
}

/** Shows how many resources of a page were found and loaded. */
export function sayResources(say: Say, lead = ''): (progress: LoadProgress) => void {
  return ({ found, done, bodyBytes }) =>
    say(`${lead}${done} of ${found} resources, ${formatBytes(bodyBytes)}`);
}

const appearAfterMs = 150;

/**
 * Shows progress in a line that is overwritten, once a load takes long enough for it to be read. Nothing is shown if
 * the error stream is no terminal.
 */
function showProgress(silent: boolean): { say: Say; stop: () => void } {
  if (silent || !drawnOn.isTTY) return { say() {}, stop() {} };
  const line = progressLine('loading');
  let latest: [share: number | undefined, text: string] = [undefined, 'connecting'];
  let isShown = false;
  const timer = setTimeout(() => {
    isShown = true;
    line.show(...latest);
  }, appearAfterMs);
  timer.unref();
  return {
    say(text, share) {
      latest = [share, text];
      if (isShown) line.show(share, text);
    },
    stop() {
      isShown = false;
      clearTimeout(timer);
      line.clear();
    },
  };
}
