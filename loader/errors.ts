// The stable codes of load failures. Misuse throws a LoaderError; a network fault is recorded in the row of its
// resource with one of the same codes. docs/errors.md explains each code, and a test keeps it complete.

export const loaderErrorCodes = [
  'invalid-option',
  'invalid-url',
  'cache-unusable',
  'loader-closed',
  'aborted',
  'address-refused',
  'name-not-resolved',
  'connection-refused',
  'connect-timeout',
  'connection-failed',
  'tls-failed',
  'protocol-unavailable',
  'connection-lost',
  'malformed-response',
  'length-mismatch',
  'out-of-step',
  'headers-too-large',
  'too-many-interim-responses',
  'response-timeout',
  'resource-timeout',
  'page-timeout',
  'too-slow',
  'body-too-large',
  'page-too-large',
  'coding-unsupported',
  'coding-broken',
  'too-many-codings',
  'too-many-redirects',
  'redirect-loop',
  'invalid-redirect',
  'too-many-references',
  'unsupported-scheme',
  'http-status',
] as const;

export type LoaderErrorCode = (typeof loaderErrorCodes)[number];

/** The error that the loader throws; a failed resource's `error` is made of one. `cause` is the underlying error. */
export class LoaderError extends Error {
  readonly code: LoaderErrorCode;
  /** The option that `invalid-option` is about, as the message names it: `timeouts.pageMs`. */
  readonly option: string | null;
  /** What is wrong with that option, in words: `must be a number from 0 to 2, not 7`. */
  readonly reason: string | null;

  constructor(
    code: LoaderErrorCode,
    message: string,
    options?: { cause?: unknown; option?: string | undefined; reason?: string | undefined },
  ) {
    super(message, options);
    this.name = 'LoaderError';
    this.code = code;
    this.option = options?.option ?? null;
    this.reason = options?.reason ?? null;
  }
}

/**
 * Throws the error of an invalid option, with `sentence` as its message.
 * @throws LoaderError `invalid-option`
 */
export function invalidOption(sentence: string, option?: string, reason?: string): never {
  throw new LoaderError('invalid-option', sentence, { option, reason });
}
