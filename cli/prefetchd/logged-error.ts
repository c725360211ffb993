// An error as the log of `serve` and `proxy` shows it: what is on the list below and nothing else. Errors of the
// network carry the bytes of an answer that could not be read (`rawPacket`), requests, addresses, input; whose they
// are, the log has no business to tell.

import { PrefetchdError } from '../../prefetchd/errors.ts';

/** Fields of a line whose message says what failed: where in the code is told of what nobody expected alone. */
export function failureFields(error: unknown): { code: string } | { err: unknown } {
  return error instanceof PrefetchdError ? { code: error.code } : { err: error };
}

export interface LoggedError {
  /** As pino names it: the class. */
  type: string;
  message: string;
  code?: string | number;
  stack?: string;
  cause?: LoggedError;
}

/** Causes of causes, at most. */
const mostCauses = 5;

export function loggedError(error: unknown, causesLeft = mostCauses): LoggedError {
  // Anything may be thrown; what it says is not known to be fit for a log.
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
