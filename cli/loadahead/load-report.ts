// Prints what `loadahead load` reports. The report goes to standard output. The reason of a failure goes to the error
// stream, once: scripts find it there whatever happens to the report, and on a terminal it is the last line.

import type { PageLoad } from '../../loader/page-load.ts';
import { pageHops } from '../../loader/report/failures.ts';
import {
  type RunsSummary,
  renderRuns,
  type Spread,
  summaryOfRuns,
} from '../../loader/report/runs.ts';
import { terminal } from '../output-terminal.ts';

/** Prints the report of one load and, if there are several, the figures of all. @param page The load that is shown */
export async function printLoad(
  page: PageLoad,
  loads: readonly PageLoad[],
  { json = false, explain = false }: { json?: boolean | undefined; explain?: boolean | undefined },
): Promise<void> {
  const summary = loads.length > 1 ? summaryOfRuns(loads) : null;
  if (json) {
    const { toJson } = await import('../../loader/report/json.ts');
    const runs = summary === null ? {} : runsJson(loads.map(toJson), summary);
    process.stdout.write(`${JSON.stringify({ ...toJson(page), ...runs }, null, 2)}\n`);
    return;
  }
  // If no request was sent, nothing is reported but the failure: the waterfall would be a single failed bar.
  const isNothing = page.resources.length <= 1 && page.totals.requests === 0;
  if (isNothing && failureOf(page) !== null) return;
  const { renderSummary } = await import('../../loader/report/summary.ts');
  const { renderWaterfall } = await import('../../loader/report/waterfall-text.ts');
  const { renderExplanation } = await import('../../loader/report/explain-text.ts');
  const how = terminal(process.stdout);
  const parts = [
    renderWaterfall(page, how),
    ...(explain ? [renderExplanation(page, how)] : []),
    renderSummary(page, { ...how, pageFailure: false }),
    ...(summary === null ? [] : [renderRuns(summary, how)]),
  ];
  for (const part of parts) process.stdout.write(`${part}\n`);
}

/** Returns the fields that `--json` adds to the record of a load if there are several runs. */
export function runsJson(
  runs: readonly Pick<PageLoad, 'startedAtMs' | 'timing' | 'totals'>[],
  { timing, totals }: RunsSummary,
) {
  const each = (spreads: object, value: (spread: Spread) => unknown) =>
    Object.fromEntries(
      Object.entries(spreads as Record<string, Spread | null>).map(([name, spread]) => [
        name,
        spread && value(spread),
      ]),
    );
  const median = ({ median }: Spread) => median;
  const extremes = ({ min, max }: Spread) => ({ min, max });
  return {
    runs: runs.map(({ startedAtMs, timing, totals }) => ({ startedAtMs, timing, totals })),
    median: { timing: each(timing, median), totals: each(totals, median) },
    spread: { timing: each(timing, extremes), totals: each(totals, extremes) },
  };
}

/** Returns the reason why the page did not load; null if it did. */
export function failureOf(page: PageLoad): string | null {
  const error = pageHops(page).at(-1)?.error ?? null;
  return error === null ? null : `${error.message} [${error.code}]`;
}

/** Reports why the page did not load, if it did not. @returns the exit code: 1 if the page did not load, else 0 */
export function verdict(page: PageLoad): number {
  const why = failureOf(page);
  if (why === null) return 0;
  const { url = page.url, status = null } = pageHops(page).at(-1) ?? {};
  process.stderr.write(`loadahead: ${url} did not load: ${why}\n`);
  // nginx, Apache and Go answer an unencrypted request on a port for TLS with 400.
  if (status === 400 && url.startsWith('http:')) {
    const secure = url.replace('http:', 'https:');
    process.stderr.write(`loadahead: if that port is for TLS, load ${secure}\n`);
  }
  return 1;
}
