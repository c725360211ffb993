// What a bench hands over: plain data, kept as bench/results/NAME.json, from which report.ts renders
// docs/benchmarks.md. A bench measures and says what its columns mean; it formats no page.

import type { Environment } from './environment.ts';
import type { Spread } from './spread.ts';

export type Cell = string | number | Spread | null;

export interface Column {
  name: string;
  /** What the number is, how it was taken, its unit. */
  meaning: string;
  /** Digits after the point; 2 when not given. */
  digits?: number;
}

export interface Table {
  title: string;
  columns: Column[];
  rows: Cell[][];
}

export interface Target {
  what: string;
  limit: number;
  unit: string;
  measured: Spread;
  /** `median`: the median has to be within the limit. `worst`: every run. */
  judgedBy: 'median' | 'worst';
}

export interface BenchResult {
  name: string;
  title: string;
  /** What was done, in sentences. */
  method: string[];
  tables: Table[];
  targets: Target[];
  /** Why nothing was measured, where that is so. */
  skipped?: string;
}

/** As stored: with where, when and how long. */
export interface StoredResult extends BenchResult {
  environment: Environment;
  startedAt: string;
  durationS: number;
  command: string;
}

export function isReached({ limit, measured, judgedBy }: Target): boolean {
  return (judgedBy === 'worst' ? measured.max : measured.median) <= limit;
}
