// Defines statistics about a log, which are filled while it is read and complete at the end.

import { type LineDropReason, lineDropReasons } from './access-of-line.ts';
import type { LogLine } from './log-format.ts';
import type { Packing } from './unpackers.ts';

export interface UnparsedLine {
  path: string;
  /** Number of the line, from 1. */
  line: number;
  reason: string;
  /** Beginning of the line, without control characters. */
  text: string;
}

/** The format and the order of fields in which the lines of a file, or those after a change inside it, are read. */
export interface FoundLayout {
  format: string;
  /** Where the fields of a line are, in words; undefined: the format has only one order of fields. */
  fields: string | undefined;
  /** The first line that was read in this format: its beginning as logged, and its contents. */
  example: { text: string; line: LogLine } | undefined;
}

export interface FileStatistics {
  path: string;
  /** The format found last in this file; undefined until one is known, and for an empty file. */
  format: string | undefined;
  /** Formats and orders of fields, as they were found; several if they change within the file. */
  layouts: FoundLayout[];
  compression: 'none' | Packing;
  lines: number;
  parsed: number;
  /** True if the file has no bytes. */
  empty: boolean;
  /** Why compressed data ends early or is damaged; everything before the damage was used. */
  broken: string | undefined;
}

export interface LogStatistics {
  /** Number of all lines: parsed + unparsed + withoutAccess. */
  lines: number;
  /** Number of lines that the format could read, whether they are accesses or were dropped. */
  parsed: number;
  unparsed: number;
  /** Number of blank lines, directives, and events that are no accesses. */
  withoutAccess: number;
  accesses: number;
  /** Number of parsed lines that are not accesses, by the first reason that applied. */
  dropped: Record<LineDropReason, number>;
  /** The first of the lines that could not be read. */
  unparsedLines: UnparsedLine[];
  /** Earliest and latest time of parsed lines, ms since the epoch. */
  firstTimeMs: number | undefined;
  lastTimeMs: number | undefined;
  /** Number of parsed lines with a time before that of the previous line. */
  clockBackwards: number;
  /** The largest step back in time from a parsed line to the next, ms. */
  maxBackwardsMs: number;
  /** Number of lines by host, for the first thousand hosts, if the log records hosts. */
  hosts: ReadonlyMap<string, number>;
  files: FileStatistics[];
}

export function emptyStatistics(hosts: ReadonlyMap<string, number>): LogStatistics {
  return {
    lines: 0,
    parsed: 0,
    unparsed: 0,
    withoutAccess: 0,
    accesses: 0,
    dropped: Object.fromEntries(lineDropReasons.map((reason) => [reason, 0])) as Record<
      LineDropReason,
      number
    >,
    unparsedLines: [],
    firstTimeMs: undefined,
    lastTimeMs: undefined,
    clockBackwards: 0,
    maxBackwardsMs: 0,
    hosts,
    files: [],
  };
}

export function emptyFileStatistics(path: string): FileStatistics {
  return {
    path,
    format: undefined,
    layouts: [],
    compression: 'none',
    lines: 0,
    parsed: 0,
    empty: false,
    broken: undefined,
  };
}

const shownCharacters = 200;

/** Returns the beginning of a line, safe to print on a terminal. */
export function shownText(line: string): string {
  const start = line.slice(0, shownCharacters).replace(/\p{C}/gu, '\u{fffd}');
  return line.length > shownCharacters ? `${start}...` : start;
}
