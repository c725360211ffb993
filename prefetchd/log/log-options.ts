// Checks the options of the log reader once, and completes them.

import { checked, joined, objectOf, type ValuesOf } from '../../options/options.ts';
import { refusal } from '../../options/refusal.ts';
import { invalidOption, PrefetchdError } from '../errors.ts';
import { urlNormaliser } from '../normalise-url.ts';
import { formatByFields } from './formats/field-formats.ts';
import { parseFieldMap } from './formats/fields.ts';
import { formatByName, logFormats } from './formats/index.ts';
import type { LogFormat } from './log-format.ts';
import { type LogProgress, logTable, type ReadLogOptions } from './log-table.ts';

/** Values that no caller needs to set; our services, commands and tests do (`withConstants`). */
export const logConstants = {
  /** Keep what shows that a page is open: requests for its speculation rules, marked `shown`, and Referers (`page`). */
  signs: false,
  /**
   * Read the log as Padmanabhan 1995, 8, did: downloads, feeds and answers to scripts are documents, and each query is
   * a page.
   */
  asPaper: false,
  /** Longest line, characters (bytes in ASCII); a longer one is counted as unreadable, so memory is bounded. */
  maxLineBytes: 1024 * 1024,
  /** Limit on the unreadable lines that are kept in the statistics, to be shown to the operator. */
  maxShown: 10,
};

export type LogSettings = Omit<ValuesOf<typeof logTable>, 'format' | 'normalise' | 'onProgress'> &
  typeof logConstants & {
    /** The format; undefined: it is detected from the first lines. */
    format: LogFormat | undefined;
    normalise: (url: string) => string | null;
    onProgress: ((progress: LogProgress) => void) | undefined;
  };

/** Checks the options. @throws PrefetchdError invalid-option, unknown-log-format */
export function logSettings(options: ReadLogOptions): LogSettings {
  const all = checked(objectOf(logTable), options, invalidOption);
  const { format: name, normalise, onProgress, ...given } = all;
  const format = namedFormat(name);
  const settings = joined({ ...given, format, onProgress }, logConstants, options);
  const usual = () => urlNormaliser(settings.asPaper ? { query: 'drop-from-hints' } : {});
  return { ...settings, normalise: normalise ?? usual() };
}

function namedFormat(name: string): LogFormat | undefined {
  if (name === 'auto') return undefined;
  if (name.includes('=')) return formatByFields(parseFieldMap(name));
  const format = formatByName(name);
  if (format !== undefined) return format;
  const names = logFormats.map((known) => known.name).join(', ');
  const rule = `auto, ${names}, or pairs as client=ip,time=ts,url=path`;
  const [message, option, reason] = refusal('format', rule, name);
  throw new PrefetchdError('unknown-log-format', message, { option, reason });
}
