// The result of a bench: plain data in lab/results/NAME.json, from which report.ts renders docs/benchmarks.md. A
// bench measures and explains its columns; it does no formatting.

import type { Environment } from './environment.ts';
import type { Spread } from './spread.ts';

export type Cell = string | number | Spread | null;

export interface Column {
  name: string;
  /** What the number is, how it was taken, its unit. */
  meaning: string;
  /** Digits after the point; 2 when not given. */
  digits?: number;
  /** Words: set to the left. */
  text?: true;
}

export interface Table {
  title: string;
  columns: Column[];
  rows: Cell[][];
}

export interface Target {
  what: string;
  limit: number;
  /** Which side of the limit is good; absent: at most. */
  bound?: 'at most' | 'at least';
  unit: string;
  /** Digits after the point of what was measured; 1 when not given, 2 without a unit. */
  digits?: number;
  measured: Spread;
  /** `median`: the median has to be within the limit. `worst`: every run. */
  judgedBy: 'median' | 'worst';
}

export interface Chart {
  /** In docs/charts/. */
  file: string;
  /** What is to be seen in it, for those who do not see it. */
  alt: string;
}

/** A chart as a bench hands it over; run.ts writes the file and keeps the rest. */
export interface DrawnChart extends Chart {
  svg: string;
}

/** Lines as a program prints them. */
export interface Listing {
  title: string;
  lines: string[];
}

export interface BenchResult {
  name: string;
  title: string;
  /** What was done, in sentences. */
  method: string[];
  tables: Table[];
  targets: Target[];
  charts?: DrawnChart[];
  listings?: Listing[];
  /** Further files with measured values, for other programs: name in lab/results/ and content. */
  files?: Array<{ file: string; text: string }>;
  /** Why nothing was measured, where that is so. */
  skipped?: string;
}

/** As stored: with where, when and how long. */
export interface StoredResult extends Omit<BenchResult, 'charts' | 'files'> {
  charts?: Chart[];
  environment: Environment;
  startedAt: string;
  durationS: number;
  command: string;
}

/** The figure that is held against the limit. */
export function judged({ bound, measured, judgedBy }: Target): number {
  if (judgedBy === 'median') return measured.median;
  return bound === 'at least' ? measured.min : measured.max;
}

export const isReached = (target: Target): boolean =>
  target.bound === 'at least' ? judged(target) >= target.limit : judged(target) <= target.limit;
