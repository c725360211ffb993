// When to look at a file again: soon after something happened to it, and in any case once in an interval.
// The folder is watched, not the file, which may not exist, be renamed, or come again; where watching
// does not work (a network mount, no folder yet, no watches left) the interval alone is what remains.
//
// Guarantee: looks never overlap, and between the ends of two there is a pause, however often the
// file changes; what happens during a look is looked at after it.

import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

export interface ChangeWatchOptions {
  /** The file is looked at this often, ms. */
  pollIntervalMs: number;
  /** Least time between two looks, ms. */
  pauseMs: number;
  /** Never rejects. */
  look: () => Promise<void>;
}

export class ChangeWatch {
  readonly #path: string;
  readonly #options: ChangeWatchOptions;
  #watcher: FSWatcher | null = null;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  #isDue = false;
  #closed = false;

  constructor(path: string, options: ChangeWatchOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** Resolves after the first look. */
  start(): Promise<void> {
    this.#watch();
    return this.#run();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watcher?.close();
    clearTimeout(this.#timer);
    await this.#running;
  }

  #watch(): void {
    const name = basename(this.#path);
    try {
      this.#watcher = watch(dirname(this.#path), { persistent: false }, (_, changed) => {
        if (changed === null || changed === name) this.#changed();
      });
      this.#watcher.on('error', () => this.#unwatch());
    } catch {
      this.#watcher = null;
    }
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = null;
  }

  #changed(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    if (this.#running === null) this.#schedule(this.#options.pauseMs);
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#run(), delayMs).unref();
  }

  async #run(): Promise<void> {
    this.#isDue = false;
    this.#running = this.#options.look();
    await this.#running;
    this.#running = null;
    if (this.#watcher === null && !this.#closed) this.#watch();
    this.#schedule(this.#isDue ? this.#options.pauseMs : this.#options.pollIntervalMs);
  }
}
