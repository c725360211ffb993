// `loadahead/walk`: loads several pages as a visitor goes from one to the next.

import '../../needs-node.ts';

export { type WalkPage, walkPages } from './walk.ts';
export type { WalkOptions, WalkStep } from './walk-options.ts';
export type {
  WalkedLoad,
  WalkedPage,
  WalkPair,
  WalkRecord,
  WalkTotals,
} from './walk-record.ts';
