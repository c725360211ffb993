// Budgets of pages: limits on sizes, counts and times, by path.

/** Thrown for a file that is not a valid budget. The message says what is wrong, where, and what to do. */
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

/** Metrics that are measured here. */
export const budgetMetrics = [
  ...([
    'firstByteMs',
    'redirectMs',
    'htmlEndMs',
    'sizesKnownMs',
    'firstViewMs',
    'completeMs',
    'batches',
    'connections',
  ] as const),
] as const;
export type BudgetMetric = (typeof budgetMetrics)[number];

export interface Budget {
  /** Pattern that is matched from the beginning of the path, as in robots.txt: `/*`, `/shop$`. */
  path: string;
  /** Limits on sizes, KiB. */
  resourceSizes: { resourceType: ResourceType; budget: number }[];
  resourceCounts: { resourceType: ResourceType; budget: number }[];
  timings: { metric: BudgetMetric; budget: number; tolerance: number }[];
  /** Metrics of the budget that only a browser can measure. */
  unmeasured: string[];
  /** Hosts that are not third parties, `*.example.org` including those below; []: those of the page's site. */
  firstPartyHostnames: string[];
}

/** The last budget whose path matches, as in Lighthouse; null: none matches. */
export function budgetFor(budgets: readonly Budget[], url: string): Budget | null {
  const { pathname, search } = new URL(url);
  return budgets.findLast(({ path }) => matches(path, pathname + search)) ?? null;
}

/** `*` matches any characters, `$` the end (RFC 9309 2.2.3). Linear: each part is found once, the last at the end. */
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
