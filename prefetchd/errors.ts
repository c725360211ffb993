// Every way prefetchd refuses, by a stable code. Misuse and files that cannot be read throw a
// PrefetchdError; a bad line of a log or a bad access is data: counted, shown, never thrown.

export const prefetchdErrorCodes = [
  'invalid-option',
  'unknown-predictor',
  'unknown-log-format',
  'log-unreadable',
  'store-unreadable',
  'store-unwritable',
  'store-mismatch',
  'hints-unwritable',
  'config-unreadable',
  'address-in-use',
  'listen-failed',
  'service-closed',
] as const;

export type PrefetchdErrorCode = (typeof prefetchdErrorCodes)[number];

/** What prefetchd throws. `cause` keeps the error underneath. */
export class PrefetchdError extends Error {
  readonly code: PrefetchdErrorCode;

  constructor(code: PrefetchdErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'PrefetchdError';
    this.code = code;
  }
}

/** @throws PrefetchdError `invalid-option` */
export function invalidOption(sentence: string): never {
  throw new PrefetchdError('invalid-option', sentence);
}
