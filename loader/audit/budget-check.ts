// Compares a page with its budget.

import type { PageLoad, ResourceRecord } from '../page-load.ts';
import { type Budget, type BudgetMetric, type ResourceType, resourceTypes } from './budget.ts';

/** One limit, and what was measured. */
export interface BudgetLine {
  /** `size of script`, `count of third-party`, `completeMs` */
  name: string;
  unit: 'KiB' | 'requests' | 'ms' | '';
  /** null: the page did not load, so it has no such figure. */
  measured: number | null;
  limit: number;
  tolerance: number;
  /** The value is over the limit by more than the tolerance, or was not measured. */
  isExceeded: boolean;
}

/** The figures that budgets limit: bytes and requests by type, times and counts by metric. */
export interface BudgetFigures {
  bytes: Record<ResourceType, number>;
  requests: Record<ResourceType, number>;
  metrics: Record<BudgetMetric, number | null>;
}

/** @param isThirdParty Whether a URL belongs to a third party */
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

/** Whether a host matches a pattern; `*.example.org` matches that host and every one below it. */
export function isHost(host: string, pattern: string): boolean {
  const isBelow = pattern.startsWith('*.') && `.${host}`.endsWith(pattern.slice(1));
  return isBelow || host === pattern;
}
