// The budget file of sitespeed.io: an object of limits that may contain others by the URL of a page, which take
// precedence. It has bytes where we use KiB. Metrics that a browser measures or the coach rates are set aside.

import { type Budget, budgetMetrics, type ResourceType } from './budget.ts';
import { amountOf, type Json, objectOf } from './budget-values.ts';

/** Our resource types by their names in the file. */
const types = new Map<string, ResourceType>([
  ['total', 'total'],
  ['html', 'document'],
  ['javascript', 'script'],
  ['css', 'stylesheet'],
  ['image', 'image'],
  ['font', 'font'],
]);

export const isSitespeed = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'budget');

/** @throws BudgetError */
export function sitespeedBudgets(value: unknown): Budget[] {
  const { budget } = objectOf(value, 'a budget file', ['budget']);
  const all = objectOf(budget, 'budget');
  const pages = Object.entries(all).filter(([name]) => URL.canParse(name));
  const common = Object.fromEntries(Object.entries(all).filter(([name]) => !URL.canParse(name)));
  return [
    budgetOf('/*', [common], 'budget'),
    ...pages.map(([name, own]) => {
      const { pathname, search } = new URL(name);
      const at = `budget[${JSON.stringify(name)}]`;
      return budgetOf(`${pathname}${search}$`, [common, objectOf(own, at)], at);
    }),
  ];
}

/** @param layers Limits, of which later ones take precedence over earlier ones */
function budgetOf(path: string, layers: readonly Json[], at: string): Budget {
  const found: Budget = {
    path,
    resourceSizes: [],
    resourceCounts: [],
    timings: [],
    unmeasured: [],
    firstPartyHostnames: [],
  };
  const limits = new Map<string, [group: string, name: string, limit: unknown]>();
  for (const layer of layers) {
    for (const [group, values] of Object.entries(layer)) {
      for (const [name, limit] of Object.entries(objectOf(values, `${at}.${group}`))) {
        limits.set(`${group}.${name}`, [group, name, limit]);
      }
    }
  }
  for (const [place, [group, name, limit]] of limits) {
    const budget = amountOf(limit, `${at}.${place}`);
    const metric = budgetMetrics.find(
      (one) => one === (name === 'fullyLoaded' ? 'completeMs' : name),
    );
    const resourceType = group === 'thirdParty' ? 'third-party' : types.get(name);
    const unit = group === 'thirdParty' ? name : group;
    if (group === 'timings' && metric !== undefined) {
      found.timings.push({ metric, budget, tolerance: 0 });
    } else if (unit === 'requests' && resourceType !== undefined) {
      found.resourceCounts.push({ resourceType, budget });
    } else if (unit === 'transferSize' && resourceType !== undefined) {
      found.resourceSizes.push({ resourceType, budget: budget / 1024 });
    } else {
      found.unmeasured.push(place);
    }
  }
  return found;
}
