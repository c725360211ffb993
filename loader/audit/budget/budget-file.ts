// Reads budget files in the formats of Lighthouse (github.com/GoogleChrome/budget.json) and sitespeed.io. A file is
// checked as a whole before anything is loaded.

import { type Budget, BudgetError, budgetMetrics, resourceTypes } from './budget.ts';
import { amountOf, type Json, listOf, objectOf, oneOf, shown } from './budget-values.ts';
import { isSitespeed, sitespeedBudgets } from './sitespeed-budget.ts';

/** Metrics of Lighthouse that only a browser can measure. */
const browserMetrics = `first-contentful-paint first-meaningful-paint largest-contentful-paint
    first-cpu-idle interactive speed-index max-potential-fid total-blocking-time
    estimated-input-latency cumulative-layout-shift`.split(/\s+/);

/** @throws BudgetError */
export function parseBudgets(json: string): Budget[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BudgetError(`is not JSON: ${why.slice(0, 200)}`);
  }
  if (isSitespeed(value)) return sitespeedBudgets(value);
  const list = listOf(value, 'a budget file', 'a list: [{"path": "/*", "timings": [...]}]');
  if (list.length === 0) throw new BudgetError('is an empty list; give one budget at least');
  return list.map((each, index) => budgetOf(each, `[${index}]`));
}

const known = ['path', 'options', 'resourceSizes', 'resourceCounts', 'timings'];

function budgetOf(value: unknown, at: string): Budget {
  const given = objectOf(value, at, known);
  const { path = '/*', options = {} } = given;
  if (typeof path !== 'string' || !path.startsWith('/')) {
    throw new BudgetError(`${at}.path must be a string that begins with "/"; got ${shown(path)}`);
  }
  if (path.slice(0, -1).includes('$')) {
    throw new BudgetError(`${at}.path may have "$" at its end only; got ${shown(path)}`);
  }
  const { firstPartyHostnames = [] } = objectOf(options, `${at}.options`, ['firstPartyHostnames']);
  const hosts = listOf(firstPartyHostnames, `${at}.options.firstPartyHostnames`, 'a list of hosts');
  const timings = rowsOf(given.timings, `${at}.timings`, ['metric', 'budget', 'tolerance']);
  const sizesAt = `${at}.resourceSizes`;
  const countsAt = `${at}.resourceCounts`;
  return {
    path,
    firstPartyHostnames: hosts.map((host, index) => {
      if (typeof host === 'string') return host.toLowerCase();
      throw new BudgetError(`${at}.options.firstPartyHostnames[${index}] must be a host`);
    }),
    resourceSizes: resourcesOf(given.resourceSizes, sizesAt),
    resourceCounts: resourcesOf(given.resourceCounts, countsAt),
    timings: timings.flatMap(({ row, at: place }) => {
      const { metric, budget, tolerance = 0 } = row;
      if (browserMetrics.includes(metric as string)) return [];
      return {
        metric: oneOf(metric, budgetMetrics, `${place}.metric`),
        budget: amountOf(budget, `${place}.budget`),
        tolerance: amountOf(tolerance, `${place}.tolerance`),
      };
    }),
    unmeasured: timings
      .map(({ row }) => String(row.metric))
      .filter((name) => browserMetrics.includes(name)),
  };
}

function resourcesOf(value: unknown, at: string): Budget['resourceSizes'] {
  return rowsOf(value, at, ['resourceType', 'budget']).map(({ row, at: place }) => ({
    resourceType: oneOf(row.resourceType, resourceTypes, `${place}.resourceType`),
    budget: amountOf(row.budget, `${place}.budget`),
  }));
}

function rowsOf(value: unknown, at: string, names: readonly string[]): { row: Json; at: string }[] {
  if (value === undefined) return [];
  const rows = listOf(value, at, 'a list');
  return rows.map((row, index) => {
    const place = `${at}[${index}]`;
    return { row: objectOf(row, place, names), at: place };
  });
}
