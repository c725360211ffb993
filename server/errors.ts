// Defines all errors of the server, with stable codes. Misuse and I/O failures throw a ServerError; a client's mistake
// becomes a status code and never reaches this file. docs/errors.md is made of the comments (`npm run options`).

export const serverErrorCodes = [
  'invalid-option', // An option has a wrong name or value, or key and certificate are unusable; thrown.
  'invalid-call', // `hints()` got no request of node:http; the message has the line to write.
  'folder-not-found', // The folder to serve is missing, no folder, or not readable; thrown.
  'recording-unreadable', // The file is no readable HTTP Archive with bodies; save it with content.
  'already-listening', // `listen` was called twice; thrown.
  'address-in-use', // Another server has the port or socket; `listen` rejects. Port 0 is free.
  'listen-failed', // The address cannot be bound; `cause` has the system's code.
  'server-closed', // `listen` was called after `close`; thrown.
  'file-unstable', // A file changed while it was read or sent (503, or cut); rename new files into place.
  'framing-mismatch', // Code of this process changes what node:http sends upstream; 500, nothing was sent.
  'headers-sent', // `clearPrefetched` was called after the header was sent; thrown.
] as const;

export type ServerErrorCode = (typeof serverErrorCodes)[number];

/** The error the server throws. `cause` is the underlying error. */
export class ServerError extends Error {
  readonly code: ServerErrorCode;
  /** The option that an `invalid-option` error is about, as the message names it, such as `timeouts.pageMs`. */
  readonly option: string | null;
  /** What is wrong with the option, in words: `must be a number from 0 to 2, not 7`. */
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
