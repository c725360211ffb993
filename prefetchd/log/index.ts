// Exports the reading of logs. Start with read-log.ts; each format implements log-format.ts in one file.

export { type LineDropReason, lineDropReasons } from './access-of-line.ts';
export type { LogFormat, LogLine } from './log-format.ts';
export type { LogProgress, ReadLogOptions } from './log-table.ts';
export { type LogReading, readLog } from './read-log.ts';
export { type LogStatistics, shownText } from './statistics.ts';
