// Tracks whether the file at a path is still the one whose graph this process knows. If a file is deleted or replaced
// under a running service, its graph is lost, and an empty file created since then needs the whole graph.

import type { DatabaseSync } from 'node:sqlite';
import { FileGone } from './failures.ts';
import { fileNumber } from './graph-file-location.ts';
import { readMeta } from './tables.ts';

export class FileWatch {
  readonly #path: string;
  readonly #onNotice: (message: string) => void;
  /** The current or most recent file. */
  #file: string | null = null;
  /** The open file is not the one that contained the graph. */
  #isAnother = false;

  constructor(path: string, onNotice: (message: string) => void) {
    this.#path = path;
    this.#onNotice = onNotice;
  }

  /** Identity of the current or most recent file. */
  get file(): string | null {
    return this.#file;
  }

  /** Open the file, creating it if needed. */
  opened(open: () => DatabaseSync): DatabaseSync {
    const before = fileNumber(this.#path);
    if (this.#file !== null && before !== this.#file) this.#isAnother = true;
    this.#file = before;
    const database = open();
    this.#file = fileNumber(this.#path);
    return database;
  }

  /** @throws FileGone if the open file is not the one at the path */
  check(): void {
    if (fileNumber(this.#path) === this.#file) return;
    // The file counts as another one, because a later file may get the same inode number.
    this.#isAnother = true;
    throw new FileGone();
  }

  /** True if the whole stored graph is lost. */
  lacksAll(database: DatabaseSync): boolean {
    if (!this.#isAnother) return false;
    if (readMeta(database).identity === null) return true;
    this.#isAnother = false;
    this.#onNotice(
      `${this.#path} was replaced by a file with another graph; what is learned from now on is added to that graph`,
    );
    return false;
  }

  /** Within a transaction: true if the graph is still missing; it counts as present afterwards. */
  isRestoring(database: DatabaseSync): boolean {
    const lacksAll = readMeta(database).identity === null;
    if (lacksAll)
      this.#onNotice(`${this.#path} was created anew; the whole graph is written to it`);
    this.#isAnother = false;
    return lacksAll;
  }
}
