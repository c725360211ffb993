// `loadahead/audit`: advice on a page, budgets, and both as text.

import '../../needs-node.ts';

export { type AuditOptions, auditPage, type PageAudit } from '../audit-page.ts';
export { renderAudit, renderBudget } from '../report/audit-text.ts';
export { type RunsSummary, type Spread, summaryOfRuns } from '../report/runs.ts';
export {
  type Budget,
  BudgetError,
  type BudgetMetric,
  budgetFor,
  type ResourceType,
} from './budget/budget.ts';
export {
  type BudgetFigures,
  type BudgetLine,
  checkBudget,
  figuresOf,
} from './budget/budget-check.ts';
export { parseBudgets } from './budget/budget-file.ts';
export type { Audit, Finding, FindingItem, FindingKind, Savings } from './finding.ts';
