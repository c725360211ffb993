// `--runs N`: loads the same page again and again, each time with a new loader and new connections.

import type { LoadProgress } from '../../loader/page/page-progress.ts';
import type { PageLoad } from '../../loader/page-load.ts';
import { toJson } from '../../loader/report/json.ts';
import type { RunsSummary, Spread } from '../../loader/report/runs.ts';
import { formatBytes } from '../../loader/report/units.ts';
import { CommandError } from '../command-error.ts';
import type { Progress } from './load-progress.ts';

const mostRuns = 1_000;

/** @throws CommandError */
export function checkRuns(runs: number): void {
  if (runs >= 1 && runs <= mostRuns) return;
  throw new CommandError(`--runs must be from 1 to ${mostRuns}; got ${runs}`, 2);
}

export type LoadOnce = (onProgress: (progress: LoadProgress) => void) => Promise<PageLoad>;

/** Loads up to `runs` pages in all, and stops after a page that does not load. */
export async function loadAgain(
  first: PageLoad,
  runs: number,
  progress: Progress,
  loadOnce: LoadOnce,
): Promise<PageLoad[]> {
  const loads = [first];
  while (loads.length < runs && isLoaded(loads.at(-1) as PageLoad)) {
    const lead = `run ${loads.length + 1} of ${runs}: `;
    loads.push(
      await loadOnce(({ found, done, bodyBytes }) =>
        progress.say(`${lead}${done} of ${found} resources, ${formatBytes(bodyBytes)}`),
      ),
    );
  }
  return loads;
}

const isLoaded = ({ resources }: PageLoad): boolean =>
  resources.filter(({ initiator }) => initiator === null).at(-1)?.error === null;

/** The fields that `--json` adds to the record of the median run. */
export function runsJson(loads: readonly PageLoad[], { timing, totals }: RunsSummary) {
  const each = (spreads: object, value: (spread: Spread) => unknown) =>
    Object.fromEntries(
      Object.entries(spreads as Record<string, Spread | null>).map(([name, spread]) => [
        name,
        spread === null ? null : value(spread),
      ]),
    );
  const median = ({ median }: Spread) => median;
  const extremes = ({ min, max }: Spread) => ({ min, max });
  return {
    runs: loads
      .map(toJson)
      .map(({ startedAtMs, timing, totals }) => ({ startedAtMs, timing, totals })),
    median: { timing: each(timing, median), totals: each(totals, median) },
    spread: { timing: each(timing, extremes), totals: each(totals, extremes) },
  };
}
