// Every option of a walk, with what is told while it runs.

import { aFunction, wholeNumber } from '../../options/kinds.ts';
import {
  type OptionsOf,
  option,
  optionWithoutDefault,
  withoutDefault,
} from '../../options/options.ts';
import { loaderTable, loadTable, usualKind } from '../options.ts';
import type { WalkedPage } from './walk-record.ts';

export interface WalkStep {
  doing: 'loading' | 'staying';
  /** Index of the page, from 0. */
  index: number;
  /** Think time, ms; 0 while loading. */
  thinkMs: number;
}

export const walkTable = {
  /** Largest number of pages. */
  maxPages: option(wholeNumber({ least: 1 }), 1_000, {
    flag: '--max-pages <n>',
    help: 'pages per walk at most',
  }),
  /** Options of the walk's loader. Without a `cache`, the walk uses a new one in memory. */
  loader: optionWithoutDefault(usualKind),
  /** Options of prefetching; null: no prefetching. */
  prefetch: withoutDefault(loaderTable.prefetch),
  /** Aborts the walk, which then rejects with the signal's reason. */
  signal: loadTable.signal,
  /** Called when the visitor leaves a page. The used and wasted bytes of its prefetches may still change. */
  onPage: optionWithoutDefault(aFunction<(page: WalkedPage, index: number) => void>()),
  /** Called when a page begins to load and when its think time begins. */
  onStep: optionWithoutDefault(aFunction<(step: WalkStep) => void>()),
};

export type WalkOptions = OptionsOf<typeof walkTable>;
