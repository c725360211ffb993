// Budgets of pages: limits on sizes, counts and times by path, in the format of Lighthouse
// (github.com/GoogleChrome/budget.json). A file is checked as a whole before anything is loaded.

import { listOf, number, oneOf, text } from '../../options/kinds.ts';
import { checked, objectOf, option, required, section } from '../../options/options.ts';
import type { PageLoad, ResourceRecord } from '../page-load.ts';

/** Thrown for a file that is not a valid budget. The message says what is wrong, where, and what to do. */
export class BudgetError extends Error {
  override name = 'BudgetError';
}

const resourceTypes = [
  ...['document', 'script', 'stylesheet', 'image', 'media', 'font'],
  ...['other', 'third-party', 'total'],
] as const;
export type ResourceType = (typeof resourceTypes)[number];

/** Metrics that the loader measures itself. */
const budgetMetrics = [
  ...['firstByteMs', 'redirectMs', 'htmlEndMs', 'sizesKnownMs', 'firstViewMs'],
  ...['completeMs', 'batches', 'connections'],
] as const;
export type BudgetMetric = (typeof budgetMetrics)[number];

/** Metrics of Lighthouse that only a browser can measure. */
const browserMetrics = `first-contentful-paint first-meaningful-paint largest-contentful-paint
    first-cpu-idle interactive speed-index max-potential-fid total-blocking-time
    estimated-input-latency cumulative-layout-shift`.split(/\s+/);

export interface Budget {
  /** Pattern that is matched from the beginning of the path, as in robots.txt: `/*`, `/shop$`. */
  path: string;
  /** Limits on the size of all resources of a type, KiB. */
  resourceSizes: readonly { resourceType: ResourceType; budget: number }[];
  resourceCounts: readonly { resourceType: ResourceType; budget: number }[];
  timings: readonly { metric: BudgetMetric; budget: number; tolerance: number }[];
  /** Metrics of the budget that only a browser can measure. */
  unmeasured: readonly string[];
  /** Hosts that are not third parties (`*.example.org` includes the hosts below it); []: those of the page's site. */
  firstPartyHostnames: readonly string[];
}

const mostRows = 1_000;
const limit = required(number({ least: 0 }));
const resourceRows = option(
  listOf(
    objectOf({ resourceType: required(oneOf(resourceTypes)), budget: limit }),
    'a list of { "resourceType", "budget" }',
    mostRows,
  ),
  [],
);
const timingKind = objectOf({
  metric: required(oneOf([...budgetMetrics, ...browserMetrics])),
  budget: limit,
  tolerance: option(number({ least: 0 }), 0),
});
const budgetKind = objectOf({
  path: option(
    text({
      rule: 'a path that begins with "/", with "$" at its end only',
      pattern: /^\/[^$]*\$?$/,
    }),
    '/*',
  ),
  options: section(
    objectOf({
      firstPartyHostnames: option(
        listOf(text({ rule: 'a host' }), 'a list of hosts', mostRows),
        [],
      ),
    }),
  ),
  resourceSizes: resourceRows,
  resourceCounts: resourceRows,
  timings: option(listOf(timingKind, 'a list of { "metric", "budget" }', mostRows), []),
});
const fileKind = listOf(budgetKind, 'a list: [{"path": "/*", "timings": [...]}]', mostRows);

/** Reads the budgets in a file. @throws BudgetError if the file is not valid */
export function parseBudgets(json: string): Budget[] {
  const fail = (message: string): never => {
    throw new BudgetError(message);
  };
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    fail(`is not JSON: ${(cause as Error).message.slice(0, 200)}`);
  }
  const list = checked(fileKind, value, fail, { name: 'a budget file', noun: '' });
  if (list.length === 0) fail('is an empty list; give one budget at least');
  return list.map(({ options, timings, ...limits }) => ({
    ...limits,
    firstPartyHostnames: options.firstPartyHostnames.map((host) => host.toLowerCase()),
    timings: timings.flatMap(({ metric, ...row }) =>
      isMeasured(metric) ? [{ metric, ...row }] : [],
    ),
    unmeasured: timings.map(({ metric }) => metric).filter((metric) => !isMeasured(metric)),
  }));
}

