// Messages for failures of a store's file: what failed, where, and what to do.

import { PrefetchdError, type PrefetchdErrorCode } from '../../errors.ts';

// Primary result codes of https://www.sqlite.org/rescode.html, the low byte.
const busy = 5;
const locked = 6;
const readOnly = 8;
const corrupt = 11;
const full = 13;
const cannotOpen = 14;
/** Only damaged data of an earlier version breaks a constraint. */
const constraint = 19;
const notADatabase = 26;

const advice: Record<number, string> = {
  [busy]: 'another process has been writing to it for too long; see which one and call again',
  [locked]: 'another process has been writing to it for too long; see which one and call again',
  [readOnly]: 'the file or its folder may not be written to; give this user permission',
  [corrupt]: 'it is damaged; set it aside and train again',
  [full]: 'the disk is full; make room and call again',
  [cannotOpen]: 'check that its folder exists and that this user may write to it',
  [notADatabase]: 'it is damaged; set it aside and train again',
};

/** The tables contain data that no addition writes. */
export class DamagedFile extends Error {}

/** The opened file is no longer at its path. */
export class FileGone extends Error {
  constructor() {
    super('it was deleted or replaced while open; the next call opens the file at its path');
  }
}

/** SQLite's primary result code; 0 for any other error. */
function resultCode(error: unknown): number {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : 0;
}

export function isDamage(error: unknown): boolean {
  if (error instanceof DamagedFile) return true;
  // node:sqlite cannot read an integer beyond 2 ** 53, and no store wrote one.
  if ((error as NodeJS.ErrnoException).code === 'ERR_OUT_OF_RANGE') return true;
  return [corrupt, notADatabase, constraint].includes(resultCode(error));
}

export function isBusy(error: unknown): boolean {
  return [busy, locked].includes(resultCode(error));
}

/** The error that a store throws for a cause. Messages of checks in this folder are kept. */
export function storeError(code: PrefetchdErrorCode, path: string, cause: unknown): PrefetchdError {
  const { message } = cause as Error;
  if (cause instanceof PrefetchdError) {
    const { code: own } = cause;
    return own === 'store-unreadable' ? new PrefetchdError(code, message, { cause }) : cause;
  }
  const verb = code === 'store-unreadable' ? 'read' : 'written to';
  const hint = isDamage(cause) ? advice[corrupt] : advice[resultCode(cause)];
  const remedy = hint === undefined ? '' : `; ${hint}`;
  return new PrefetchdError(code, `${path} cannot be ${verb}: ${message}${remedy}`, { cause });
}
