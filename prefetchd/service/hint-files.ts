// Writes the hints of all pages to files whenever they have changed, for anything that reads files.
//
// Building a table takes about 20 microseconds per page. It is built in slices, with other work in between, and a pause
// ten times as long follows, so it takes at most a tenth of the processor.

import { existsSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { type Logger, silentLog } from '../../options/logger.ts';
import type { Engine } from '../engine/engine.ts';
import { PrefetchdError } from '../errors.ts';
import { belowPrefix } from '../wire/hint.ts';
import { type HintTableEntry, hintTable, hintTableEntry } from '../wire/hint-table.ts';
import { replaceFile } from './replace-file.ts';

export interface HintFilesOptions {
  /** Files to write; the ending of a name decides the format: `.map` for nginx, `.caddy`, `.txt` for Apache and
   *  HAProxy; else JSON. */
  paths: readonly string[];
  /** Limit on the pages whose hints are written, the most requested ones first. */
  maxPages?: number;
  /** How often to check for changed hints, ms. */
  intervalMs?: number;
  /** Origin of the site; without it, hints with absolute URLs are left out. */
  origin?: string | null;
  /** Path below which visitors see the site, `/shop`; '': the root. */
  prefix?: string | null;
  log?: Logger;
}

const pagesPerSlice = 100;
const restFactor = 10;

export class HintFiles {
  readonly #prefetchd: Engine;
  readonly #options: HintFilesOptions;
  readonly #written = new Map<string, string>();
  #revision: number | null = null;
  #isFailing = false;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  #isClosed = false;

  constructor(prefetchd: Engine, options: HintFilesOptions) {
    this.#prefetchd = prefetchd;
    this.#options = options;
  }

  /**
   * Writes the files at once if one is missing, so that a server can include them, or if anything was learned; then
   * writes them whenever hints have changed.
   * @throws PrefetchdError `hints-unwritable`
   */
  async start(): Promise<void> {
    const { revision } = this.#prefetchd;
    const isMissing = !this.#options.paths.every((path) => existsSync(path));
    if (isMissing || revision > 0) await this.#write();
    else this.#revision = revision;
    this.#schedule(0);
  }

  /** Stops checking for changed hints; writes the latest changes before it resolves. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
    await this.#writeSafely();
  }

  #schedule(lastTookMs: number): void {
    if (this.#isClosed) return;
    const { intervalMs = 1000 } = this.#options;
    const write = async () => {
      const startMs = performance.now();
      this.#running = this.#writeSafely();
      await this.#running;
      this.#schedule(performance.now() - startMs);
    };
    this.#timer = setTimeout(write, Math.max(intervalMs, lastTookMs * restFactor)).unref();
  }

  /** Writes the files if hints have changed; logs a failure only if the attempt before it worked. */
  async #writeSafely(): Promise<void> {
    const { log = silentLog } = this.#options;
    try {
      await this.#write();
      if (this.#isFailing) log.info({}, 'hint files are being written again');
      this.#isFailing = false;
    } catch (error) {
      if (this.#isFailing) return;
      this.#isFailing = true;
      log.error({ err: error }, `${(error as Error).message}; retrying`);
    }
  }

  /** Writes the files if hints have changed. @throws PrefetchdError `hints-unwritable` */
  async #write(): Promise<void> {
    const { revision } = this.#prefetchd;
    if (revision === this.#revision) return;
    const { paths, origin = null } = this.#options;
    const entries = await this.#entries(origin);
    for (const path of paths) {
      await this.#replace(path, hintTable(path, entries, { origin }));
    }
    this.#revision = revision;
  }

  async #entries(origin: string | null): Promise<HintTableEntry[]> {
    const { maxPages = 10_000, prefix } = this.#options;
    const entries: HintTableEntry[] = [];
    let pages = 0;
    for (const { url, hints } of this.#prefetchd.pages(maxPages)) {
      const entry = hintTableEntry({ url, hints: belowPrefix(hints, prefix ?? '') }, { origin });
      if (entry !== null) entries.push(entry);
      if (++pages % pagesPerSlice === 0) await turn();
    }
    return entries;
  }

  async #replace(path: string, content: string): Promise<void> {
    if (this.#written.get(path) === content) return;
    await replaceFile(path, content).catch((cause) => {
      const message = `hints cannot be written to ${path}: ${cause.message}`;
      throw new PrefetchdError('hints-unwritable', message, { cause });
    });
    this.#written.set(path, content);
  }
}