const isMeasured = (metric: string): metric is BudgetMetric =>
  budgetMetrics.some((each) => each === metric);

/** Returns the last budget whose path matches the URL, as in Lighthouse; null: none matches. */
export function budgetFor(budgets: readonly Budget[], url: string): Budget | null {
  const { pathname, search } = new URL(url);
  return budgets.findLast(({ path }) => matches(path, pathname + search)) ?? null;
}

/** Whether a pattern matches a path from its beginning: `*` matches any characters, `$` the end (RFC 9309 2.2.3). */
export function matches(pattern: string, path: string): boolean {
  const escaped = pattern.replace(/[.+?^{}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*');
  return new RegExp(`^${escaped}`, 's').test(path);
}

/** One limit of a budget, and the value that was measured. */
export interface BudgetLine {
  /** Name of what is limited, such as `size of script`, `completeMs`. */
  name: string;
  unit: 'KiB' | 'requests' | 'ms' | '';
  /** The measured value; null: the page did not load, so it has no such figure. */
  measured: number | null;
  limit: number;
  tolerance: number;
  /** Whether the value is over the limit by more than the tolerance, or was not measured. */
  isExceeded: boolean;
}

/** The figures that budgets limit: bytes and requests by type, times and counts by metric. */
export interface BudgetFigures {
  bytes: Record<ResourceType, number>;
  requests: Record<ResourceType, number>;
  metrics: Record<BudgetMetric, number | null>;
}

/** Returns the values of a load that budgets can limit. @param isThirdParty Whether a URL belongs to a third party */
export function figuresOf(load: PageLoad, isThirdParty: (url: string) => boolean): BudgetFigures {
  const asked = load.resources.filter(({ attempts }) => attempts > 0);
  const each = (value: (rows: ResourceRecord[]) => number) =>
    Object.fromEntries(
      resourceTypes.map((type) => [
        type,
        value(asked.filter((row) => isOf(row, type, isThirdParty))),
      ]),
    ) as Record<ResourceType, number>;
  const { timing, totals } = load;
  return {
    bytes: each((rows) => rows.reduce((sum, { transferBytes }) => sum + transferBytes, 0)),
    requests: each((rows) => rows.length),
    metrics: {
      ...timing,
      // A page without redirects has spent no time on them, so its time is 0.
      redirectMs: timing.firstByteMs === null ? timing.redirectMs : (timing.redirectMs ?? 0),
      batches: totals.batches,
      connections: totals.connections,
    },
  };
}

function isOf(
  { kind, url }: ResourceRecord,
  type: ResourceType,
  isThirdParty: (url: string) => boolean,
): boolean {
  if (type === 'third-party') return isThirdParty(url);
  if (type === 'other') return !resourceTypes.some((each) => each === kind) || kind === 'other';
  return type === 'total' || kind === type;
}

export function checkBudget(budget: Budget, figures: BudgetFigures): BudgetLine[] {
  return [
    ...budget.resourceSizes.map(({ resourceType, budget: limit }) =>
      line(`size of ${resourceType}`, 'KiB', figures.bytes[resourceType] / 1024, limit),
    ),
    ...budget.resourceCounts.map(({ resourceType, budget: limit }) =>
      line(`count of ${resourceType}`, 'requests', figures.requests[resourceType], limit),
    ),
    ...budget.timings.map(({ metric, budget: limit, tolerance }) =>
      line(metric, metric.endsWith('Ms') ? 'ms' : '', figures.metrics[metric], limit, tolerance),
    ),
  ];
}

function line(
  name: string,
  unit: BudgetLine['unit'],
  measured: number | null,
  limit: number,
  tolerance = 0,
): BudgetLine {
  const isExceeded = measured === null || measured > limit + tolerance;
  return { name, unit, measured, limit, tolerance, isExceeded };
}

/** Whether a host matches a pattern; `*.example.org` matches that host and every host below it. */
export function isHost(host: string, pattern: string): boolean {
  const isBelow = pattern.startsWith('*.') && `.${host}`.endsWith(pattern.slice(1));
  return isBelow || host === pattern;
}
