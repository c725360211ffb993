// The error for a port that another server uses, which names the flag that chooses another port.

import { PrefetchdError } from '../prefetchd/errors.ts';
import { ServerError } from '../server/errors.ts';
import { CommandError } from './command-error.ts';

/** @returns null for other errors @param ofService The flag that sets the port of the hint service */
export function portInUse(
  error: unknown,
  ofService: '--port' | '--admin-port' = '--port',
): CommandError | null {
  const cause = error instanceof CommandError ? error.cause : error;
  if (!(cause instanceof PrefetchdError || cause instanceof ServerError)) return null;
  const isPort = cause.code === 'address-in-use' && / port \d+ /.test(cause.message);
  if (!isPort) return null; // the message names the path of a socket
  const flag = cause instanceof PrefetchdError ? ofService : '--port';
  const message = `${cause.message}; choose another with ${flag}, 0 takes a free one`;
  return new CommandError(message, 2, { cause });
}
