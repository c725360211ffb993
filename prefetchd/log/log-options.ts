// Every setting of the log reader: one table of defaults, checked once.

import { PrefetchdError } from '../errors.ts';
import { urlNormaliser } from '../normalise-url.ts';
import { formatByName, logFormats } from './formats/index.ts';
import type { LogFormat } from './log-format.ts';
import type { LogProgress } from './read-progress.ts';

export interface ReadLogOptions {
  /** Name of a format; `auto`: by the first lines of each file. */
  format?: string;
  /** Drop bots, scans, monitors and administration by the rule of filter.ts. */
  filter?: boolean;
  /** Only accesses to this host, for logs that name it; null: all. */
  host?: string | null;
  /** URLs are absolute; null: only in formats of many sites (squid, vhost-combined), and not with `host`. */
  absoluteUrls?: boolean | null;
  /** The one spelling of a URL, null to drop the line; by default that of urlNormaliser. */
  normalise?: (url: string) => string | null;
  /** A longer line is skipped and counted. 1 KiB to 64 MiB. */
  maxLineBytes?: number;
  /** How many lines that cannot be read are kept to be shown. */
  maxShown?: number;
  /** Told now and then, and once at the end. */
  onProgress?: (progress: LogProgress) => void;
  /** Least time between two calls of onProgress. */
  progressIntervalMs?: number;
  /** A clock for onProgress: ms from any start. */
  nowMs?: () => number;
}

export interface LogSettings extends Required<Omit<ReadLogOptions, 'format' | 'onProgress'>> {
  /** Undefined: by the first lines. */
  format: LogFormat | undefined;
  onProgress: ((progress: LogProgress) => void) | undefined;
}

export const readLogDefaults = {
  format: 'auto',
  filter: true,
  host: null,
  absoluteUrls: null,
  normalise: urlNormaliser(),
  maxLineBytes: 1024 * 1024,
  maxShown: 10,
  progressIntervalMs: 200,
  nowMs: () => performance.now(),
} as const;

const leastLineBytes = 1024;
const mostLineBytes = 64 * 1024 * 1024;

/** @throws PrefetchdError invalid-option, unknown-log-format */
export function logSettings(options: ReadLogOptions): LogSettings {
  const all = { ...readLogDefaults, ...options };
  whole('maxLineBytes', all.maxLineBytes, leastLineBytes, mostLineBytes);
  whole('maxShown', all.maxShown, 0, 10_000);
  whole('progressIntervalMs', all.progressIntervalMs, 0, 3_600_000);
  return { ...all, format: namedFormat(all.format), onProgress: options.onProgress };
}

function namedFormat(name: string): LogFormat | undefined {
  if (name === 'auto') return undefined;
  const format = formatByName(name);
  if (format !== undefined) return format;
  const names = logFormats.map((known) => known.name).join(', ');
  throw new PrefetchdError(
    'unknown-log-format',
    `no log format is named ${JSON.stringify(name)}; there are auto, ${names}`,
  );
}

function whole(name: string, value: number, least: number, most: number): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw new PrefetchdError(
    'invalid-option',
    `${name} must be a whole number from ${least} to ${most}; got ${value}`,
  );
}
