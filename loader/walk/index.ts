// `loadahead/walk`: loads several pages as a visitor goes from one to the next.

import '../../needs-node.ts';

export { type WalkOptions, type WalkPage, type WalkStep, walkPages } from './walk.ts';
export type {
  WalkedLoad,
  WalkedPage,
  WalkPair,
  WalkRecord,
  WalkTotals,
} from './walk-record.ts';
