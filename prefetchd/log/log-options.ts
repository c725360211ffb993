// Every option of the log reader in one table, checked once.

import { aFunction, orNull, text, trueOrFalse, wholeNumber } from '../../options/kinds.ts';
import {
  checked,
  type OptionsOf,
  objectOf,
  option,
  optionWithoutDefault,
  type ValuesOf,
} from '../../options/options.ts';
import { invalidOption, PrefetchdError } from '../errors.ts';
import { urlNormaliser } from '../normalise-url.ts';
import { formatByFields } from './formats/field-formats.ts';
import { parseFieldMap } from './formats/fields.ts';
import { formatByName, logFormats } from './formats/index.ts';
import type { LogFormat } from './log-format.ts';

export interface LogProgress {
  /** Bytes of the files, compressed or not, because their total is known. */
  bytesRead: number;
  /** Undefined if part of the input is a stream. */
  bytesTotal: number | undefined;
  lines: number;
  linesPerSecond: number;
  /** Undefined if the total is unknown. */
  timeLeftMs: number | undefined;
}

const logTable = {
  /** Name of a format; `auto`: by the first lines of each file. */
  format: option(text({ rule: 'the name of a log format, or auto' }), 'auto'),
  /** Which fields of JSON lines or delimited text hold what, instead of `format`. null: none. */
  fields: option(orNull(text, { rule: 'pairs as client=ip,time=ts,url=path' }), null),
  /** Drop bots, scans, monitors and administration. */
  filter: option(trueOrFalse(), true),
  /** Keep signs that a page is shown: requests for its speculation rules, marked `shown`, and Referers, as `page`. */
  signs: option(trueOrFalse(), false),
  /** As Padmanabhan 1995, 8: downloads, feeds and answers to scripts are documents, and each query is a page. */
  asPaper: option(trueOrFalse(), false),
  /** Only accesses to this host, for logs that name it. null: all. */
  host: option(orNull(text, { rule: 'a host name' }), null),
  /** The one spelling of a URL, null to drop the line. */
  normalise: optionWithoutDefault(aFunction<(url: string) => string | null>()),
  /** A longer line is skipped and counted. */
  maxLineBytes: option(wholeNumber({ least: 1024, most: 64 * 1024 * 1024 }), 1024 * 1024),
  /** How many lines that cannot be read are kept to be shown. */
  maxShown: option(wholeNumber({ most: 10_000 }), 10),
  /** Told now and then, and once at the end. */
  onProgress: optionWithoutDefault(aFunction<(progress: LogProgress) => void>()),
};

export type ReadLogOptions = OptionsOf<typeof logTable>;

export type LogSettings = Omit<
  ValuesOf<typeof logTable>,
  'format' | 'fields' | 'normalise' | 'onProgress'
> & {
  /** Undefined: detected from the first lines. */
  format: LogFormat | undefined;
  normalise: (url: string) => string | null;
  onProgress: ((progress: LogProgress) => void) | undefined;
};

const logKind = objectOf(logTable);

/** @throws PrefetchdError invalid-option, unknown-log-format */
export function logSettings(options: ReadLogOptions): LogSettings {
  const { format, fields, onProgress, ...given } = checked(logKind, options, invalidOption);
  const normalise =
    given.normalise ?? urlNormaliser(given.asPaper ? { query: 'drop-from-hints' } : {});
  const all = { ...given, normalise };
  if (fields === null) return { ...all, format: namedFormat(format), onProgress };
  if (format !== 'auto') invalidOption('format and fields cannot both be given');
  return { ...all, format: formatByFields(parseFieldMap(fields)), onProgress };
}

function namedFormat(name: string): LogFormat | undefined {
  if (name === 'auto') return undefined;
  const format = formatByName(name);
  if (format !== undefined) return format;
  const names = logFormats.map((known) => known.name).join(', ');
  throw new PrefetchdError(
    'unknown-log-format',
    `unknown log format ${JSON.stringify(name)}; known are auto, ${names}`,
  );
}
