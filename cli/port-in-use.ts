// A port that another server has, in the words of the command line: which flag takes another one.

import { PrefetchdError } from '../prefetchd/errors.ts';
import { ServerError } from '../server/errors.ts';
import { CommandError } from './command-error.ts';

/** Null: it is something else. @param ofService the flag that sets the port of the hint service */
export function portInUse(
  error: unknown,
  ofService: '--port' | '--admin-port' = '--port',
): CommandError | null {
  const cause = error instanceof CommandError ? error.cause : error;
  if (!(cause instanceof PrefetchdError || cause instanceof ServerError)) return null;
  const isPort = cause.code === 'address-in-use' && / port \d+ /.test(cause.message);
  if (!isPort) return null; // of a socket its path says all
  const flag = cause instanceof PrefetchdError ? ofService : '--port';
  const message = `${cause.message}; choose another with ${flag}, 0 takes a free one`;
  return new CommandError(message, 2, { cause });
}
