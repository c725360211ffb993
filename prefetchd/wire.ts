// The wire formats of prefetchd, in both directions: what its service, the server's middleware and the
// loader share. Nothing here reads a clock or a socket, and nothing that comes from the network throws.

export {
  type AccessJsonError,
  type AccessJsonOptions,
  accessesJson,
  accessJsonDefaults,
  hintsJson,
  parseAccesses,
  parseHints,
} from './wire/access-json.ts';
export { type Hint, hintRank, hintRanks } from './wire/hint.ts';
export {
  type HintHeaderOptions,
  hintHeaderDefaults,
  hintHeaderName,
  hintHeaderOf,
  parseHintHeader,
} from './wire/hint-header.ts';
export {
  type HintTableEntry,
  type HintTableRow,
  hintTableEntry,
  hintTableJson,
  hintTableMap,
  longestMapKey,
} from './wire/hint-table.ts';
export {
  formatLink,
  type Link,
  type LinkLimits,
  linkLimits,
  parseLinks,
} from './wire/link-header.ts';
export {
  appendLinkHints,
  hintsOfLinks,
  type LinkHintOptions,
  linkHeaderOf,
  linkHintDefaults,
} from './wire/link-hints.ts';
export {
  parseSpeculationRules,
  type SpeculationRulesOptions,
  speculationRulesDefaults,
  speculationRulesOf,
  speculationRulesType,
} from './wire/speculation-rules.ts';
export {
  parseSpeculationRulesHeader,
  speculationRulesHeaderOf,
} from './wire/speculation-rules-header.ts';
