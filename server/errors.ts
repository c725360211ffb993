// Defines all errors of the server, with stable codes. Misuse and I/O failures throw a ServerError; a client's mistake
// becomes a status code and never reaches this file. docs/errors.md explains each code (ensured by a test).

export const serverErrorCodes = [
  'invalid-option',
  'invalid-call',
  'folder-not-found',
  'recording-unreadable',
  'already-listening',
  'address-in-use',
  'listen-failed',
  'server-closed',
  'file-unstable',
  'framing-mismatch',
  'headers-sent',
] as const;

export type ServerErrorCode = (typeof serverErrorCodes)[number];

/** The error the server throws. `cause` is the underlying error. */
export class ServerError extends Error {
  readonly code: ServerErrorCode;
  /** The option that an `invalid-option` error is about, as the message names it, such as `timeouts.pageMs`. */
  readonly option: string | null;
  /** What is wrong with that option, in words: `must be a number from 0 to 2, not 7`. */
  readonly reason: string | null;

  constructor(
    code: ServerErrorCode,
    message: string,
    options?: { cause?: unknown; option?: string | undefined; reason?: string | undefined },
  ) {
    super(message, options);
    this.name = 'ServerError';
    this.code = code;
    this.option = options?.option ?? null;
    this.reason = options?.reason ?? null;
  }
}

/** Throws the error for a wrong option. @throws ServerError 'invalid-option' */
export function invalidOption(sentence: string, option?: string, reason?: string): never {
  throw new ServerError('invalid-option', sentence, { option, reason });
}
