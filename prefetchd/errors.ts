// Defines all errors of prefetchd, with stable codes. Misuse and unreadable files throw a
// PrefetchdError; a bad log line or access is counted, never thrown. docs/errors.md is made of the comments.

export const prefetchdErrorCodes = [
  'invalid-option', // An option has a wrong name or value; the message has the rule.
  'unknown-predictor', // No predictor has that name; the message lists them.
  'unknown-log-format', // The first lines of a log match no format, or `--format` names none.
  'log-unreadable', // The log cannot be opened or read, or is damaged from its start.
  'store-unreadable', // The store is absent, damaged or of another format; it is left unchanged.
  'store-unwritable', // The store lacks its folder, permission or space.
  'store-mismatch', // The store is of another predictor; nothing was added to it.
  'hints-unwritable', // A file of `--hints-file` cannot be written; writing is retried later.
  'config-unreadable', // The configuration file is unreadable, not JSON, or has an invalid setting.
  'address-in-use', // Another process has the port or socket; `listen` rejects.
  'listen-failed', // The address cannot be bound; `cause` has the system's code.
  'service-closed', // `listen` was called after `close`; its promise rejects.
] as const;

export type PrefetchdErrorCode = (typeof prefetchdErrorCodes)[number];

/** The error prefetchd throws. `cause` is the underlying error. */
export class PrefetchdError extends Error {
  readonly code: PrefetchdErrorCode;
  /** The option that an `invalid-option` is about, as the message names it, such as `timeouts.pageMs`. */
  readonly option: string | null;
  /** What is wrong with the value of the option, in words: `must be a number from 0 to 2, not 7`. */
  readonly reason: string | null;

  constructor(
    code: PrefetchdErrorCode,
    message: string,
    options?: { cause?: unknown; option?: string | undefined; reason?: string | undefined },
  ) {
    super(message, options);
    this.name = 'PrefetchdError';
    this.code = code;
    this.option = options?.option ?? null;
    this.reason = options?.reason ?? null;
  }
}

/** Returns the error that a store throws for a cause. @param advice more sentences for the operator */
export function storeError(
  code: PrefetchdErrorCode,
  place: string,
  cause: Error,
  ...advice: (string | undefined)[]
): PrefetchdError {
  if (cause instanceof PrefetchdError) return cause;
  const verb = code === 'store-unreadable' ? 'read' : 'written to';
  const sentences = [`${place} cannot be ${verb}: ${cause.message}`, ...advice];
  return new PrefetchdError(code, sentences.filter(Boolean).join('; '), { cause });
}

/** Throws the error for a wrong option. @throws PrefetchdError `invalid-option` */
export function invalidOption(sentence: string, option?: string, reason?: string): never {
  throw new PrefetchdError('invalid-option', sentence, { option, reason });
}
