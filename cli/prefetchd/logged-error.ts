// An error as the log of `serve` and `proxy` shows it: with the properties listed below and no others. Network errors
// carry bytes of a response that could not be read (`rawPacket`), requests, addresses and input, which may be personal
// data and must not be logged.

import { PrefetchdError } from '../../prefetchd/errors.ts';

/** Fields of a log line whose message says what failed; only for an unexpected error, they tell where in the code. */
export function failureFields(error: unknown): { code: string } | { err: unknown } {
  return error instanceof PrefetchdError ? { code: error.code } : { err: error };
}

export interface LoggedError {
  /** Name of the error's class; pino names it so, too. */
  type: string;
  message: string;
  code?: string | number;
  stack?: string;
  cause?: LoggedError;
}

/** Longest chain of causes. */
const mostCauses = 5;

export function loggedError(error: unknown, causesLeft = mostCauses): LoggedError {
  // Anything may be thrown, and a value that is no Error may be unfit for a log.
  if (!(error instanceof Error)) return { type: typeof error, message: 'no error was thrown' };
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return {
    type: name,
    message: withoutQueries(message),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(typeof stack === 'string' && { stack: withoutQueries(stack) }),
    ...(cause !== undefined && causesLeft > 0 && { cause: loggedError(cause, causesLeft - 1) }),
  };
}

function withoutQueries(text: string): string {
  return text.replace(/(\/[^\s?"'<>]*)\?[^\s"'<>)]+/g, '$1?...');
}
