// What reading a log told, besides its accesses. Filled while it is read; whole when the reading ended.

import { type DropReason, dropReasons } from './access-of-line.ts';

export interface UnparsedLine {
  path: string;
  /** From 1. */
  line: number;
  reason: string;
  /** Its beginning, without control characters. */
  text: string;
}

export interface FileStatistics {
  path: string;
  /** Undefined until known, and when the file is empty. */
  format: string | undefined;
  compression: 'none' | 'gzip' | 'zstd';
  lines: number;
  parsed: number;
  unparsed: number;
  accesses: number;
  /** No byte in it. */
  empty: boolean;
  /** Compressed data ends early or is broken: what is wrong. All that came before was used. */
  broken: string | undefined;
}

export interface LogStatistics {
  /** All lines: parsed + unparsed + withoutAccess. */
  lines: number;
  /** Read as what the format says; dropped or an access. */
  parsed: number;
  unparsed: number;
  /** Blank lines, directives, events of another kind. */
  withoutAccess: number;
  accesses: number;
  /** Parsed lines that are no access, by the first reason that held. */
  dropped: Record<DropReason, number>;
  /** The first lines that could not be read. */
  unparsedLines: UnparsedLine[];
  /** Earliest and latest time of parsed lines, ms since the epoch. */
  firstTimeMs: number | undefined;
  lastTimeMs: number | undefined;
  /** Parsed lines with a time before that of the line above. */
  clockBackwards: number;
  /** The furthest of these steps. */
  maxBackwardsMs: number;
  /** Lines by host, where the log names hosts; the first thousand hosts. */
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
    dropped: Object.fromEntries(dropReasons.map((reason) => [reason, 0])) as Record<
      DropReason,
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

const shownCharacters = 200;

/** The beginning of a line, fit for a terminal. */
export function shownText(line: string): string {
  const start = line.slice(0, shownCharacters).replace(/\p{C}/gu, '\u{fffd}');
  return line.length > shownCharacters ? `${start}...` : start;
}
