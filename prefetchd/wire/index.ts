// The wire formats of prefetchd, in both directions, shared by its service, the server's middleware and the loader.
// Nothing here reads a clock or a socket, and no input from the network makes it throw.

export {
  type AccessJsonError,
  type AccessJsonOptions,
  accessesJson,
  accessJsonDefaults,
  hintsJson,
  mostErrors,
  parseAccesses,
  parseHints,
} from './access-json.ts';
export { type Hint, hintRank, hintRanks } from './hint.ts';
export {
  type HintTableEntry,
  hintTableEntry,
  hintTableJson,
  hintTableMap,
  longestMapKey,
} from './hint-table.ts';
export { type LeftOutAccess, leftOutJson, parseLeftOut } from './left-out-json.ts';
export {
  formatLink,
  type Link,
  parseLinks,
} from './link-header.ts';
export {
  appendLinkHints,
  earlyLinksOf,
  hintsOfLinks,
  type LinkHintOptions,
  linkHeaderOf,
  linkHintDefaults,
} from './link-hints.ts';
export {
  parseSpeculationRules,
  sfString,
  speculationRulesHeaderOf,
  speculationRulesOf,
  speculationRulesType,
} from './speculation-rules.ts';
