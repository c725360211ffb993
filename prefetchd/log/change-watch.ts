// Decides when to look at a file again: soon after a change, and at least once per interval. It watches the folder,
// because the file may not exist, be renamed, or reappear. If watching does not work (network mount, no folder yet,
// no watches left), only the interval applies.
//
// Guarantee: looks never overlap, and there is a pause between them however often the file changes. A change during a
// look triggers another one.

import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

export interface ChangeWatchOptions {
  /** Longest time between two looks, ms. */
  pollIntervalMs: number;
  /** Shortest pause between two looks, ms. */
  pauseMs: number;
  /** Looks at the file. Never rejects. */
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
