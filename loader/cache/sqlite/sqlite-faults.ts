// Classifies and describes the faults of a store's file.

/** The file is not a cache of this version: it is renamed to `PATH.<word>` and a new one is created. */
export class NotOurs extends Error {
  readonly word: 'foreign' | 'damaged' | `version-${number}`;

  constructor(word: NotOurs['word'], message: string) {
    super(message);
    this.word = word;
  }
}

/** The file could not be opened for writing and was opened for reading. */
export class ReadOnly extends Error {
  constructor(cause: unknown) {
    super((cause as Error).message, { cause });
  }
}

export type Fault = 'damaged' | 'busy' | 'read-only' | 'full' | 'other';

// https://www.sqlite.org/rescode.html, the low byte
const faults: Record<number, Fault> = {
  5: 'busy', // SQLITE_BUSY
  6: 'busy', // SQLITE_LOCKED
  8: 'read-only', // SQLITE_READONLY
  11: 'damaged', // SQLITE_CORRUPT
  13: 'full', // SQLITE_FULL
  19: 'damaged', // SQLITE_CONSTRAINT: an intact file violates none
  26: 'damaged', // SQLITE_NOTADB
};

/** @returns null for a programming error, which must not be hidden. */
export function faultOf(error: unknown): Fault | null {
  if (error instanceof NotOurs) return 'damaged';
  if (error instanceof ReadOnly) return 'read-only';
  const { code, errcode, syscall } = error as Record<string, unknown>;
  if (code === 'ERR_SQLITE_ERROR') return faults[Number(errcode) & 0xff] ?? 'other';
  // An integer that no intact file contains.
  if (code === 'ERR_OUT_OF_RANGE') return 'damaged';
  if (typeof syscall !== 'string') return null;
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'full';
  return code === 'EROFS' || code === 'EACCES' || code === 'EPERM' ? 'read-only' : 'other';
}

const reasons: Record<Exclude<Fault, 'damaged'>, string> = {
  busy: 'another process has been writing to it for too long',
  'read-only': 'it is read-only; its content is still used',
  full: 'the disk is full',
  other: 'see the system’s message',
};

export function noticeOf(path: string, fault: Exclude<Fault, 'damaged'>, error: unknown): string {
  return `${path} is not written to for now: ${reasons[fault]} (${(error as Error).message})`;
}
