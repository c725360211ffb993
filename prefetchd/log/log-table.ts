// Lists every option of the log reader. The help of commands needs this table, but no format.

import { aFunction, orNull, text, trueOrFalse } from '../../options/kinds.ts';
import { type OptionsOf, option, optionWithoutDefault } from '../../options/options.ts';

export interface LogProgress {
  /** Bytes read so far, of the files as they are stored (perhaps compressed), as in `bytesTotal`. */
  bytesRead: number;
  /** Bytes of all files; undefined if part of the input is a stream. */
  bytesTotal: number | undefined;
  lines: number;
  linesPerSecond: number;
  /** Estimated time until all files are read, ms; undefined if the total size is unknown. */
  timeLeftMs: number | undefined;
}

export const logTable = {
  /**
   * Name of a format; `auto`: it is detected from the first lines of each file. Pairs as `client=ip,time=ts,url=path` say
   * which fields of JSON lines or delimited text hold what.
   */
  format: option(
    text({ rule: 'the name of a log format, or pairs as client=ip,time=ts,url=path' }),
    'auto',
    {
      flag: '--format <format>',
      help: 'format of a log, or where JSON lines or columns have what, as client=ip,time=ts,url=path ({default}: detected)',
    },
  ),
  /** Drop accesses of bots, scanners and monitors, and those to administration. */
  filter: option(trueOrFalse(), true, {
    flag: '--no-filter',
    help: 'include bots, scanners, monitors and administration',
  }),
  /** Take only accesses to this host, for logs that name hosts. null: take all. */
  host: option(orNull(text, { rule: 'a host name' }), null),
  /** Returns the normalised URL for a URL in the log, or null to drop the line. */
  normalise: optionWithoutDefault(aFunction<(url: string) => string | null>()),
  /** Called with the progress now and then, and once at the end. */
  onProgress: optionWithoutDefault(aFunction<(progress: LogProgress) => void>()),
};

export type ReadLogOptions = OptionsOf<typeof logTable>;
