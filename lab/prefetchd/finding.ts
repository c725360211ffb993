// A claim of the paper beside the result for a log, as a table row; and numbers in a common format.

import type { Column, Table } from '../result.ts';

export interface Finding {
  /** What the paper says. */
  says: string;
  /** When that counts as holding, said before it is measured. */
  rule: string;
  measured: string;
  holds: boolean;
  /** Where it does not hold. */
  why: string;
}

export function findingTable(findings: readonly Finding[]): Table {
  return {
    title: 'What the paper says, and this log',
    columns,
    rows: findings.map(({ says, rule, measured, holds, why }) => [
      says,
      rule,
      measured,
      holds ? 'holds' : '**does not hold**',
      holds ? '' : why,
    ]),
  };
}

const columns: Column[] = [
  { name: 'the paper', meaning: 'what it reports of its log, DEC 1994', text: true },
  { name: 'holds when', meaning: 'our rule for that', text: true },
  { name: 'measured', meaning: 'on this log', text: true },
  { name: 'verdict', meaning: 'the rule applied to what was measured', text: true },
  { name: 'why not', meaning: 'where it does not hold', text: true },
];

/** `0.882` */
export function rate(value: number): string {
  return value.toFixed(3);
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

/** 0.4 is `+40 %`, 12 is `13-fold`. */
export function change(value: number): string {
  if (value >= 10) return `${(1 + value).toFixed(0)}-fold`;
  const size = Math.abs(value);
  const text = (value * 100).toFixed(size < 0.0995 ? 1 : 0);
  return `${value > 0 ? '+' : ''}${text} %`;
}

export function share(value: number): string {
  return `${(value * 100).toFixed(0)} %`;
}
