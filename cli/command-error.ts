// Defines the error of a command that cannot continue, with a message for the user and the exit code.

import { PrefetchdError } from '../prefetchd/errors.ts';
import { ServerError } from '../server/errors.ts';

export class CommandError extends Error {
  readonly exitCode: 1 | 2 | 130;

  constructor(message: string, exitCode: 1 | 2 | 130 = 2, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}

/** Returns whether an error is a CommandError, judged by its name: the built command has two copies of the class. */
export function isCommandError(error: unknown): error is CommandError {
  return error instanceof Error && error.name === 'CommandError';
}

/** Returns the flag of an option by its name: `--half-life` for `halfLife`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Returns the error to report if `error` says that another server uses a port; null for any other error.
 *  @param ofService The flag for the hint service's port */
export function portInUse(
  error: unknown,
  ofService: '--port' | '--admin-port' = '--port',
): CommandError | null {
  const cause = error instanceof CommandError ? error.cause : error;
  if (!(cause instanceof PrefetchdError || cause instanceof ServerError)) return null;
  const { port } = Object(cause.cause);
  if (cause.code !== 'address-in-use' || port === undefined) return null; // a Unix socket has no port
  const flag = cause instanceof PrefetchdError ? ofService : '--port';
  const message = `${cause.message}; choose another with ${flag}, 0 takes a free one`;
  return new CommandError(message, 2, { cause });
}
