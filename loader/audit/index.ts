// `loadahead/audit`: advice on a page, budgets, and both as text.

import '../../needs-node.ts';

export { type AuditOptions, auditPage, type PageAudit } from '../audit-page.ts';
export { renderAudit, renderBudget } from '../report/audit-text.ts';
export { type RunsSummary, type Spread, summaryOfRuns } from '../report/runs.ts';
export {
  type Budget,
  BudgetError,
  type BudgetFigures,
  type BudgetLine,
  type BudgetMetric,
  budgetFor,
  checkBudget,
  figuresOf,
  parseBudgets,
  type ResourceType,
} from './budget.ts';
export type { Audit, Finding, FindingItem, Savings } from './finding.ts';
