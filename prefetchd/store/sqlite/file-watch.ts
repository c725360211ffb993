// Whether the file at a path is still the one whose graph this process knows. A file that was deleted or replaced
// under a running service takes the graph with it; in an empty one that was begun since, all of it is missing.

import type { DatabaseSync } from 'node:sqlite';
import { FileGone } from './failures.ts';
import { fileNumber } from './graph-file-location.ts';
import { readMeta } from './stored-graph.ts';

export class FileWatch {
  readonly #path: string;
  readonly #onNotice: (message: string) => void;
  /** The file that is open, or was last. */
  #file: string | null = null;
  /** The file that is open is another than the one the graph was kept in. */
  #isAnother = false;

  constructor(path: string, onNotice: (message: string) => void) {
    this.#path = path;
    this.#onNotice = onNotice;
  }

  /** Number of the file that is open, or was last. */
  get file(): string | null {
    return this.#file;
  }

  /** Opens the file, and makes it if there is none. */
  opened(open: (before: string | null) => DatabaseSync): DatabaseSync {
    const before = fileNumber(this.#path);
    if (this.#file !== null && before !== this.#file) this.#isAnother = true;
    this.#file = before;
    const database = open(before);
    this.#file = fileNumber(this.#path);
    return database;
  }

  /** @throws FileGone when the file that is open is not the one at the path */
  check(): void {
    if (fileNumber(this.#path) === this.#file) return;
    // The next one may get its number.
    this.#isAnother = true;
    throw new FileGone();
  }

  /** Nothing of the graph is kept any more. */
  lacksAll(database: DatabaseSync): boolean {
    if (!this.#isAnother) return false;
    if (readMeta(database) === null) return true;
    this.#isAnother = false;
    this.#onNotice(
      `${this.#path} is another file than before and has a graph: what is learned from now on is added to that`,
    );
    return false;
  }

  /** Inside a transaction: whether all is still missing, and not for longer. */
  isRestoring(database: DatabaseSync): boolean {
    const lacksAll = readMeta(database) === null;
    if (lacksAll) this.#onNotice(`${this.#path} was begun anew, and gets the whole graph`);
    this.#isAnother = false;
    return lacksAll;
  }
}
