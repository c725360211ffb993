// `loadahead audit URL`: loads a page, tries what would make it smaller, prints advice, and compares the page with a
// budget. Errors in the command line or the budget are reported before anything is sent.

import {
  type Budget,
  BudgetError,
  type BudgetLine,
  budgetFor,
  checkBudget,
  figuresOf,
  isHost,
  parseBudgets,
} from '../../loader/audit/budget.ts';
import { auditPage, type PageAudit } from '../../loader/audit-page.ts';
import { loadPage } from '../../loader/loader.ts';
import type { PageLoad } from '../../loader/page-load.ts';
import { budgetWords, renderAudit, renderBudget } from '../../loader/report/audit-text.ts';
import { toJson } from '../../loader/report/json.ts';
import { type RunsSummary, renderRuns, spreadOf, summaryOfRuns } from '../../loader/report/runs.ts';
import { requestSite } from '../../loader/request/referrer.ts';
import { replay } from '../../server/recorded/replay.ts';
import { CommandError } from '../command-error.ts';
import { readGiven } from '../flag-values.ts';
import { terminal } from '../output-terminal.ts';
import { failureOf, runsJson, verdict } from './load-report.ts';
import { type LoaderFlags, loaderOptions } from './loader-flags.ts';
import { pageAddress } from './page-address.ts';
import { isRecording, readRecordedPage } from './recorded-page.ts';
import { loadAgain, runLoads, sayResources } from './run-loads.ts';

export interface AuditFlags extends LoaderFlags {
  runs: number;
  convertTime?: number;
  budget?: string;
}

interface Audited {
  page: PageAudit;
  loads: PageLoad[];
}

const mostBudgetBytes = 1024 * 1024;

/** Runs `loadahead audit`. @returns the exit code */
export async function audit(url: string, flags: AuditFlags): Promise<number> {
  const isFile = await isRecording(url);
  const address = isFile ? url : await pageAddress(url);
  const budgets = flags.budget === undefined ? null : await readBudgets(flags.budget);
  const audited = isFile ? auditedRecording : auditedLoads;
  const { page, loads } = await audited(address, flags);
  const isLoaded = failureOf(page.load) === null;
  const budget = budgets === null || !isLoaded ? null : budgetFor(budgets, page.url);
  const lines = budget === null ? null : compare(budget, page.url, loads);
  const summary = loads.length > 1 ? summaryOfRuns(loads) : null;
  if (flags.json) printJson(page, loads, summary, lines);
  else if (isLoaded) print(page, summary, lines);
  const exitCodes = loads.map(verdict);
  if (budgets !== null && isLoaded) exitCodes.push(tellBudget(budget, lines, flags.budget));
  return Math.max(...exitCodes);
}

/** Audits a recorded page: serves it from this process, but the report has the URLs from which it was recorded. */
async function auditedRecording(file: string, flags: AuditFlags): Promise<Audited> {
  const site = await replay(await readRecordedPage(file), { port: 0, host: '127.0.0.1' }, {});
  try {
    return site.asRecorded(await auditedLoads(site.url, flags));
  } finally {
    await site.close();
  }
}

/** Loads the page, once or several times; advice is based on the first run. */
async function auditedLoads(address: string, flags: AuditFlags): Promise<Audited> {
  const shared = await loaderOptions(flags);
  return await runLoads(flags.json === true, async (say, signal) => {
    const options = { ...shared, signal };
    try {
      const page = await auditPage(address, {
        ...options,
        onProgress: sayResources(say),
        onTrial: say,
        convertMs: flags.convertTime,
      });
      const loads = await loadAgain(page.load, flags.runs, say, (onProgress) =>
        loadPage(address, { ...options, onProgress }),
      );
      return { page, loads };
    } catch (error) {
      // Node would wait for the image conversion in progress. Once the reason is on the error stream, the process ends
      // by the signal itself, which shells report as 130.
      if (signal.aborted) setImmediate(() => process.kill(process.pid, 'SIGINT'));
      throw error;
    }
  });
}

/** Reads the file of budgets. @throws CommandError */
async function readBudgets(file: string): Promise<Budget[]> {
  const text = (await readGiven(file, '--budget')).toString();
  if (text.length > mostBudgetBytes) throw new CommandError(`--budget: ${file} is over 1 MiB`, 2);
  try {
    return parseBudgets(text);
  } catch (cause) {
    if (!(cause instanceof BudgetError)) throw cause;
    throw new CommandError(`--budget: ${file}: ${cause.message}`, 2, { cause });
  }
}

/** Compares loads with a budget. Of several runs, the median of each figure counts. */
function compare(budget: Budget, url: string, loads: readonly PageLoad[]): BudgetLine[] {
  const each = loads.map((load) => checkBudget(budget, figuresOf(load, thirdPartyOf(url, budget))));
  return (each[0] ?? []).map((line, index) => {
    const measured = spreadOf(each.map((run) => run[index]?.measured ?? null))?.median ?? null;
    const isExceeded = measured === null || measured > line.limit + line.tolerance;
    return { ...line, measured, isExceeded };
  });
}

function thirdPartyOf(page: string, { firstPartyHostnames }: Budget): (url: string) => boolean {
  const own = new URL(page);
  return (url) => {
    const other = new URL(url);
    // As in Lighthouse, listed first-party hosts replace the page's own site.
    if (firstPartyHostnames.length > 0) {
      return !firstPartyHostnames.some((pattern) => isHost(other.hostname, pattern));
    }
    other.protocol = own.protocol;
    return requestSite(own, other) === 'cross-site';
  };
}

function printJson(
  { url, findings, saves, untried, uncounted, load }: PageAudit,
  loads: readonly PageLoad[],
  summary: RunsSummary | null,
  budget: BudgetLine[] | null,
): void {
  const runs = summary === null ? {} : runsJson(loads.map(toJson), summary);
  const record = { url, saves, findings, untried, uncounted, budget, load: toJson(load), ...runs };
  process.stdout.write(`${JSON.stringify(record, null, 2)}\n`);
}

function print(page: PageAudit, summary: RunsSummary | null, budget: BudgetLine[] | null): void {
  const how = terminal(process.stdout);
  const parts = [
    renderAudit(page, how),
    summary === null ? '' : `\n${renderRuns(summary, how)}`,
    renderBudget(budget ?? [], how),
  ];
  process.stdout.write(parts.join(''));
}

/**
 * Reports on the error stream which limits of the budget are exceeded or not measured.
 * @returns the exit code
 */
function tellBudget(
  budget: Budget | null,
  lines: readonly BudgetLine[] | null,
  file: string | undefined,
): number {
  const say = (text: string) => void process.stderr.write(`loadahead: ${text}\n`);
  if (budget === null || lines === null) {
    say(`${file} has no budget for the path of this page`);
    return 0;
  }
  if (budget.unmeasured.length > 0) {
    say(`only a browser measures ${budget.unmeasured.join(', ')}: left out`);
  }
  const exceeded = lines.filter(({ isExceeded }) => isExceeded);
  for (const line of exceeded) say(`over budget: ${budgetWords(line)}`);
  return exceeded.length > 0 ? 1 : 0;
}
