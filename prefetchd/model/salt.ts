// Hides the identities of clients. A client (an address and a user agent) enters the model only as a pseudonym: a hash
// with a random salt. The salt is discarded after a day; from then on, nobody can tell which client a pseudonym was, or
// link the pseudonyms of two days. An era is the lifetime of one salt.

import crypto from 'node:crypto'; // an import by names would fail in an old Node before needs-node.ts can report it

export interface Salt {
  /** The salt itself, 16 random bytes. */
  readonly bytes: Uint8Array;
  /** Number that identifies the salt and its lifetime, 1..2^32-1: a hash of the bytes. */
  readonly era: number;
  readonly madeMs: number;
}

export const saltBytes = 16;

export function newSalt(nowMs: number): Salt {
  return saltOf(crypto.randomBytes(saltBytes), nowMs);
}

/** Rebuilds a salt from its bytes and the time when it was made, which are what a store keeps. */
export function saltOf(bytes: Uint8Array, madeMs: number): Salt {
  const digest = crypto.hash('sha256', bytes, 'buffer');
  return { bytes, era: digest.readUInt32BE(0) || 1, madeMs };
}

/** Returns whether the salt is too old, or from the future after a clock was set back. */
export function isOver(salt: Salt, nowMs: number, lifeMs: number): boolean {
  return nowMs - salt.madeMs >= lifeMs || nowMs < salt.madeMs - lifeMs;
}

/**
 * Returns a function that makes pseudonyms of 96 bits, long enough that no two clients of a site share one. It stores
 * no pseudonyms, because together with the clients' names they would be a list of clients (visitors.ts).
 */
export function pseudonymiser({ bytes }: Salt): (client: string) => string {
  const salt = Buffer.from(bytes).toString('base64');
  return (client) => crypto.hash('sha256', salt + client, 'base64').slice(0, 16);
}
