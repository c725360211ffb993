// What `loadahead load` prints. The report goes to standard output. The reason of a failure goes to the error stream,
// once: scripts find it there whatever happens to the report, and on a terminal it is the last line.

import type { PageLoad } from '../../loader/page-load.ts';
import { inFlags } from '../command-error.ts';
import { terminal } from '../output-terminal.ts';
import { runsJson } from './several-runs.ts';

export async function printLoad(
  loads: readonly PageLoad[],
  { json, explain }: { json: boolean; explain: boolean },
): Promise<void> {
  const { medianRun, renderRuns, summaryOfRuns } = await import('../../loader/report/runs.ts');
  const page = medianRun(loads);
  const summary = loads.length > 1 ? summaryOfRuns(loads) : null;
  if (json) {
    const { toJson } = await import('../../loader/report/json.ts');
    const runs = summary === null ? {} : runsJson(loads, summary);
    process.stdout.write(`${JSON.stringify({ ...toJson(page), ...runs }, null, 2)}\n`);
    return;
  }
  if (!hasFigures(page)) return;
  const { renderSummary } = await import('../../loader/report/summary.ts');
  const { renderWaterfall } = await import('../../loader/report/waterfall-text.ts');
  const { columns, color } = terminal(process.stdout);
  process.stdout.write(`${renderWaterfall(page, { columns, color })}\n`);
  if (explain) {
    const { renderExplanation } = await import('../../loader/report/explain-text.ts');
    process.stdout.write(`${renderExplanation(page, { columns, color })}\n`);
  }
  process.stdout.write(`${renderSummary(page, { columns, color, pageFailure: false })}\n`);
  if (summary !== null) process.stdout.write(`${renderRuns(summary, { color })}\n`);
}

/** Why the page did not load; null if it did. */
export function failureOf(page: PageLoad): string | null {
  const error = documentOf(page)?.error ?? null;
  return error === null ? null : `${inFlags(error.message)} [${error.code}]`;
}

/** @returns the exit code: 1 when the page did not load. */
export function verdict(page: PageLoad): number {
  const document = documentOf(page);
  if (document === undefined) return 0;
  const { url, status } = document;
  const why = failureOf(page);
  if (why === null) return 0;
  process.stderr.write(`loadahead: ${url} did not load: ${why}\n`);
  // nginx, Apache and Go respond with 400 to a request in clear on a port for TLS.
  if (status === 400 && url.startsWith('http:')) {
    const secure = url.replace('http:', 'https:');
    process.stderr.write(`loadahead: if that port is for TLS, load ${secure}\n`);
  }
  return 1;
}

/** The report of a page without any request would be a single bar that failed. */
function hasFigures(page: PageLoad): boolean {
  const isOneRow = page.resources.length <= 1;
  return !isOneRow || page.totals.requests > 0 || documentOf(page)?.error === null;
}

/** The page's document is the last one after its redirects: the last resource without an initiator. */
function documentOf({ resources }: PageLoad): PageLoad['resources'][number] | undefined {
  return resources.filter(({ initiator }) => initiator === null).at(-1);
}
