// Budgets of a page, as Lighthouse and sitespeed.io read them from budget.json
// (github.com/GoogleChrome/budget.json): sizes, counts and times for paths. A file is checked as a whole before
// anything is loaded.

/** Thrown for a file that is no budget: what, where, and what to do. */
export class BudgetError extends Error {
  override name = 'BudgetError';
}

export const resourceTypes = [
  ...([
    'document',
    'script',
    'stylesheet',
    'image',
    'media',
    'font',
    'other',
    'third-party',
    'total',
  ] as const),
] as const;
export type ResourceType = (typeof resourceTypes)[number];

/** Measured here. */
export const budgetMetrics = [
  ...([
    'firstByteMs',
    'htmlEndMs',
    'sizesKnownMs',
    'firstViewMs',
    'completeMs',
    'batches',
    'connections',
  ] as const),
] as const;
export type BudgetMetric = (typeof budgetMetrics)[number];

/** Of Lighthouse: a browser measures them. */
const browserMetrics = [
  ...[
    'first-contentful-paint',
    'first-meaningful-paint',
    'largest-contentful-paint',
    'first-cpu-idle',
  ],
  ...[
    'interactive',
    'speed-index',
    'max-potential-fid',
    'total-blocking-time',
    'estimated-input-latency',
  ],
  ...['cumulative-layout-shift'],
];

export interface Budget {
  /** `/*`, `/shop$`: matched from the beginning of the path, as in robots.txt. */
  path: string;
  /** KiB. */
  resourceSizes: { resourceType: ResourceType; budget: number }[];
  resourceCounts: { resourceType: ResourceType; budget: number }[];
  timings: { metric: BudgetMetric; budget: number; tolerance: number }[];
  /** Metrics that only a browser has. */
  unmeasured: string[];
  /** Hosts that are no third party; `*.example.org` for all below. */
  firstPartyHostnames: string[];
}

/** @throws BudgetError */
export function parseBudgets(json: string): Budget[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BudgetError(`is not JSON: ${why.slice(0, 200)}`);
  }
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

type Row = Record<string, unknown>;

function rowsOf(value: unknown, at: string, names: readonly string[]): { row: Row; at: string }[] {
  if (value === undefined) return [];
  const rows = listOf(value, at, 'a list');
  return rows.map((row, index) => {
    const place = `${at}[${index}]`;
    return { row: objectOf(row, place, names), at: place };
  });
}

function listOf(value: unknown, at: string, rule: string): unknown[] {
  if (!Array.isArray(value)) throw new BudgetError(`${at} must be ${rule}; got ${shown(value)}`);
  if (value.length > 1_000) throw new BudgetError(`${at} has more than 1000 entries`);
  return value;
}

function objectOf(value: unknown, at: string, names: readonly string[]): Row {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new BudgetError(`${at} must be an object; got ${shown(value)}`);
  }
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new BudgetError(`${at}.${unknown.slice(0, 40)} is not known; use ${names.join(', ')}`);
  }
  return value as Row;
}

function oneOf<Name extends string>(value: unknown, names: readonly Name[], at: string): Name {
  const found = names.find((name) => name === value);
  if (found !== undefined) return found;
  throw new BudgetError(`${at} must be one of ${names.join(', ')}; got ${shown(value)}`);
}

function amountOf(value: unknown, at: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new BudgetError(`${at} must be a number of at least 0; got ${shown(value)}`);
}

const shown = (value: unknown): string =>
  (value === undefined ? 'nothing' : JSON.stringify(value)).slice(0, 60);

/** The last budget whose path matches, as in Lighthouse; null: none does. */
export function budgetFor(budgets: readonly Budget[], url: string): Budget | null {
  const { pathname, search } = new URL(url);
  return budgets.findLast(({ path }) => matches(path, pathname + search)) ?? null;
}

/** `*` is any characters, `$` the end (RFC 9309 2.2.3). Linear: each part is found once, the last at the end. */
export function matches(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith('$');
  const [first = '', ...parts] = (isAnchored ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(first)) return false;
  const last = isAnchored ? parts.pop() : undefined;
  let at = first.length;
  for (const part of parts) {
    const found = path.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  if (!isAnchored) return true;
  if (last === undefined) return path.length === at;
  return path.length - last.length >= at && path.endsWith(last);
}
