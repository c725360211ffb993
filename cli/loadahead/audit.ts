// `loadahead audit URL`: loads a page, tries what would make it smaller, prints advice, and compares the page with a
// budget. Errors in the command line or the budget are reported before anything is sent.

import { readFile } from 'node:fs/promises';
import { type Budget, BudgetError, budgetFor, parseBudgets } from '../../loader/audit/budget.ts';
import {
  type BudgetLine,
  checkBudget,
  figuresOf,
  isHost,
} from '../../loader/audit/budget-check.ts';
import { auditPage, type PageAudit } from '../../loader/audit-page.ts';
import { LoaderError } from '../../loader/errors.ts';
import { loadPage } from '../../loader/loader.ts';
import type { PageLoad } from '../../loader/page-load.ts';
import { budgetWords, renderAudit, renderBudget } from '../../loader/report/audit-text.ts';
import { toJson } from '../../loader/report/json.ts';
import { type RunsSummary, renderRuns, spreadOf, summaryOfRuns } from '../../loader/report/runs.ts';
import { requestSite } from '../../loader/request/referrer.ts';
import { fileFailure } from '../../process/file-failure.ts';
import { CommandError } from '../command-error.ts';
import { terminal } from '../output-terminal.ts';
import { type LoadFlags, loaderOptions, pageAddress, usageError } from './load.ts';
import { showProgress } from './load-progress.ts';
import { failureOf, verdict } from './load-report.ts';
import { checkRuns, loadAgain, runsJson } from './several-runs.ts';

export interface AuditFlags extends LoadFlags {
  runs: number;
  convertSeconds: number;
  budget?: string;
}

/** A budget of the file, compared with the page. */
interface Kept {
  lines: BudgetLine[];
  unmeasured: readonly string[];
}

const mostBudgetBytes = 1024 * 1024;

/** @returns the exit code */
export async function audit(url: string, flags: AuditFlags): Promise<number> {
  const address = await pageAddress(url.trim());
  checkRuns(flags.runs);
  const budgets = flags.budget === undefined ? null : await readBudgets(flags.budget);
  const { page, loads } = await auditedLoads(address, flags);
  const failure = failureOf(page.load);
  const kept = budgets === null || failure !== null ? null : keep(budgets, page.url, loads);
  const summary = loads.length > 1 ? summaryOfRuns(loads) : null;
  print(page, loads, summary, kept, flags);
  if (flags.insecure)
    process.stderr.write('loadahead: certificates were not verified (--insecure)\n');
  const exitCode = Math.max(...loads.map(verdict), isExceeded(kept) ? 1 : 0);
  tellBudget(kept, budgets !== null && failure === null, flags.budget);
  return exitCode;
}

/** Advice is based on the first run. */
async function auditedLoads(
  address: string,
  flags: AuditFlags,
): Promise<{ page: PageAudit; loads: PageLoad[] }> {
  const abort = new AbortController();
  const interrupt = () => abort.abort(new CommandError('interrupted', 130));
  process.once('SIGINT', interrupt);
  const progress = showProgress(flags.json === true);
  try {
    const options = { ...(await loaderOptions(flags)), signal: abort.signal };
    const page = await auditPage(address, {
      ...options,
      onProgress: progress.update,
      onTrial: progress.say,
      convertMs: flags.convertSeconds * 1000,
    });
    const loads = await loadAgain(page.load, flags.runs, progress, (onProgress) =>
      loadPage(address, { ...options, onProgress }),
    );
    return { page, loads };
  } catch (error) {
    // Node would wait for the conversion in progress. Once the reason is on the error stream, the process ends by the
    // signal itself, which shells report as 130.
    if (abort.signal.aborted) setImmediate(() => process.kill(process.pid, 'SIGINT'));
    if (error instanceof LoaderError) throw usageError(error);
    throw error;
  } finally {
    progress.stop();
    process.off('SIGINT', interrupt);
  }
}

/** @throws CommandError */
async function readBudgets(file: string): Promise<Budget[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new CommandError(`--budget: ${fileFailure(file, 'read', cause)}`, 2, { cause });
  }
  if (text.length > mostBudgetBytes) throw new CommandError(`--budget: ${file} is over 1 MiB`, 2);
  try {
    return parseBudgets(text);
  } catch (cause) {
    if (!(cause instanceof BudgetError)) throw cause;
    throw new CommandError(`--budget: ${file}: ${cause.message}`, 2, { cause });
  }
}

/** @returns null if no budget is for this path. Of several runs, the median of each figure counts. */
function keep(budgets: readonly Budget[], url: string, loads: readonly PageLoad[]): Kept | null {
  const budget = budgetFor(budgets, url);
  if (budget === null) return null;
  const each = loads.map((load) => checkBudget(budget, figuresOf(load, thirdPartyOf(url, budget))));
  const lines = (each[0] ?? []).map((line, index): BudgetLine => {
    const measured = spreadOf(each.map((run) => run[index]?.measured ?? null))?.median ?? null;
    return {
      ...line,
      measured,
      isExceeded: measured === null || measured > line.limit + line.tolerance,
    };
  });
  return { lines, unmeasured: budget.unmeasured };
}

function thirdPartyOf(page: string, { firstPartyHostnames }: Budget): (url: string) => boolean {
  const own = new URL(page);
  return (url) => {
    const other = new URL(url);
    // As in Lighthouse, hosts that are listed replace the page's own site.
    if (firstPartyHostnames.length > 0) {
      return !firstPartyHostnames.some((pattern) => isHost(other.hostname, pattern));
    }
    other.protocol = own.protocol;
    return requestSite(own, other) === 'cross-site';
  };
}

const isExceeded = (kept: Kept | null): boolean =>
  kept?.lines.some((line) => line.isExceeded) === true;

function print(
  page: PageAudit,
  loads: readonly PageLoad[],
  summary: RunsSummary | null,
  kept: Kept | null,
  { json }: AuditFlags,
): void {
  if (json === true) {
    const { url, findings, saves, untried, uncounted, load } = page;
    const runs = summary === null ? {} : runsJson(loads, summary);
    const record = {
      url,
      saves,
      findings,
      untried,
      uncounted,
      budget: kept?.lines ?? null,
      load: toJson(load),
      ...runs,
    };
    process.stdout.write(`${JSON.stringify(record, null, 2)}\n`);
    return;
  }
  if (failureOf(page.load) !== null) return;
  const how = terminal(process.stdout);
  const parts = [
    renderAudit(page, how),
    summary === null ? '' : `\n${renderRuns(summary, how)}`,
    renderBudget(kept?.lines ?? [], how),
  ];
  process.stdout.write(parts.join(''));
}

/** Reports on the error stream which limits of the budget are exceeded or not measured. */
function tellBudget(kept: Kept | null, isAsked: boolean, file: string | undefined): void {
  const say = (text: string) => void process.stderr.write(`loadahead: ${text}\n`);
  if (!isAsked) return;
  if (kept === null) {
    say(`${file} has no budget for the path of this page`);
    return;
  }
  if (kept.unmeasured.length > 0)
    say(`only a browser measures ${kept.unmeasured.join(', ')}: left out`);
  for (const line of kept.lines) if (line.isExceeded) say(`over budget: ${budgetWords(line)}`);
}
