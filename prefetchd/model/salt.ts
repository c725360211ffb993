// Clients without identities. A client (an address and a user agent) enters the model only as a
// pseudonym: a hash with a random salt. The salt is thrown away after a day; then nobody can tell which
// client a pseudonym was, nor link the pseudonyms of two days. An era is the life of one salt.

import crypto from 'node:crypto'; // by their names an old Node would stop here, before needs-node.ts speaks

export interface Salt {
  /** 16 random bytes. */
  readonly bytes: Uint8Array;
  /** Tells eras apart, 1..2^32-1. */
  readonly era: number;
  /** When it was made, ms since the epoch. */
  readonly madeMs: number;
}

export const saltBytes = 16;

export function newSalt(nowMs: number): Salt {
  return saltOf(crypto.randomBytes(saltBytes), nowMs);
}

/** A salt that was kept. */
export function saltOf(bytes: Uint8Array, madeMs: number): Salt {
  const digest = crypto.hash('sha256', bytes, 'buffer');
  return { bytes, era: digest.readUInt32BE(0) || 1, madeMs };
}

/** Too old, or from the future, as after a clock was set back. */
export function isOver(salt: Salt, nowMs: number, lifeMs: number): boolean {
  return nowMs - salt.madeMs >= lifeMs || nowMs < salt.madeMs - lifeMs;
}

/**
 * Makes pseudonyms: 96 bits, so that no two clients of a site share one. Remembers none: with what they
 * stand for they are a list of clients (pseudonyms.ts).
 */
export function pseudonymiser({ bytes }: Salt): (client: string) => string {
  const salt = Buffer.from(bytes).toString('base64');
  return (client) => crypto.hash('sha256', salt + client, 'base64').slice(0, 16);
}
