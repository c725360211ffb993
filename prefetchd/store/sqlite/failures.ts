// Words failures of a store's file: what failed, where, and what to do.

import { PrefetchdError, type PrefetchdErrorCode } from '../../errors.ts';

const isBusyFor =
  'another process has been writing to it for too long; see which one and call again';
const isDamaged = 'it is damaged; set it aside and train again';

/** Advice by SQLite's primary result code, the low byte (https://www.sqlite.org/rescode.html). */
const advice: Record<number, string> = {
  5: isBusyFor,
  6: isBusyFor, // another connection of this process
  8: 'the file or its folder may not be written to; give this user permission',
  11: isDamaged,
  13: 'the disk is full; make room and call again',
  14: 'check that its folder exists and that this user may write to it',
  19: isDamaged, // only damaged data of an earlier version breaks a constraint
  26: isDamaged, // no database
};

/** The error for tables with data that no addition writes. */
export class DamagedFile extends Error {}

function adviceFor(error: unknown): string | undefined {
  const { errcode, code } = error as { errcode?: number; code?: string };
  // node:sqlite cannot read an integer beyond 2 ** 53, and no store wrote one.
  if (error instanceof DamagedFile || code === 'ERR_OUT_OF_RANGE') return isDamaged;
  return errcode === undefined ? undefined : advice[errcode & 0xff];
}

export const isDamage = (error: unknown) => adviceFor(error) === isDamaged;

export const isBusy = (error: unknown) => adviceFor(error) === isBusyFor;

/** The error that a store throws for a cause. Messages of checks in this folder are kept. */
export function storeError(code: PrefetchdErrorCode, path: string, cause: Error): PrefetchdError {
  const { message } = cause;
  if (cause instanceof PrefetchdError) {
    return cause.code === 'store-unreadable' ? new PrefetchdError(code, message, { cause }) : cause;
  }
  const verb = code === 'store-unreadable' ? 'read' : 'written to';
  const remedy = adviceFor(cause);
  const text = `${path} cannot be ${verb}: ${message}${remedy === undefined ? '' : `; ${remedy}`}`;
  return new PrefetchdError(code, text, { cause });
}
