// Every option of the log reader in one table, checked once.

import { aFunction, orNull, text, trueOrFalse, wholeNumber } from '../../options/kinds.ts';
import {
  checked,
  objectOf,
  option,
  optionWithoutDefault,
  type TableOf,
} from '../../options/options.ts';
import { invalidOption, PrefetchdError } from '../errors.ts';
import { urlNormaliser } from '../normalise-url.ts';
import { formatByFields } from './formats/by-fields.ts';
import { parseFieldMap } from './formats/field-map.ts';
import { formatByName, logFormats } from './formats/index.ts';
import type { LogFormat } from './log-format.ts';
import type { LogProgress } from './read-progress.ts';

export interface ReadLogOptions {
  /** Name of a format; `auto`: detected from the first lines of each file. */
  format?: string;
  /** Which fields of JSON lines or delimited text contain what, in place of `format` (field-map.ts); null: none. */
  fields?: string | null;
  /** Drop bots, scans, monitors and administration (filter.ts). */
  filter?: boolean;
  /** Keep signs that a page is shown: requests for its speculation rules, marked `shown`, and pages in Referers. */
  signs?: boolean;
  /** Downloads, feeds and responses to scripts count as documents, as when the paper was written. */
  asPaper?: boolean;
  /** Only accesses to this host, for logs that record it; null: all. */
  host?: string | null;
  /** Keep absolute URLs; null: only in formats of many sites (squid, vhost-combined) and without `host`. */
  absoluteUrls?: boolean | null;
  /** Normalises a URL, or returns null to drop the line; by default urlNormaliser. */
  normalise?: (url: string) => string | null;
  /** Longer lines are skipped and counted. 1 KiB to 64 MiB. */
  maxLineBytes?: number;
  /** Number of unreadable lines kept for display. */
  maxShown?: number;
  /** Called from time to time, and once at the end. */
  onProgress?: (progress: LogProgress) => void;
  /** Shortest time between two calls of onProgress. */
  progressIntervalMs?: number;
  /** A monotonic clock for onProgress, ms. */
  nowMs?: () => number;
}

export interface LogSettings
  extends Required<Omit<ReadLogOptions, 'format' | 'fields' | 'onProgress'>> {
  /** Undefined: detected from the first lines. */
  format: LogFormat | undefined;
  onProgress: ((progress: LogProgress) => void) | undefined;
}

const logTable = {
  format: option(
    text({ rule: 'the name of a log format, or auto' }),
    'auto',
    'Name of a format; `auto`: by the first lines of each file.',
  ),
  fields: option(
    orNull(text, { rule: 'pairs as client=ip,time=ts,url=path' }),
    null,
    'Which fields of JSON lines or delimited text hold what, instead of `format`. null: none.',
  ),
  filter: option(trueOrFalse(), true, 'Drop bots, scans, monitors and administration.'),
  signs: option(
    trueOrFalse(),
    false,
    'Keep signs that a page is shown: requests for its speculation rules, marked `shown`, and Referers, as `page`.',
  ),
  asPaper: option(trueOrFalse(), false, 'Downloads, feeds and answers to scripts are documents.'),
  host: option(
    orNull(text, { rule: 'a host name' }),
    null,
    'Only accesses to this host, for logs that name it. null: all.',
  ),
  absoluteUrls: option(
    orNull(trueOrFalse, {}),
    null,
    'URLs are absolute. null: only in formats of many sites, and not with `host`.',
  ),
  normalise: option(
    aFunction<NonNullable<ReadLogOptions['normalise']>>(),
    urlNormaliser(),
    'The one spelling of a URL, null to drop the line.',
  ),
  maxLineBytes: option(
    wholeNumber({ least: 1024, most: 64 * 1024 * 1024 }),
    1024 * 1024,
    'A longer line is skipped and counted.',
  ),
  maxShown: option(
    wholeNumber({ most: 10_000 }),
    10,
    'How many lines that cannot be read are kept to be shown.',
  ),
  onProgress: optionWithoutDefault(
    aFunction<NonNullable<ReadLogOptions['onProgress']>>(),
    'Told now and then, and once at the end.',
  ),
  progressIntervalMs: option(
    wholeNumber({ most: 3_600_000 }),
    200,
    'Least time between two calls of `onProgress`.',
  ),
  nowMs: option(
    aFunction<() => number>(),
    () => performance.now(),
    'A clock for `onProgress`: ms from any start.',
  ),
} satisfies TableOf<ReadLogOptions>;

const logKind = objectOf(logTable);

/** @throws PrefetchdError invalid-option, unknown-log-format */
export function logSettings(options: ReadLogOptions): LogSettings {
  const { format, fields, onProgress, ...all } = checked(logKind, options, invalidOption);
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
