// Every way the server can fail its user, by a stable code. Misuse and lost I/O throw a ServerError;
// what a client does wrong becomes a status code and never reaches this file. docs/errors.md explains
// each code; a test holds it.

export const serverErrorCodes = [
  'invalid-option',
  'folder-not-found',
  'already-listening',
  'address-in-use',
  'listen-failed',
  'server-closed',
  'file-unstable',
  'framing-mismatch',
] as const;

export type ServerErrorCode = (typeof serverErrorCodes)[number];

/** What the server throws. `cause` keeps the error underneath. */
export class ServerError extends Error {
  readonly code: ServerErrorCode;

  constructor(code: ServerErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ServerError';
    this.code = code;
  }
}

/** @throws ServerError 'invalid-option' */
export function invalidOption(sentence: string): never {
  throw new ServerError('invalid-option', sentence);
}
