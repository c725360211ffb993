// Exports the reading of logs. Start with read-log.ts; each format implements log-format.ts in one file.

export { type LineDropReason, lineDropReasons } from './access-of-line.ts';
export { logFormats } from './formats/index.ts';
export type { LogSource } from './log-bytes.ts';
export type { LineParser, LogFormat, LogLine, ParsedLine } from './log-format.ts';
export { formatRule, type LogProgress, type ReadLogOptions } from './log-options.ts';
export { type LogReading, readLog } from './read-log.ts';
export {
  type FileStatistics,
  type FoundLayout,
  type LogStatistics,
  shownText,
  type UnparsedLine,
} from './statistics.ts';
