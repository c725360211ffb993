// Options of several tables: `log`, the logger through which a loader, a service or a proxy of this package reports to
// its operator, and `now`, which tests and simulations set.

import { aFunction, any } from './kinds.ts';
import { option } from './options.ts';

/** The part of a logger such as pino's that is used. An error is passed as the field `err`. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const nothing = () => {};
export const silentLog: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

const isLogger = (value: unknown) =>
  ['debug', 'info', 'warn', 'error'].every(
    (level) => typeof (value as Record<string, unknown> | null)?.[level] === 'function',
  );

export const logKind = any<Logger>(isLogger, 'a logger with debug, info, warn and error');
export const logOption = option(logKind, silentLog, { shownDefault: 'none' });

export const clockTable = {
  /** Current time, ms since the epoch. */
  now: option(aFunction<() => number>(), Date.now, { shownDefault: '`Date.now`' }),
};
